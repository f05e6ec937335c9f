// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/lock.h"

#include <algorithm>
#include <memory>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<ClaimStep, AwaitClaimStep, MustHoldStep, ReleaseStep, ProclaimStep,
                       AskLeaderStep, FollowLeadersStep, MustFollowStep, GuardedPutStep>
    kLocks;

// A claim may have to wait for others, and one of these until its lease ends.
constexpr Duration kClaimLimit = 30s;
constexpr Duration kHandedOn = 10s;
constexpr Duration kAnsweredWith = 2s;  // another call
constexpr const char* kService = "the service for locks";

std::string KeyOf(const std::string& placed, std::int64_t lease) {
  return fmt::format("{}/{:x}", placed, static_cast<std::uint64_t>(lease));
}

// What the server writes for itself, as a call without a certain outcome.
void RecordByService(Recorder& recorder, Method method, const Message& request) {
  const CallId call = recorder.NextCall();
  recorder.Append({.kind = EntryKind::kCallStarted,
                   .method = method,
                   .call = call,
                   .at = recorder.Now(),
                   .payload = Bytes::Take(std::string(request.bytes())),
                   .text = kService});
  recorder.Append({.kind = EntryKind::kCallEnded,
                   .method = method,
                   .code = StatusCode::kUnknown,
                   .call = call,
                   .at = recorder.Now(),
                   .text = "by the server, within another call"});
}

struct Caller {
  std::shared_ptr<CallClient> client;
  std::string name;  // in the recording
  std::int64_t lease = 0;
  std::string key;  // of its claim
};
std::shared_ptr<CallClient> ClientOf(StepContext& context, int member) {
  AttemptSession& session = context.session();
  const std::string there = context.environment().endpoint(Path::kDirect, member).ToString();
  CallLimits limits = session.LimitsOfCalls();
  limits.each = kClaimLimit;
  auto client = std::make_shared<CallClient>(MakeChannel(there), limits);
  client->SetToken(session.kv().token());
  return client;
}
Caller CallerWith(StepContext& context, const std::string& name, const std::string& lease) {
  const std::int64_t id = context.leases().at(lease);
  const auto claim = context.claims().find(lease);
  const int member =
      claim == context.claims().end() ? context.session().member() : claim->second.member;
  return {ClientOf(context, member), "caller " + lease, id,
          KeyOf(context.session().Placed(name), id)};
}

Message LeaderKey(const std::string& placed, const Caller& caller, std::int64_t created) {
  return Message().Text(1, placed).Text(2, caller.key).Number(3, created).Number(4, caller.lease);
}

// Whether it had to be refused is judged.
Status NoteAnswer(StepContext& context, const Result<Bytes>& answer) {
  if (!answer.has_value()) return IsNoAnswer(answer.error().code()) ? answer.error() : Status();
  HeaderView header;
  WP_RETURN_IF_ERROR(ParseHeader(answer->view(), header));
  context.NoteHead(Revision(header.revision));
  return {};
}

// The revision at which the key of its claim was created. 0: it is not there, and it is not known
// when it was.
Result<std::int64_t> CreationOf(StepContext& context, const Caller& caller,
                                const std::string& lease) {
  std::int64_t& created = context.claims()[lease].created;
  if (created > 0) return created;
  WP_ASSIGN_OR_RETURN(created, context.session().kv().CreateRevision(caller.key));
  created = std::max<std::int64_t>(created, 0);
  if (created == 0) context.Inconclusive(fmt::format("{} has no claim", caller.name));
  return created;
}

// The others that have not released it, and a lease. Shrinking may have left out what they did.
Result<std::size_t> OthersWithClaim(StepContext& context, const std::string& name,
                                    const std::string& lease) {
  std::size_t others = 0;
  for (const auto& [other, claim] : context.claims()) {
    if (other == lease || claim.name != name || claim.released) continue;
    WP_ASSIGN_OR_RETURN(const auto left,
                        context.session().kv().TimeLeft(context.leases().at(other)));
    if (left > 0s) ++others;
  }
  return others;
}

