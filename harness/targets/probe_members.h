// SPDX-License-Identifier: Apache-2.0
// Calls of an operator that change the members of a cluster.
//
//   WP_ASSIGN_OR_RETURN(const MemberList left, RemoveMember({.endpoint = other, ...}, id));
//   WP_ASSIGN_OR_RETURN(const MemberList now,
//                       AddMember(call, "http://127.9.1.1:2380", Vote::kNone));
//
// Threads: any; a call blocks until it is answered or the deadline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

struct MemberCall {
  Endpoint endpoint;  // of the member that is asked
  Deadline deadline;
  std::string token{};
};

// One without a vote is a learner until it is promoted.
enum class Vote { kOne, kNone };

struct ListedMember {
  std::uint64_t id = 0;
  Vote vote = Vote::kOne;
  std::string peer_url{};
};
using MemberList = std::vector<ListedMember>;

// Each change is answered with the list that it has made.
// The process of the member need not run.
Result<MemberList> RemoveMember(const MemberCall& call, std::uint64_t id);
Result<MemberList> AddMember(const MemberCall& call, const std::string& peer_url, Vote vote);
// Refused until it has caught up.
Result<MemberList> PromoteMember(const MemberCall& call, std::uint64_t id);

}  // namespace watchproof
