// SPDX-License-Identifier: Apache-2.0
// learner-forgotten (etcd #21694): a learner that is moved to another address is listed as a member
// with a vote, which it does not have, and cannot be promoted any more.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LearnerForgotten, "learner-forgotten") {
  const auto* const differ = one.As<symptom::MembersDiffer>();
  return differ != nullptr && differ->vote_won && !differ->vote_lost && !differ->unknown &&
         one.Says(" after moving ");
}

}  // namespace watchproof
