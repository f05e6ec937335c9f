// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/auth.h"

#include <algorithm>
#include <utility>

#include "harness/model/operations.h"
#include "harness/model/refusals.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<AuthStep, PermitStep, ForbidStep, AuthenticationStep, OperatorStep,
                       CallsStep>
    kAuth;

constexpr Duration kAnswersWithin = 1s;
constexpr const char* kSpare = "spare";  // a user that takes part in nothing else
constexpr const char* kAdded = "added";  // a user and a role

Message Named(std::string_view name) { return Message().Text(1, name); }
std::string UserOf(const OperatorStep& step, const char* otherwise) {
  return step.about.empty() ? otherwise : step.about;
}
std::string RoleOf(const OperatorStep& step) {
  return step.role.empty() ? AdminClient::RoleOf(UserOf(step, kSpare)) : step.role;
}
std::string PasswordOf(const OperatorStep& step, const std::string& otherwise) {
  if (step.no_password) return {};
  return step.password.empty() ? otherwise : step.password;
}
Message WithPassword(const OperatorStep& step, const char* otherwise) {
  const Message user = Named(UserOf(step, otherwise));
  return step.no_password ? Message(user).Nested(3, Message().Number(1, 1))
                          : Message(user).Text(2, PasswordOf(step, "password"));
}

// Each such that its effect, where it is carried out, disturbs nothing that is judged: a member is
// added without a vote, and others are changed that there are not.
// `about`: the lease, the member of an alarm, or the new leader.
Message RequestOf(Method method, const OperatorStep& step, std::int64_t about) {
  constexpr int kDisarm = 2;
  constexpr int kNoSpace = 1;
  constexpr int kNoMember = 1;
  constexpr const char* kPeer = "http://127.0.0.1:1";
  constexpr std::chrono::seconds kTime = 60s;
  switch (method) {
    case Method::kCompact:
      return CompactionAt(Revision(1));
    case Method::kLeaseGrant:
      return GrantOf(0, kTime.count());
    case Method::kLeaseRevoke:
    case Method::kLeaseKeepAlive:
      return LeaseOf(about);
    case Method::kLeaseTimeToLive:
      return step.keys ? TimeToLiveOf(about) : LeaseOf(about);
    case Method::kMemberAdd:
      return Message().Text(1, kPeer).Number(2, 1);
    case Method::kMemberUpdate:
      return Message().Number(1, kNoMember).Text(2, kPeer);
    case Method::kMemberRemove:
    case Method::kMemberPromote:
      return Message().Number(1, kNoMember);
    case Method::kMoveLeader:
      return Message().Number(1, about);
    case Method::kAlarm:
      return step.change ? Message().Number(1, kDisarm).Number(2, about).Number(3, kNoSpace)
                         : Message();
    case Method::kDowngrade:
      return Message().Text(2, "3.0.0");  // validates it
    case Method::kAuthenticate:
      return Named(UserOf(step, AdminClient::kRoot))
          .Text(2, PasswordOf(step, AdminClient::PasswordOf(UserOf(step, AdminClient::kRoot))));
    case Method::kUserAdd:
      return WithPassword(step, kAdded);
    case Method::kUserChangePassword:
      return WithPassword(step, kSpare);
    case Method::kUserGet:
      return Named(UserOf(step, kSpare));
    case Method::kUserDelete:
      return Named(UserOf(step, kAdded));
    case Method::kRoleAdd:
    case Method::kRoleDelete:
      return Named(step.role.empty() ? kAdded : step.role);
    case Method::kUserGrantRole:
    case Method::kUserRevokeRole:
      return Named(UserOf(step, kSpare)).Text(2, RoleOf(step));
    case Method::kRoleGet:
      return Named(RoleOf(step));
    case Method::kRoleGrantPermission:
      return Named(RoleOf(step)).Nested(2, Message().Text(2, kSpare));
    case Method::kRoleRevokePermission:
      return Named(RoleOf(step)).Text(2, kSpare);
    default:
      return {};
  }
}

// kNone: there is no such call, or it is one that reads and writes keys, or of a service for locks.
Method OperatorCall(std::string_view name) {
  constexpr auto kFirst = static_cast<std::size_t>(Method::kCompact);
  for (std::size_t i = kFirst; i < std::size(kMethods); ++i) {
    const auto method = static_cast<Method>(i);
    const bool of_locks = std::string_view(kMethods[i].path).starts_with("/v3");
    if (kMethods[i].name == name && !of_locks) return method;
  }
  return Method::kNone;
}

struct AnyRequest {
  Method method = Method::kNone;
  Message message{};
};
// 0: it does not say.
std::int64_t MemberInUse(StepContext& context) {
  const auto status =
      context.environment().target(context.session().member()).Ask(Within(kAnswersWithin));
  return status.has_value() ? static_cast<std::int64_t>(status->member) : 0;
}

AnyRequest RequestOf(StepContext& context, const OperatorStep& step) {
  const Method method = OperatorCall(step.call);
  std::int64_t about = 0;
  if (!step.lease.empty()) about = context.leases().at(step.lease);
  // A leader that hands over to itself stays one; to a member that there is not, etcd 3.3 waits.
  if (step.change || method == Method::kMoveLeader) about = MemberInUse(context);
  return {method, RequestOf(method, step, about)};
}
AnyRequest WireRequestOf(StepContext& context, const Step& step) {
  if (const auto* const call = step.As<OperatorStep>()) return RequestOf(context, *call);
  const std::optional<KvRequest> request = RequestOf(context, step);
  return std::visit(
      [](const auto& one) {
        return AnyRequest{MethodOf(one), ToMessage(one)};
      },
      *request);
}

