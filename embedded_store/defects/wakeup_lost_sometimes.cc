// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"
#include "embedded_store/mvcc/change.h"
#include "harness/base/prng.h"

namespace watchproof::store {
namespace {

constexpr double kLost = 0.001;

// Drawn from the commit, so that the same calls show the same again.
bool IsLost(const Commit& commit) {
  const KeyValue& first = commit.events.front().change->kv;
  return Prng(static_cast<std::uint64_t>(commit.revision.value))
      .Fork(first.key + '=' + first.value)
      .Chance(kLost);
}

}  // namespace

const DefectRegistration kWakeupLostSometimes(
    {.name = "wakeup-lost-sometimes",
     .explain = "A write is to wake the thread that feeds the watches. In this store one in a "
                "thousand does not. Nothing is lost: whatever wakes the thread next (another "
                "write, a request on a watch stream, the timer of periodic progress, which by "
                "default comes every ten minutes) delivers that write, too. Until then every "
                "watch of its key is silent. Trigger: some thousand writes, each followed by "
                "silence.",
     .guarantees = {"Settled"}},
    [](Hooks& hooks) {
      hooks.is_announced = [before = hooks.is_announced](const Commit& commit) {
        return !IsLost(commit) && before(commit);
      };
    });

}  // namespace watchproof::store
