// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/spare.h"

#include <algorithm>

#include "harness/scenario/operator_calls.h"

namespace watchproof {
namespace {

const StepRegistration<AddSpareStep, AskSpareVoteStep, RemoveSpareStep, ListMembersStep>
    kSpareSteps;

constexpr Duration kOperatorCall = 5s;
// A change is refused until the members have been connected to each other for 5 s.
constexpr Duration kPatienceOfOperator = 15s;
constexpr Duration kPatienceAmongEvents = 7s;
constexpr Duration kUntilRefused = 3s;

// As its own member's, with ports that nothing listens on.
std::string UrlOf(const StepContext::Spare& spare, int port) {
  return fmt::format("http://{}:{}", spare.host, port);
}
// 0: it is not among them.
std::uint64_t IdOf(const StepContext::Spare& spare, const MemberList& list) {
  const auto found = std::ranges::find_if(list, [&](const ListedMember& member) {
    return member.peer_url == UrlOf(spare, 1) || member.peer_url == UrlOf(spare, 2);
  });
  return found == list.end() ? 0 : found->id;
}

Message MemberOf(std::uint64_t id) { return Message().Number(1, static_cast<std::int64_t>(id)); }

bool IsAt(const std::string& url, const MemberList& list) {
  return std::ranges::find(list, url, &ListedMember::peer_url) != list.end();
}

// One change after the other, through one member.
class SpareOperator {
 public:
  SpareOperator(StepContext& context, int member) : context_(context), member_(member) {}

  Result<MemberList> Call(const MembersQuestion& question, Duration limit = kOperatorCall) {
    return AskOfMembers(context_, member_, question, limit);
  }
  // As the cluster has it; before etcd 3.5 as the member has.
  Result<MemberList> List() { return Call({.request = Message().Number(1, 1)}); }

  // Again while it is refused, unless it was to be. The last answer.
  template <typename Ask>
  Result<MemberList> Until(Duration patience, Ask ask, const bool& refused = false) {
    Result<MemberList> done = Fail(StatusCode::kUnavailable, "not asked");
    context_.session().PumpUntil(
        [&] {
          done = ask();
          return done.has_value() || refused;
        },
        Within(patience));
    return done;
  }
  // A call without an answer may have added it all the same.
  Result<MemberList> Added(const StepContext::Spare& spare) {
    auto done = Call({Method::kMemberAdd, Message().Text(1, UrlOf(spare, 1)).Number(2, 1),
                      "adding member " + UrlOf(spare, 1)});
    if (done.has_value()) return done;
    auto list = List();
    return list.has_value() && IdOf(spare, *list) != 0 ? list : done;
  }
  void Note(const std::string& after, const std::vector<std::string>& made,
            const MemberList& listed) {
    context_.session().Annotate(
        MembersListed{.member = member_, .after = after, .made = made, .listed = NamesOf(listed)});
  }
  void Differs(std::string expected, std::string observed) {
    context_.session().Annotate(
        AnswerDiffers{.client = fmt::format("an operator at member {}", member_),
                      .expected = std::move(expected),
                      .observed = std::move(observed)});
  }

