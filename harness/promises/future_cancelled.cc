// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/progress.h"
#include "harness/promises/promise.h"
#include "harness/promises/used_streams.h"

namespace watchproof {
namespace {

void CancelFuture(Driver& driver, NewWatches&) {
  std::vector<WatchRef> later;
  for (const DrivenWatch& watch : driver.Watches()) {
    const bool open = watch.state == DrivenWatch::State::kOpen;
    if (open && watch.start > driver.head()) later.push_back(watch.ref);
  }
  if (later.empty()) return;
  CancelAndAwait(driver, later);
  RequireProgressOfAll(driver);
}

const PromiseRegistration kFuture{{
    .name = "progress-after-future",
    .text = "progress once watches that start above the head are cancelled",
    .place = 350,
    .ask = CancelFuture,
}};

}  // namespace
}  // namespace watchproof
