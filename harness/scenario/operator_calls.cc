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

MemberList ListOf(const std::vector<MemberView>& members) {
  MemberList list;
  for (const MemberView& one : members) {
    list.push_back({.id = one.id,
                    .vote = one.is_learner ? Vote::kNone : Vote::kOne,
                    .peer_url = one.peer_urls.empty() ? "" : std::string(one.peer_urls.front())});
  }
  return list;
}

}  // namespace

Result<MemberList> AskOfMembers(StepContext& context, int member, const MembersQuestion& question,
                                Duration limit) {
  const Target& target = context.environment().target(member);
  CallClient client(MakeChannel(target.endpoint().ToString()), {.each = limit});
  client.SetToken(target.token());
  const auto answer =
      client.Call(context.session().recording(), question.method, question.request.bytes(),
                  fmt::format("operator at member {}", member));
  if (!answer.has_value()) return Status(answer.error()).WithContext("{}", question.what);
  if (question.method == Method::kMemberAdd) {
    MemberAddResponseView made;
    WP_RETURN_IF_ERROR(Parse(answer->view(), made));
    return ListOf(made.members);
  }
  MemberListResponseView listed;
  WP_RETURN_IF_ERROR(Parse(answer->view(), listed));
  return ListOf(listed.members);
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
        const auto answer = AskOfMembers(context, member, {}, kAnswersWithin);
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