Status NoteNotHeld(StepContext& context, const std::string& lease, const Load& claim, bool lasts) {
  const bool ended = claim.done();
  const Status error = claim.last_error();
  WP_ASSIGN_OR_RETURN(const std::size_t others,
                      OthersWithClaim(context, context.claims()[lease].name, lease));
  const bool unanswered = ended && IsNoAnswer(error.code());
  if (unanswered || !lasts || others > 0) {
    context.Inconclusive(fmt::format("the claim with lease {}{}: {}, and there are {} others",
                                     lease, lasts ? "" : ", which has ended",
                                     ended ? error.ToString() : "it waits", others));
    return {};
  }
  context.session().Annotate(AnswerDiffers{
      .client = "caller " + lease,
      .expected = "what a caller with a lease claims to be given to it: no other caller has it, "
                  "or is before it",
      .observed =
          ended ? error.ToString()
                : fmt::format("no answer for {} s, while others were answered", kHandedOn / 1s)});
  return {};
}

}  // namespace

Status ClaimStep::Run(StepContext& context) const {
  Recorder& recorder = context.session().recording();
  const Caller caller = CallerWith(context, name, lease);
  Message request;
  request.Text(1, context.session().Placed(name)).Number(2, caller.lease);
  PutRequest put{.key = caller.key, .lease = caller.lease};
  if (to == Exclusion::kElection) {
    put.value = caller.name;
    request.Text(3, put.value);
  }
  const Method method = to == Exclusion::kElection ? Method::kCampaign : Method::kLock;
  context.claims()[lease] = {.name = name, .member = context.session().member(), .said = put.value};
  context.loads()[lease] = std::make_unique<Load>(
      1, 1, [&recorder, caller, method, request, put](std::size_t) -> Load::Call {
        return [&recorder, caller, method, request, put]() -> Result<Revision> {
          RecordByService(recorder, Method::kPut, ToMessage(put));
          const auto answer = caller.client->Call(recorder, method, request.bytes(), caller.name);
          if (!answer.has_value()) return answer.error();
          HeaderView header;
          WP_RETURN_IF_ERROR(ParseHeader(answer->view(), header));
          return Revision(header.revision);
        };
      });
  return {};
}

Status AwaitClaimStep::Run(StepContext& context) const {
  const std::string key = KeyOf(context.session().Placed(name), context.leases().at(lease));
  Status trouble;
  context.Await(fmt::format("the claim of {} to {}", lease, name), StepContext::kPatience, [&] {
    const auto claims = context.session().kv().Count(key, {});
    if (!claims.has_value()) trouble = claims.error();
    return !claims.has_value() || *claims > 0;
  });
  return trouble;
}

// A claim that was never made has nothing to get: shrinking may have left it out.
Status MustHoldStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const auto found = context.loads().find(lease);
  if (found == context.loads().end()) return {};
  const Load& claim = *found->second;
  const auto over = [&claim] { return claim.done(); };
  const auto held = [&claim] { return claim.done() && claim.lost() == 0; };
  session.PumpUntil(over, Within(kHandedOn));
  if (!held()) {
    if (session.GivesUp()) return {};
    // What held the whole target up is over once it answers.
    WP_ASSIGN_OR_RETURN(const auto left, session.kv().TimeLeft(context.leases().at(lease)));
    session.PumpUntil(over, Within(kAnsweredWith));
    if (!held()) WP_RETURN_IF_ERROR(NoteNotHeld(context, lease, claim, left > 0s));
  }
  context.NoteHead(claim.highest());
  return {};
}

Status ReleaseStep::Run(StepContext& context) const {
  const Caller caller = CallerWith(context, name, lease);
  Recorder& recorder = context.session().recording();
  const std::string placed = context.session().Placed(name);
  WP_ASSIGN_OR_RETURN(const std::int64_t created, CreationOf(context, caller, lease));
  if (created == 0) return {};
  context.claims()[lease].released = true;
  RecordByService(recorder, Method::kDeleteRange, ToMessage(DeleteRequest{.key = caller.key}));
  Message request;
  if (of == Exclusion::kElection) {
    request.Nested(1, LeaderKey(placed, caller, created));
  } else {
    request.Text(1, caller.key);
  }
  const Method method = of == Exclusion::kElection ? Method::kResign : Method::kUnlock;
  const auto answer = caller.client->Call(recorder, method, request.bytes(), caller.name);
  if (!answer.has_value()) return answer.error();
  return NoteAnswer(context, answer);
}

