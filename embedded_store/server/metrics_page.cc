// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "embedded_store/server/services.h"

namespace watchproof::store {
namespace {

struct Gauge {
  std::string_view name;
  std::string_view help;
  std::int64_t value;
};

// 0 where the system does not report it.
std::int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

std::string Prometheus(ServiceParts& parts) {
  const MvccStore& store = parts.store;
  const WatchCounters& watches = parts.hub.counters();
  const BackendSizes sizes = store.sizes();
  const Gauge gauges[] = {
      // In this order: the hub writes the slow ones first and the total afterwards.
      {"etcd_debugging_mvcc_watcher_total", "Watchers.", watches.watchers},
      {"etcd_debugging_mvcc_slow_watcher_total", "Watchers that are catching up or wait for room.",
       watches.slow_watchers},
      {"etcd_debugging_mvcc_watch_stream_total", "Watch streams.", watches.streams},
      {"etcd_debugging_mvcc_pending_events_total", "Events waiting to be sent.",
       watches.pending_events},
      {"etcd_debugging_mvcc_current_revision", "The current revision.", store.current().value},
      {"etcd_debugging_mvcc_compact_revision", "The last compacted revision.",
       std::max<std::int64_t>(0, store.compacted().value)},
      {"etcd_debugging_auth_revision", "The revision of users, roles and rights.",
       static_cast<std::int64_t>(parts.users.revision())},
      {"etcd_mvcc_db_total_size_in_bytes", "What the data takes up.", sizes.total.value},
      {"etcd_mvcc_db_total_size_in_use_in_bytes", "Of that, what holds data.", sizes.in_use.value},
      {"etcd_server_quota_backend_bytes", "What the data may take up.", parts.alarms.quota()},
      {"etcd_server_has_leader", "Always: this member.", 1},
      {"etcd_server_is_leader", "Always.", 1},
      {"process_resident_memory_bytes", "Of this process.", ResidentBytes()},
  };
  std::string page;
  for (const Gauge& gauge : gauges) {
    fmt::format_to(std::back_inserter(page), "# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n",
                   gauge.name, gauge.help, gauge.value);
  }
  return page;
}

// As in etcd: an alarm makes a member unhealthy unless the request excludes it.
Page Health(const Alarms& alarms, const std::string& query) {
  nlohmann::ordered_json health{{"health", "true"}, {"reason", ""}};
  int code = 200;
  for (const Alarm& alarm : alarms.Active(AlarmKind::kAny)) {
    const std::string name = alarm.kind == AlarmKind::kNoSpace ? "NOSPACE" : "CORRUPT";
    if (query.find("exclude=" + name) != std::string::npos) continue;
    health["health"] = "false";
    health["reason"] = "ALARM " + name;
    code = 503;
  }
  return {.type = "application/json", .body = health.dump(), .code = code};
}

}  // namespace

HttpPort::Pages MakePages(ServiceParts& parts) {
  return {
      {"/health", [&parts](const std::string& query) { return Health(parts.alarms, query); }},
      {"/version",
       [&parts](const std::string&) {
         const std::string cluster = parts.version.cluster().ToString();
         const nlohmann::ordered_json page{{"etcdserver", parts.version.server().ToString()},
                                           {"etcdcluster", cluster},
                                           {"storage", cluster},
                                           {"watchproof", parts.options.version}};
         return Page{.type = "application/json", .body = page.dump()};
       }},
      {"/metrics",
       [&parts](const std::string&) {
         return Page{.type = "text/plain; version=0.0.4; charset=utf-8", .body = Prometheus(parts)};
       }},
  };
}

}  // namespace watchproof::store
