// SPDX-License-Identifier: Apache-2.0
// What an operator asks of the members of a cluster in an attempt, and how lists of members are
// recorded.
//
//   const auto list = AskOfMembers(context, member, {}, 5s);
//   if (list.has_value()) session.Annotate(MembersListed{member, "", made, NamesOf(*list)});
//   WP_ASSIGN_OR_RETURN(const bool known, RecordMembers(context, member));
//
// Threads: the case thread.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/step_context.h"
#include "harness/targets/probe_members.h"

namespace watchproof {

// A call of the cluster service: for the list of members, as the one that is asked has it itself,
// if nothing else is said.
struct MembersQuestion {
  Method method = Method::kMemberList;
  Message request{};
  std::string what = "listing the members";  // in errors
};
// Recorded. The list in its answer, which a change has made.
Result<MemberList> AskOfMembers(StepContext& context, int member, const MembersQuestion& question,
                                Duration limit);

// "8e9e05c52164694d (learner)"; of a list, sorted.
std::string NameOf(const ListedMember& member);
std::vector<std::string> NamesOf(const MemberList& list);

// Asks a member for the list as it has it itself, until that has those that there are, or 5 s have
// passed, and records the last answer. False: it is not known which there are, as one does not
// answer, or a change had no answer. Requires: every member runs.
Result<bool> RecordMembers(StepContext& context, int member);

}  // namespace watchproof
