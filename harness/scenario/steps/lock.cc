// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/lock.h"

#include <memory>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<ClaimStep, AwaitClaimsStep, ReleaseStep, GuardedPutStep> kLocks;

// A claim may have to wait for others.
constexpr Duration kClaimLimit = 20s;
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
Caller CallerWith(StepContext& context, const std::string& name, const std::string& lease) {
  AttemptSession& session = context.session();
  const std::string there =
      context.environment().endpoint(Path::kDirect, session.member()).ToString();
  auto client = std::make_shared<CallClient>(MakeChannel(there), CallLimits{.each = kClaimLimit});
  client->SetToken(session.kv().token());
  const std::int64_t id = context.leases().at(lease);
  return {std::move(client), "caller " + lease, id, KeyOf(session.Placed(name), id)};
}

}  // namespace

Status ClaimStep::Run(StepContext& context) const {
  Recorder& recorder = context.session().recording();
  const Caller caller = CallerWith(context, name, lease);
  Message request;
  request.Text(1, context.session().Placed(name)).Number(2, caller.lease);
  PutRequest put{.key = caller.key, .lease = caller.lease};
  if (election) {
    put.value = caller.name;
    request.Text(3, put.value);
  }
  const Method method = election ? Method::kCampaign : Method::kLock;
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

Status AwaitClaimsStep::Run(StepContext& context) const {
  const std::string first = context.session().Placed(name) + "/";
  Status trouble;
  context.Await(fmt::format("{} claims to {}", count, name), StepContext::kPatience, [&] {
    const auto claims = context.session().kv().Count(first, EndOfPrefix(first));
    if (!claims.has_value()) trouble = claims.error();
    return !claims.has_value() || *claims == count;
  });
  return trouble;
}

Status ReleaseStep::Run(StepContext& context) const {
  const Caller caller = CallerWith(context, name, lease);
  Recorder& recorder = context.session().recording();
  const std::string placed = context.session().Placed(name);
  WP_ASSIGN_OR_RETURN(const std::int64_t created,
                      context.session().kv().CreateRevision(caller.key));
  RecordByService(recorder, Method::kDeleteRange, ToMessage(DeleteRequest{.key = caller.key}));
  Message request;
  if (election) {
    request.Nested(
        1,
        Message().Text(1, placed).Text(2, caller.key).Number(3, created).Number(4, caller.lease));
  } else {
    request.Text(1, caller.key);
  }
  const auto answer = caller.client->Call(recorder, election ? Method::kResign : Method::kUnlock,
                                          request.bytes(), caller.name);
  if (!answer.has_value()) return answer.error();
  HeaderView header;
  WP_RETURN_IF_ERROR(ParseHeader(answer->view(), header));
  context.NoteHead(Revision(header.revision));
  return {};
}

Status GuardedPutStep::Run(StepContext& context) const {
  const Caller caller = CallerWith(context, name, lease);
  KvClient& kv = context.session().kv();
  WP_ASSIGN_OR_RETURN(const std::int64_t created, kv.CreateRevision(caller.key));
  return context.NoteHead(kv.Transact(
      {.compares = {{.key = caller.key, .target = CompareTarget::kCreate, .number = created}},
       .success = {PutRequest{.key = context.session().Placed(key), .value = caller.name}}}));
}

}  // namespace watchproof
