// SPDX-License-Identifier: Apache-2.0
// promotion-without-user (etcd #20757): a follower that is asked for a promotion passes it on to
// the leader without its user; with authentication the leader refuses that again and again, until
// the time of the call is over: that of the client, or of the follower.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(PromotionWithoutUser, "promotion-without-user") {
  const bool over = one.Says("Deadline Exceeded") || one.Says("etcdserver: request timed out");
  return one.Says("promoting member ") && over && one.traces.has_users();
}

}  // namespace watchproof