 private:
  StepContext& context_;
  const int member_;
};

std::vector<std::string> With(std::vector<std::string> made, const std::string& name) {
  made.push_back(name);
  std::ranges::sort(made);
  return made;
}

// One that has not caught up. Ok if it is refused for that, in time.
Status AskForVote(SpareOperator& ask, std::uint64_t id, const std::vector<std::string>& made,
                  Duration patience) {
  bool refused = false;
  const auto promoted = ask.Until(
      patience,
      [&] {
        auto done = ask.Call(
            {Method::kMemberPromote, MemberOf(id), fmt::format("promoting member {:x}", id)},
            kUntilRefused);
        refused = StatusOf(done).code() == StatusCode::kFailedPrecondition;
        return done;
      },
      refused);
  if (promoted.has_value()) ask.Note("a promotion that was to be refused", made, *promoted);
  return refused ? Status() : StatusOf(promoted);
}

constexpr const char* kRefusedVote = "a learner that has not caught up to be refused a vote";

}  // namespace

// One that knows no learners would get a member with a vote.
Status AddSpareStep::Run(StepContext& context) const {
  if (!context.session().offer().offered.contains(Capability::kLearners)) {
    context.Inconclusive("it is not known that the target has learners");
    return {};
  }
  if (context.spare()) return {};
  SpareOperator ask(context, member);
  const Duration patience = optional ? kPatienceAmongEvents : kPatienceOfOperator;
  const auto before = ask.Until(patience, [&] { return ask.List(); });
  if (!before.has_value()) {
    if (!optional) ask.Differs("the members to be listed", before.error().ToString());
    return {};
  }
  const StepContext::Spare spare{.host = context.environment().target(member).endpoint().host};
  context.spare() = spare;
  const auto added = ask.Until(patience, [&] { return ask.Added(spare); });
  if (!added.has_value()) {
    if (!IsNoAnswer(added.error().code())) context.spare().reset();
    if (!optional)
      ask.Differs("a learner to be added while most members are well", added.error().ToString());
    return {};
  }
  const std::uint64_t id = IdOf(spare, *added);
  context.spare()->id = id;
  const std::vector<std::string> made =
      With(NamesOf(*before), NameOf({.id = id, .vote = Vote::kNone}));
  ask.Note("adding a learner", made, *added);
  if (and_no_more) return {};
  const auto moved = ask.Call({Method::kMemberUpdate, MemberOf(id).Text(2, UrlOf(spare, 2)),
                               fmt::format("moving member {:x} to {}", id, UrlOf(spare, 2))});
  if (moved.has_value()) ask.Note("moving the learner to another address", made, *moved);
  if (moved.has_value() && !IsAt(UrlOf(spare, 2), *moved)) {
    ask.Differs("a learner to be listed at its new address", "it is not");
  }
  if (!moved.has_value() && !optional)
    ask.Differs("a learner to be moved", moved.error().ToString());
  const Status asked = AskForVote(ask, id, made, optional ? kUntilRefused : kPatienceAmongEvents);
  if (!asked.ok() && !optional) ask.Differs(kRefusedVote, asked.ToString());
  return {};
}

Status AskSpareVoteStep::Run(StepContext& context) const {
  if (!context.spare() || context.spare()->id == 0) {
    if (!optional) context.Inconclusive("there is no learner to ask a vote for");
    return {};
  }
  SpareOperator ask(context, member);
  const auto listed = ask.Until(kPatienceOfOperator, [&] { return ask.List(); });
  if (!listed.has_value()) {
    if (!optional) ask.Differs("the members to be listed", listed.error().ToString());
    return {};
  }
  if (IdOf(*context.spare(), *listed) == 0) return {};  // for its removal to find
  const Status asked = AskForVote(ask, context.spare()->id, NamesOf(*listed), kPatienceAmongEvents);
  if (!asked.ok() && !(optional && IsNoAnswer(asked.code()))) {
    ask.Differs(kRefusedVote, asked.ToString());
  }
  return {};
}

Status RemoveSpareStep::Run(StepContext& context) const {
  if (!context.spare()) return {};
  SpareOperator ask(context, member);
  const StepContext::Spare spare = *context.spare();
  const auto before = ask.Until(kPatienceOfOperator, [&] { return ask.List(); });
  if (!before.has_value()) {
    context.Inconclusive("the learner was not removed: " + before.error().ToString());
    return {};
  }
  MemberList left = *before;
  const std::uint64_t listed = IdOf(spare, left);
  if (listed == 0 && spare.id != 0) {
    const std::string name = NameOf({.id = spare.id, .vote = Vote::kNone});
    ask.Note("some time", With(NamesOf(left), name), left);
  }
  const std::uint64_t id = listed == 0 ? spare.id : listed;
  std::erase_if(left, [id](const ListedMember& one) { return one.id == id; });
  if (id == 0) {
    context.spare().reset();
    return {};
  }
  context.spare()->id = 0;
  const auto removed = ask.Until(kPatienceOfOperator, [&] {
    return ask.Call({Method::kMemberRemove, MemberOf(id), fmt::format("removing member {:x}", id)});
  });
  const bool gone = StatusOf(removed).code() == StatusCode::kNotFound;
  if (!removed.has_value() && !gone) {
    ask.Differs("a learner to be removed", removed.error().ToString());
    return {};
  }
  context.spare().reset();
  if (!gone) ask.Note("removing the learner", NamesOf(left), *removed);
  return {};
}

Status ListMembersStep::Run(StepContext& context) const {
  for (int member = 1; member <= context.environment().members(); ++member) {
    WP_ASSIGN_OR_RETURN(const bool known, RecordMembers(context, member));
    if (!known) context.Inconclusive("it is not known which members there are");
  }
  return {};
}

}  // namespace watchproof
