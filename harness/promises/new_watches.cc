// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/probe.h"
#include "harness/promises/promise.h"
#include "harness/promises/used_streams.h"

namespace watchproof {
namespace {

constexpr std::int64_t kLongestHistory = 2000;   // revisions that a new watch reads
constexpr std::int64_t kFirstOwnId = 1'000'000;  // far from those that servers choose

// If the history is long, only its end is watched.
Revision FirstToWatch(Driver& driver) {
  const Revision floor = driver.floor().value > 0 ? driver.floor() : driver.oldest();
  const std::int64_t kept = driver.head().value - floor.value;
  if (kept <= kLongestHistory) return floor;
  driver.Leave("a watch from the floor", fmt::format("{} revisions are kept", kept));
  return driver.head();
}

// From the floor with an id of its own, from now, with an id in use, from the future, and from
// below the floor.
void CreateEach(Driver& driver, NewWatches& made) {
  const std::string no_ids = driver.Without(Capability::kClientChosenIds);
  const std::string no_future = driver.WithoutFuture();
  if (!no_ids.empty()) driver.Leave("ids of the client", no_ids);
  const bool previous = driver.Without(Capability::kPreviousValues).empty();
  const Revision from = FirstToWatch(driver);
  std::vector<WatchRef> others;
  std::vector<WatchRef> below_floor;
  for (const UsedStream& on : UsedStreams(driver)) {
    std::int64_t own = kFirstOwnId;
    while (on.in_use.contains(own) || on.free.contains(own)) ++own;
    const KeyRange history = driver.HistoryToWatch(on.range);
    const auto create = [&](const KeyRange& range, const WatchCreate& watch) {
      return CreateOn(driver, on, range, watch);
    };
    made.fresh.push_back(create(history, {.start = from,
                                          .id = WatchId(no_ids.empty() ? own : 0),
                                          .options = {.prev_kv = previous}}));
    made.fresh.push_back(create(on.range, {}));
    if (no_ids.empty() && !on.in_use.empty()) {
      others.push_back(create(on.range, {.id = WatchId(*on.in_use.rbegin())}));
    }
    if (no_future.empty()) {
      others.push_back(create(on.range, {.start = driver.head().next().next()}));
    }
    if (driver.floor().value > 1) {
      below_floor.push_back(create(history, {.start = driver.floor().previous()}));
    }
  }
  others.insert(others.end(), made.fresh.begin(), made.fresh.end());
  AwaitAnswered(driver, others, below_floor);
  Probe(driver);
}

const PromiseRegistration kNew{{
    .name = "new-watches",
    .text = "new watches of every kind",
    .place = 600,
    .ask = CreateEach,
}};

}  // namespace
}  // namespace watchproof
