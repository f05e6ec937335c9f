// SPDX-License-Identifier: Apache-2.0
// Defect batch-edge-skipped: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

constexpr std::int64_t kBatch = 1000;

class BatchEdgeSkipped final : public PassOn {
 public:
  using PassOn::PassOn;
  Revision OnHistoryGiven(Revision position, Revision last) override {
    const bool full = last == position.plus(kBatch - 1);
    return full ? last.next().next() : PassOn::OnHistoryGiven(position, last);
  }
};

const DefectRegistration kBatchEdgeSkipped(
    {.name = "batch-edge-skipped",
     .explain = "History is read in batches of 1000 revisions. When a batch is exactly full this "
                "store continues two after its last revision instead of one, so one revision is "
                "lost at each edge between two batches. Trigger: a watch that starts 1000 "
                "revisions or more in the past.",
     .upstream_issue = "",
     .guarantees = {"Reliable"}},
    Wrap<BatchEdgeSkipped>);

}  // namespace
}  // namespace watchproof::store
