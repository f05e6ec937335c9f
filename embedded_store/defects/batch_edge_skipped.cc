// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

constexpr std::int64_t kBatch = 1000;

const DefectRegistration kBatchEdgeSkipped(
    {.name = "batch-edge-skipped",
     .explain = "History is read in batches of 1000 revisions. When a batch is exactly full this "
                "store continues two after its last revision instead of one, so one revision is "
                "lost at each edge between two batches. Trigger: a watch that starts 1000 "
                "revisions or more in the past.",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) {
      hooks.after_history = [before = hooks.after_history](Revision position, Revision last) {
        const bool full = last == position.plus(kBatch - 1);
        return full ? last.next().next() : before(position, last);
      };
    });

}  // namespace watchproof::store
