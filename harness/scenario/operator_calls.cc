// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/operator_calls.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr Duration kAnswersWithin = 1s;
constexpr Duration kListedWithin = 5s;

// Those that run, and the learner that the plan has added. Empty: it is not known.
std::vector<std::string> MembersThatThereAre(StepContext& context) {
  MemberList list;
  for (int member = 1; member <= context.environment().members(); ++member) {
    const auto status = context.environment().target(member).Ask(Within(kAnswersWithin));
    if (!status.has_value()) return {};
    list.push_back({.id = status->member});
  }
  if (context.spare()) list.push_back({.id = context.spare()->id, .vote = Vote::kNone});
  if (context.spare() && context.spare()->id == 0) return {};
  return NamesOf(list);
}

}  // namespace

MemberCall CallOfOperator(StepContext& context, int member, Duration limit) {
  const Target& target = context.environment().target(member);
  return {.endpoint = target.endpoint(), .deadline = Within(limit), .token = target.token()};
}

std::string NameOf(const ListedMember& member) {
  return fmt::format("{:016x}{}", member.id, member.vote == Vote::kNone ? " (learner)" : "");
}

std::vector<std::string> NamesOf(const MemberList& list) {
  std::vector<std::string> names;
  for (const ListedMember& member : list) names.push_back(NameOf(member));
  std::ranges::sort(names);
  return names;
}

Result<bool> RecordMembers(StepContext& context, int member) {
  MembersListed list{.member = member, .made = MembersThatThereAre(context)};
  if (list.made.empty()) return false;
  Status unanswered;
  bool answered = false;
  context.session().PumpUntil(
      [&] {
        const auto answer =
            ListMembers(CallOfOperator(context, member, kAnswersWithin), ListedBy::kMember);
        unanswered = StatusOf(answer);
        if (!answer.has_value()) return false;
        answered = true;
        list.listed = NamesOf(*answer);
        return list.listed == list.made;
      },
      Within(kListedWithin));
  if (!answered) return unanswered;
  context.session().Annotate(list);
  return true;
}

}  // namespace watchproof
