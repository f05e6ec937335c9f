// SPDX-License-Identifier: Apache-2.0
// A cache that is given a deletion without the old object has to start over, and does not always
// notice. A server may be told that it must not send such an event: then it says ErrCompacted, and
// the cache knows what to do.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kWatchers = 400;

WATCH_CASE(PreviousValue, MissesNoneWhereItMustNot,
           {.requirement = "with strict previous values a watch ends with ErrCompacted instead of "
                           "an event without prev_kv (embedded store, --strict-prev-kv)",
            .explain = "A watch that asks for previous values sits behind a full queue when its "
                       "key is deleted, and the store is compacted at that deletion before it can "
                       "be sent. The event with its previous value, or ErrCompacted, must come; "
                       "never the event without.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kPreviousValues,
                      Capability::kStrictPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"},
            .upstream = {10681}}) {
  const std::string key = scenario.Key("gone");
  const std::string fat = scenario.Key("fat");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "crowd", .count = kWatchers, .range = OneKey(fat)});
  scenario.Watch({.group = "cache", .range = OneKey(key), .previous_values = true});
  const std::string filler = scenario.Key("filler");
  scenario.Watch({.group = "filler", .count = kWatchers / 2, .range = OneKey(filler)});
  scenario.AwaitCreated("crowd");
  scenario.AwaitCreated("cache");
  scenario.AwaitCreated("filler");
  scenario.Inject("stall");
  scenario.Put(fat, {8192, 8192});
  scenario.AwaitEffect("stall");
  // Takes whatever room the sender has made meanwhile.
  scenario.Put(filler);
  const Write deletion = scenario.Delete(key);
  scenario.Compact(deletion.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Hold(20ms, 60ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("cache");
}

}  // namespace
}  // namespace watchproof
