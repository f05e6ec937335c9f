// SPDX-License-Identifier: Apache-2.0
// A stalled client requests progress and then creates a watch of the past. The answer to the create
// may overtake what is queued; the answer to the progress request must then not come after it as if
// it covered the new watch, too: a client that resumes the new watch from there loses its history.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"

namespace watchproof {
namespace {

constexpr int kFatPuts = 60;
constexpr std::size_t kFatBytes = 16 * 1024;

WATCH_CASE(Bookmarkable, CreateBehindQueuedProgress,
           {.requirement = "progress notifications guarantee that earlier events were delivered "
                           "(etcd API, Bookmarkable)",
            .explain = "A client stands still while events are queued for it. It requests "
                       "progress, and then creates a second watch, with a start in the past, on "
                       "the same stream. Whatever the order of the answers, no event of the second "
                       "watch may follow a progress answer that covers it.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"}}) {
  const std::string key = scenario.Key("busy");
  const Write first = scenario.Put(key);
  scenario.Watch({.group = "live", .range = OneKey(key)});
  // The queue of another stream fills up, and so shows that the stall took effect; that of the
  // first has room left, without which some releases answer no progress request.
  scenario.Watch({.group = "beside", .count = 100, .range = OneKey(key), .stream = "beside"});
  scenario.AwaitCreated("live");
  scenario.AwaitCreated("beside");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  for (int i = 0; i < kFatPuts; ++i) scenario.Put(key, {kFatBytes, kFatBytes});
  scenario.AwaitEffect("stall");
  scenario.Add(RequestProgressStep{});
  scenario.Hold(0ms, 30ms);
  scenario.Watch({.group = "late", .range = OneKey(key), .start = first.revision()});
  scenario.Add(AwaitRegisteredStep{102});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("late");
  // Without any answer the attempt proves nothing.
  scenario.Add(AwaitProgressStep{});
}

}  // namespace
}  // namespace watchproof