Status ProclaimStep::Run(StepContext& context) const {
  const Caller caller = CallerWith(context, name, lease);
  Recorder& recorder = context.session().recording();
  WP_ASSIGN_OR_RETURN(const std::int64_t created, CreationOf(context, caller, lease));
  if (created == 0) return {};
  const std::string said = value.Make();
  context.claims()[lease].said = said;
  RecordByService(recorder, Method::kPut,
                  ToMessage(PutRequest{.key = caller.key, .value = said, .lease = caller.lease}));
  const Message request =
      Message().Nested(1, LeaderKey(context.session().Placed(name), caller, created)).Text(2, said);
  return NoteAnswer(context,
                    caller.client->Call(recorder, Method::kProclaim, request.bytes(), caller.name));
}

Status AskLeaderStep::Run(StepContext& context) const {
  const Message request = Message().Text(1, context.session().Placed(name));
  const int member = context.session().member();
  return NoteAnswer(context, ClientOf(context, member)
                                 ->Call(context.session().recording(), Method::kLeader,
                                        request.bytes(), fmt::format("voter at {}", member)));
}

Status FollowLeadersStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const int member = session.member();
  const std::string there = context.environment().endpoint(Path::kDirect, member).ToString();
  auto& stream = context.voters()[voter];
  stream = nullptr;  // one at a time in the recording
  stream = std::make_unique<LeaderStream>(session.recording(),
                                          LeaderStreamOptions{.connection = MakeChannel(there),
                                                              .token = session.kv().token(),
                                                              .election = session.Placed(name),
                                                              .caller = "voter " + voter});
  return {};
}

// Shrinking may have left out the voter, or what the caller did to lead.
Status MustFollowStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const auto found = context.voters().find(voter);
  const auto claim = context.claims().find(lease);
  const auto won = context.loads().find(lease);
  if (found == context.voters().end() || claim == context.claims().end()) return {};
  if (won == context.loads().end() || !won->second->done() || won->second->lost() > 0) return {};
  const LeaderStream& stream = *found->second;
  const std::int64_t id = context.leases().at(lease);
  const std::string key = KeyOf(session.Placed(claim->second.name), id);
  const auto follows = [&] {
    const auto answer = stream.latest();
    LeaderResponseView leader;
    return answer && Parse(answer->view(), leader).ok() && leader.kv.key == key &&
           leader.kv.value == claim->second.said;
  };
  const auto over = [&] { return follows() || stream.ended(); };
  session.PumpUntil(over, Within(kHandedOn));
  if (follows() || session.GivesUp()) return {};
  // What held the whole target up is over once it answers.
  WP_ASSIGN_OR_RETURN(const auto left, session.kv().TimeLeft(id));
  session.PumpUntil(over, Within(kAnsweredWith));
  if (follows()) return {};
  const std::optional<Status> ended = stream.ended();
  const bool lost = ended && IsNoAnswer(ended->code());
  if (lost || left <= 0s || claim->second.released) {
    context.Inconclusive(fmt::format("voter {} does not follow the leader with lease {}: {}", voter,
                                     lease, lost ? ended->ToString() : "it has lost its office"));
    return {};
  }
  session.Annotate(AnswerDiffers{
      .client = "voter " + voter,
      .expected = "a stream of the leaders of an election to show the one that leads, with its "
                  "latest value",
      .observed = ended ? ended->ToString()
                        : fmt::format("it was silent for {} s, while others were answered",
                                      kHandedOn / 1s)});
  return {};
}

Status GuardedPutStep::Run(StepContext& context) const {
  const Caller caller = CallerWith(context, name, lease);
  WP_ASSIGN_OR_RETURN(const std::int64_t created, CreationOf(context, caller, lease));
  if (created == 0) return {};
  return context.NoteHead(context.session().kv().Transact(
      {.compares = {{.key = caller.key, .target = CompareTarget::kCreate, .number = created}},
       .success = {PutRequest{.key = context.session().Placed(key), .value = caller.name}}}));
}

}  // namespace watchproof
