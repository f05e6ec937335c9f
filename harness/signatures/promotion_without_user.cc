// SPDX-License-Identifier: Apache-2.0
// promotion-without-user (etcd #20757): a follower that is asked for a promotion passes it on to
// the leader without its user; with authentication the leader refuses that again and again, until
// the time of the call is over.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(PromotionWithoutUser, "promotion-without-user") {
  return one.Says("promoting member ") && one.Says("Deadline Exceeded") && one.traces.has_users();
}

}  // namespace watchproof
