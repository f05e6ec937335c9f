// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/metrics_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace watchproof::store {
namespace {

struct Gauge {
  std::string_view name;
  std::string_view help;
  std::int64_t value;
};

std::string Prometheus(const MvccStore& store, const WatchCounters& counters) {
  const Gauge gauges[] = {
      // In this order: the hub writes the slow ones first and the total afterwards.
      {"etcd_debugging_mvcc_watcher_total", "Watchers.", counters.watchers},
      {"etcd_debugging_mvcc_slow_watcher_total", "Watchers that are catching up or wait for room.",
       counters.slow_watchers},
      {"etcd_debugging_mvcc_watch_stream_total", "Watch streams.", counters.streams},
      {"etcd_debugging_mvcc_pending_events_total", "Events waiting to be sent.",
       counters.pending_events},
      {"etcd_debugging_mvcc_current_revision", "The current revision.", store.current().value},
      {"etcd_debugging_mvcc_compact_revision", "The last compacted revision.",
       std::max<std::int64_t>(0, store.compacted().value)},
  };
  std::string page;
  for (const Gauge& gauge : gauges) {
    fmt::format_to(std::back_inserter(page), "# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n",
                   gauge.name, gauge.help, gauge.value);
  }
  return page;
}

}  // namespace

HttpPort::Pages MakePages(const MvccStore& store, const WatchCounters& counters,
                          const std::string& version) {
  return {
      {"/health",
       [] {
         return Page{"application/json", R"({"health":"true"})"};
       }},
      {"/version",
       [version] {
         const nlohmann::json page{{"etcdserver", version}, {"etcdcluster", version}};
         return Page{"application/json", page.dump()};
       }},
      {"/metrics",
       [&store, &counters] {
         return Page{"text/plain; version=0.0.4; charset=utf-8", Prometheus(store, counters)};
       }},
  };
}

}  // namespace watchproof::store
