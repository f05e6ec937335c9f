// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_check.h"

namespace watchproof {

const std::vector<ConsumerCheck>& ConsumerChecks() {
  static const std::vector<ConsumerCheck> kChecks = {
      {kConverged,
       "When nothing is written and no fault acts, each layer comes to the last revision.",
       "What is built on the layer acts on a state of long ago, and nothing says so."},
      {kClaimKept, "A layer holds exactly the keys of the store at the revision that it claims.",
       "A controller acts on objects that are missing or outdated."},
      {kNoGhost, "A layer holds no key that was deleted at the revision that it claims.",
       "An object that is gone stays in the cache for ever, and controllers act on it."},
      {kNoTimeTravel,
       "The revision that a layer claims, and that of its events, never decreases; what is "
       "deleted for a handler does not come back.",
       "A controller sees an older state after a newer one, and undoes what was done since."},
      {kNoDuplicate, "A layer passes each change on once.", "A handler runs twice for one change."},
      {kNoGap,
       "Between two lists, a layer passes on each change of the store, in order, and no other.",
       "A handler never learns of a change, and nothing repairs that before the next list."},
      {kBookmarkKept, "A bookmark comes after every change up to its revision.",
       "A client resumes past changes that it has never received."},
      {kFreshRead, "A consistent read shows every write that was answered before it began.",
       "A controller reads a state from before its own write."},
      {kRecovers,
       "A layer that was refused a list because its revision is too large lists what there is.",
       "A controller stands still for as long as the server that it came to is behind."},
  };
  return kChecks;
}

}  // namespace watchproof
