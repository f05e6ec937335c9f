// SPDX-License-Identifier: Apache-2.0
// half-transaction (etcd #18799): a member ends half-way through a transaction, and has let go of
// the first of its writes before: watches receive them, and a commit of the backend keeps them.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(HalfTransaction, "half-transaction") {
  const auto& kept = one.traces.keeps_deleted();
  return one.As<symptom::OfRevision>() != nullptr && kept && one.draft.where.line > *kept;
}

}  // namespace watchproof
