// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/wrong.h"

#include <vector>

#include "harness/history/requests.h"
#include "harness/scenario/operator_calls.h"
#include "harness/scenario/step_context.h"
#include "harness/scenario/steps/wrong_requests.h"

namespace watchproof {
namespace {

const StepRegistration<WrongRequestStep> kWrong;

constexpr Duration kAnswersWithin = 5s;
constexpr Duration kHealthyWithin = 10s;

struct Read {
  Method method;
  Message request{};
};

// What shows an effect of a wrong request. Answers name the revision of the store, but for the list
// of members.
std::vector<Read> ReadsOf(const WrongRequest& wrong, const AskedStore& store) {
  const Read keys{Method::kRange,
                  ToMessage(ReadRequest{.key = store.key, .range_end = store.key_end})};
  const Read users{Method::kUserList};
  const Read roles{Method::kRoleList};
  const bool of_role =
      wrong.method >= Method::kRoleAdd && wrong.method <= Method::kRoleRevokePermission;
  switch (wrong.in) {
    case WrongIn::kKeys:
    case WrongIn::kKeysInParts:
      return {keys};
    case WrongIn::kLeases:
    case WrongIn::kLocks:
      return {keys, {Method::kLeaseLeases}};
    case WrongIn::kNoUsers:
      return {users, roles};
    case WrongIn::kUsers:
      return {users, roles,
              of_role ? Read{Method::kRoleGet, Message().Text(1, store.role)}
                      : Read{Method::kUserGet, Message().Text(1, store.user)}};
    case WrongIn::kOperators:
      return {{Method::kMemberList}, {Method::kAlarm}};
  }
  return {};
}

Status LearnMember(StepContext& context, AskedStore& store) {
  WP_ASSIGN_OR_RETURN(const MemberList members,
                      AskOfMembers(context, context.session().member(), {}, kAnswersWithin));
  if (members.empty()) return Fail(StatusCode::kInternal, "a list of no members");
  store.member = members.front().id;
  store.peer_url = members.front().peer_url;
  return {};
}

}  // namespace

Usage WrongRequestStep::Cost() const {
  const WrongRequest* const wrong = FindWrongRequest(request);
  return {.operations = wrong == nullptr ? 1 : 1 + 2 * ReadsOf(*wrong, {}).size()};
}

Status WrongRequestStep::Check() const {
  if (FindWrongRequest(request) != nullptr) return {};
  return Fail(StatusCode::kInvalidArgument, "there is no wrong request '{}'", request);
}

Status WrongRequestStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const WrongRequest& wrong = *FindWrongRequest(request);
  const Target& target = context.environment().target();
  if (!anyway && !wrong.MustBeRefusedBy(target.api_version())) return {};
  // What ends releases is asked of no server that others use, unless its release is known.
  if (target.shared() && !wrong.not_refused_by.empty() && !ParseVersion(target.api_version()))
    return {};
  AskedStore store{.key = session.Placed(key),
                   .key_end = EndOfPrefix(session.Placed(key)),
                   .head = context.head(),
                   .floor = context.floor(),
                   .user = user,
                   .role = AdminClient::RoleOf(user)};
  if (!lease.empty()) store.lease = context.leases().at(lease);
  if (wrong.in == WrongIn::kOperators) WP_RETURN_IF_ERROR(LearnMember(context, store));
  // What no other member reaches takes no other member.
  if (wrong.method == Method::kMemberAdd && store.peer_url.empty()) return {};
  CallLimits limits = session.LimitsOfCalls();
  limits.each = kAnswersWithin;
  CallClient client(
      MakeChannel(context.environment().endpoint(Path::kDirect, session.member()).ToString()),
      limits);
  client.SetToken(session.kv().token());
  Recorder& recorder = session.recording();
  const std::string name = fmt::format("wrong{}", wrong.in_parts() ? kInParts : "");
  const auto ask = [&](Method method, const Message& asked) {
    return wrong.in_parts() ? client.ReadInParts(recorder, asked.bytes(), name)
                            : client.Call(recorder, method, asked.bytes(), name);
  };
  const std::vector<Read> reads = ReadsOf(wrong, store);
  const auto read = [&]() -> Status {
    for (const Read& one : reads) {
      WP_RETURN_IF_ERROR(StatusOf(ask(one.method, one.request)));
    }
    return {};
  };
  RefusalDue due{.client = name,
                 .why = wrong.wrong,
                 .codes = {},
                 .reads = static_cast<std::int64_t>(reads.size())};
  for (const StatusCode code : wrong.codes) due.codes.emplace_back(Name(code));
  session.Annotate(due);
  WP_RETURN_IF_ERROR(read());
  // A cluster that has just begun changes no member yet.
  Status refused;
  session.PumpUntil(
      [&] {
        refused = StatusOf(ask(wrong.method, wrong.make(store)));
        return refused.code() != StatusCode::kUnavailable;
      },
      Within(kHealthyWithin));
  if (IsNoAnswer(refused.code())) return refused;
  return read();
}

}  // namespace watchproof
