// SPDX-License-Identifier: Apache-2.0
// A watch that ended with ErrCompacted keeps its id until it is cancelled. Then nothing of it is
// left, and progress must come where it was asked for before.
#include "harness/promises/progress.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

using State = DrivenWatch::State;

// The id of a compacted watch may have been released before, and be that of another watch now.
bool IdIsTaken(const std::vector<DrivenWatch>& watches, const DrivenWatch& watch) {
  for (const DrivenWatch& other : watches) {
    if (other.ref.stream == watch.ref.stream && other.ref.ordinal > watch.ref.ordinal &&
        other.id == watch.id) {
      return true;
    }
  }
  return false;
}

void CancelCompacted(Driver& driver, NewWatches&) {
  const std::vector<DrivenWatch> watches = driver.Watches();
  bool any = false;
  for (const DrivenWatch& watch : watches) {
    if (watch.state != State::kCompacted || IdIsTaken(watches, watch)) continue;
    driver.Cancel(watch.ref);
    any = true;
  }
  if (any) RequireProgressOfAll(driver);
}

const PromiseRegistration kCompacted{{
    .name = "progress-after-compacted",
    .text = "progress once watches that ended with ErrCompacted are cancelled",
    .place = 200,
    .ask = CancelCompacted,
}};

}  // namespace
}  // namespace watchproof
