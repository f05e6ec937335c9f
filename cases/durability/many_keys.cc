// SPDX-License-Identifier: Apache-2.0
// More keys than a store reads at once when it starts.
#include <algorithm>
#include <span>

#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kPerTransaction = 100;
// How many etcd reads, and how many it keeps at hand meanwhile.
constexpr std::int64_t kAtOnce = 10'000;

// The last write.
Write PutAll(Scenario& scenario, std::span<const std::string> keys) {
  for (;; keys = keys.subspan(kPerTransaction)) {
    const auto some = keys.first(std::min(kPerTransaction, keys.size()));
    const Write written = scenario.PutTogether({some.begin(), some.end()}, {.least = 1, .most = 8});
    if (some.size() == keys.size()) return written;
  }
}

WATCH_CASE(Durable, ManyKeys,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "More keys than a store reads at once when it starts are put, and put again "
                       "in another order; some are deleted and put again. Then the server is "
                       "killed and started again. What it holds, and held, and the versions of "
                       "the next puts, must follow from the writes, and watches must receive all "
                       "of them.",
            .needs = {Capability::kDurable},
            .guarantees = {"Durable", "Linearizable", "Reliable", "Fields"}}) {
  const std::string stem = scenario.Key("many");
  std::vector<std::string> keys = scenario.Keys(stem, {kAtOnce + 200, kAtOnce + 1'500});
  const WatchedRange all = Below(stem);
  const auto read_at = [&](const RevisionRef& at) {
    scenario.Add(ReadStep{.key = all.key, .range_end = all.range_end, .at = at});
  };
  scenario.Open({.group = "live", .range = all});
  const Write first = PutAll(scenario, keys);
  scenario.Shuffle(keys);
  const Write second = PutAll(scenario, keys);
  const std::size_t few = static_cast<std::size_t>(scenario.Between(20, 60));
  for (std::size_t i = 0; i < few; ++i) scenario.Delete(keys[i]);
  PutAll(scenario, std::span(keys).first(few / 2));
  scenario.AwaitDelivered("live");
  scenario.KillAndRestart();
  for (const RevisionRef& at : {FromNow(), second.revision(), first.revision()}) read_at(at);
  scenario.Shuffle(keys);
  PutAll(scenario, std::span(keys).first(3 * kPerTransaction));
  read_at(FromNow());
  scenario.Open({.group = "history", .range = all, .start = second, .stream = "later"});
  scenario.AwaitDelivered("history");
}

}  // namespace
}  // namespace watchproof
