// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kTransactionSplit(
    {.name = "transaction-split",
     .explain = "All changes of a transaction carry one revision, and a client that has received "
                "a revision resumes after it. This store cuts a long message in two without "
                "regard to revisions, and does not flag the first half as a fragment. A client "
                "that loses the connection between the two halves never receives the rest of the "
                "transaction. Trigger: a transaction with two keys of one watch.",
     .guarantees = {"Atomic"}},
    [](Hooks& hooks) { hooks.reply_cut = ReplyCut::kBetweenEvents; });

}  // namespace watchproof::store