// A refusal that the judge decides about. That of a user's call is for want of a right; an operator
// may ask for what the target has not.
bool IsJudged(const Status& refusal, bool of_user, bool of_operator) {
  switch (refusal.code()) {
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated:
      return of_user;
    case StatusCode::kUnknown:
      return (of_user || of_operator) && IsAboutUser(refusal.message());
    case StatusCode::kUnimplemented:
      return of_operator;
    default:
      return IsDefiniteRefusal(refusal.code());
  }
}

void NoteRevision(StepContext& context, const Result<Bytes>& answer) {
  HeaderView header;
  const bool answered = answer.has_value() && ParseHeader(answer->view(), header).ok();
  if (answered) context.NoteHead(Revision(header.revision));
}

UserRight Placed(const AttemptSession& session, UserRight right) {
  right.keys = {session.Placed(right.keys.key), session.PlacedEnd(right.keys.range_end)};
  return right;
}

}  // namespace

Status AuthStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  std::vector<UserRight> rights;
  for (const Reader& reader : readers) {
    rights.push_back(Placed(
        session, {.user = reader.user, .may = reader.may, .keys = {reader.key, reader.range_end}}));
  }
  return session.EnableUsers(rights);
}

Status PermitStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  return session.Permit(
      Placed(session, {.user = user, .may = UserMay::kReadAndWrite, .keys = {key, range_end}}));
}

Status ForbidStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  return session.Forbid(user, {session.Placed(key), session.PlacedEnd(range_end)});
}

Status AuthenticationStep::Run(StepContext& context) const {
  WP_RETURN_IF_ERROR(OperatorStep{on ? "auth enable" : "auth disable"}.Run(context));
  if (on) return context.session().NoteEnabledAgain();
  context.session().NoteDisabled();
  context.session().kv().SetToken("");
  context.environment().target().UseToken("");
  return {};
}

Status OperatorStep::Check() const {
  if (OperatorCall(call) != Method::kNone) return {};
  return Fail(StatusCode::kInvalidArgument,
              "there is no call '{}' beside those that read and write keys", call);
}

Status OperatorStep::Run(StepContext& context) const {
  return CallsStep{.calls = {*this}}.Run(context);
}

Status CallsStep::Check() const {
  if (user.empty() && (expired || age > Duration())) {
    return Fail(StatusCode::kInvalidArgument, "a token of an age and no user that has it");
  }
  for (const Step& call : calls) {
    WP_RETURN_IF_ERROR(call.Check());
    const auto* const read = call.As<ReadStep>();
    if (read == nullptr || !read->in_parts) continue;
    return Fail(StatusCode::kInvalidArgument, "a read among calls cannot be answered in parts");
  }
  return {};
}

Usage CallsStep::Cost() const {
  Usage usage;
  for (const Step& call : calls) usage += call.Cost();
  return usage;
}

// A half, a quarter and so on down to one call, from each place.
std::vector<CallsStep> CallsStep::Smaller() const {
  std::vector<CallsStep> smaller;
  for (std::size_t part = (calls.size() + 1) / 2; part > 0 && part < calls.size(); part /= 2) {
    for (std::size_t from = 0; from < calls.size(); from += part) {
      const std::size_t to = std::min(from + part, calls.size());
      smaller.push_back(*this);
      smaller.back().calls.assign(calls.begin() + static_cast<std::ptrdiff_t>(from),
                                  calls.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return smaller;
}

Status CallsStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  std::string there = context.environment().endpoint(Path::kDirect, session.member()).ToString();
  const bool certified = token == AttemptSession::kCertificate;
  if (certified) {
    Target& target = context.environment().target(session.member());
    WP_ASSIGN_OR_RETURN(const Endpoint own, target.EndpointOf(user));
    there = own.ToString();
  }
  CallClient client(MakeChannel(there), session.LimitsOfCalls());
  // Each member is another client's: it may be behind the others.
  const int member = session.member();
  const std::string at = member == 1 ? "" : fmt::format(", member {}", member);
  std::string name = "calls" + at;
  if (token.empty() && user.empty()) {
    client.SetToken(session.kv().token());
  } else if (token.empty()) {
    std::string own = kept.empty() ? std::string() : context.tokens()[kept];
    if (own.empty()) {
      WP_ASSIGN_OR_RETURN(own, AdminClient(there).LogIn(user));
    }
    if (!kept.empty()) context.tokens()[kept] = own;
    client.SetToken(own);
    if (age > Duration()) {
      session.PumpUntil([] { return false; }, Deadline(age));
      WP_RETURN_IF_ERROR(session.LogInAgain());
    }
    if (expired) session.NoteEnded(user, own);
    name = (expired ? "expired token of " : "user ") + user + at;
    session.Annotate(CallsAs{name, expired ? "" : user, expired});
  } else if (certified) {
    name = (user.empty() ? "certificate of no user" : "certificate of " + user) + at;
    session.Annotate(CallsAs{name, user});
  } else {
    const bool wrong = token != AttemptSession::kNoToken;
    if (wrong) client.SetToken(token);
    name = "token " + token + at;
    session.Annotate(CallsAs{name, "", wrong});
  }
  const bool of_user = !token.empty() || !user.empty();
  for (const Step& call : calls) {
    if (session.GivesUp()) break;
    const AnyRequest request = WireRequestOf(context, call);
    const Result<Bytes> answer =
        client.Call(session.recording(), request.method, request.message.bytes(), name);
    NoteRevision(context, answer);
    if (answer.has_value()) continue;
    const bool of_operator = call.As<OperatorStep>() != nullptr;
    if (!IsJudged(answer.error(), of_user, of_operator)) return answer.error();
  }
  return {};
}

}  // namespace watchproof
