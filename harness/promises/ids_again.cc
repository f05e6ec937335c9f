// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/probe.h"
#include "harness/promises/promise.h"
#include "harness/promises/used_streams.h"

namespace watchproof {
namespace {

// The ids of cancelled watches are free again.
void CreateAgain(Driver& driver, NewWatches& made) {
  CancelAndAwait(driver, made.fresh);
  made.fresh.clear();
  const bool own_ids = driver.Without(Capability::kClientChosenIds).empty();
  for (const UsedStream& on : UsedStreams(driver)) {
    std::set<std::int64_t> ids{0};
    if (own_ids) ids = on.free;
    if (ids.empty()) continue;
    for (const std::int64_t id : std::set{*ids.begin(), *ids.rbegin()}) {
      made.fresh.push_back(CreateOn(driver, on, on.range, {.id = WatchId(id)}));
    }
  }
  AwaitAnswered(driver, made.fresh);
  Probe(driver);
}

const PromiseRegistration kAgain{{
    .name = "ids-again",
    .text = "new watches with the ids of cancelled ones",
    .place = 800,
    .ask = CreateAgain,
}};

}  // namespace
}  // namespace watchproof
