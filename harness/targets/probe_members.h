// SPDX-License-Identifier: Apache-2.0
// Calls of an operator that change the members of a cluster.
//
//   WP_RETURN_IF_ERROR(RemoveMember({.endpoint = other, .deadline = Within(5s)}, id));
//   WP_RETURN_IF_ERROR(AddMember(call, "http://127.9.1.1:2380", /*learner=*/false));
//
// Threads: any; a call blocks until it is answered or the deadline.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

struct MemberCall {
  Endpoint endpoint;  // of the member that is asked
  Deadline deadline;
  std::string token{};
};

// The process of the member need not run.
Status RemoveMember(const MemberCall& call, std::uint64_t id);
// It has a vote at once, or none until it is promoted.
Status AddMember(const MemberCall& call, const std::string& peer_url, bool learner);
// Refused until it has caught up.
Status PromoteMember(const MemberCall& call, std::uint64_t id);

}  // namespace watchproof
