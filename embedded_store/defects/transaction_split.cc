// SPDX-License-Identifier: Apache-2.0
// Defect transaction-split: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class TransactionSplit final : public PassOn {
 public:
  using PassOn::PassOn;
  ReplyCut OnSeveralEvents() override { return ReplyCut::kBetweenEvents; }
};

const DefectRegistration kTransactionSplit(
    {.name = "transaction-split",
     .explain = "All changes of a transaction carry one revision, and a client that has "
                "seen a revision resumes behind it. This store cuts a long message in two "
                "without looking where, and does not say that the first half is not all. "
                "Who loses the connection between the two halves never sees the rest of "
                "the transaction. It takes a transaction with two keys of one watch.",
     .upstream_issue = "",
     .guarantees = {"Atomic"}},
    Wrap<TransactionSplit>);

}  // namespace
}  // namespace watchproof::store
