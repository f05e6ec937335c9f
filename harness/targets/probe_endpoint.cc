// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_endpoint.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_call.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;

// The default prefix of the keys of a Kubernetes API server.
constexpr const char* kKubernetes = "/registry/";

Result<std::int64_t> Count(const Endpoint& endpoint, const std::string& token,
                           const std::string& prefix, Deadline deadline) {
  pb::RangeRequest request;
  request.set_key(prefix);
  request.set_range_end(EndOf(prefix));
  request.set_count_only(true);
  WP_ASSIGN_OR_RETURN(const pb::RangeResponse response,
                      Call(OwnChannel(endpoint), {token, deadline}, request, &pb::KV::Stub::Range));
  return response.count();
}

Result<std::string> ReadPassword(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream read;
  read << stream.rdbuf();
  std::string password = read.str();
  while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) {
    password.pop_back();
  }
  if (stream.is_open() && !password.empty()) return password;
  return Fail(StatusCode::kInvalidArgument, "--password-file {}: expected a password in it", file);
}

// Asks for a put under a condition that never holds: it needs the right to write, and writes
// nothing.
Status AskToWrite(const Endpoint& endpoint, const std::string& token, Deadline deadline) {
  pb::TxnRequest request;
  pb::Compare& never = *request.add_compare();
  never.set_key("watchproof/head");
  never.set_target(pb::Compare::VERSION);
  never.set_result(pb::Compare::LESS);
  never.set_version(0);
  request.add_success()->mutable_request_put()->set_key("watchproof/head");
  return StatusOf(Call(OwnChannel(endpoint), {token, deadline}, request, &pb::KV::Stub::Txn));
}

Status NeedsUser(const Status& answer) {
  return Fail(StatusCode::kUnauthenticated,
              "it requires a user; name one with --user NAME and --password-file FILE ({})",
              answer.message());
}

Status NeedsRights(std::string_view call, const Status& answer) {
  return Fail(StatusCode::kPermissionDenied,
              "the user may not {} below watchproof/, where a run has its keys; expected a role "
              "with `etcdctl role grant-permission ROLE readwrite watchproof/ --prefix` ({})",
              call, answer.message());
}

constexpr const char* kRoot = "root";
constexpr const char* kPassword = "of one attempt";

// Each call fails where another member has been faster; the login shows whether all is done.
void Enable(const std::shared_ptr<grpc::Channel>& channel, const Caller& caller) {
  pb::AuthRoleAddRequest role;
  role.set_name(kRoot);
  static_cast<void>(Call(channel, caller, role, &pb::Auth::Stub::RoleAdd));
  pb::AuthUserAddRequest user;
  user.set_name(kRoot);
  user.set_password(kPassword);
  static_cast<void>(Call(channel, caller, user, &pb::Auth::Stub::UserAdd));
  pb::AuthUserGrantRoleRequest grant;
  grant.set_user(kRoot);
  grant.set_role(kRoot);
  static_cast<void>(Call(channel, caller, grant, &pb::Auth::Stub::UserGrantRole));
  static_cast<void>(Call(channel, caller, pb::AuthEnableRequest(), &pb::Auth::Stub::AuthEnable));
}

}  // namespace

Result<std::string> LogIn(const Endpoint& endpoint, const ServerAccess& access, Deadline deadline) {
  if (access.user.empty()) return std::string();
  pb::AuthenticateRequest request;
  request.set_name(access.user);
  WP_ASSIGN_OR_RETURN(*request.mutable_password(), ReadPassword(access.password_file));
  const auto answer =
      Call(OwnChannel(endpoint), {.deadline = deadline}, request, &pb::Auth::Stub::Authenticate);
  if (answer.has_value()) return answer->token();
  const Status& done = answer.error();
  if (done.code() == StatusCode::kUnavailable || done.code() == StatusCode::kDeadlineExceeded) {
    return done;
  }
  if (done.code() == StatusCode::kFailedPrecondition) {
    return Fail(StatusCode::kUnauthenticated, "it does not require a user; leave --user out ({})",
                done.message());
  }
  return Fail(StatusCode::kUnauthenticated,
              "it rejects user {} with the password in {} (--user, --password-file): {}",
              access.user, access.password_file, done.message());
}

Result<std::string> TokenOfRoot(const Endpoint& endpoint, Deadline deadline) {
  const std::shared_ptr<grpc::Channel> channel = OwnChannel(endpoint);
  pb::AuthenticateRequest request;
  request.set_name(kRoot);
  request.set_password(kPassword);
  for (;;) {
    const Caller caller{.deadline = Within(std::min<Duration>(deadline.remaining(), 1s))};
    Enable(channel, caller);
    const auto answer = Call(channel, caller, request, &pb::Auth::Stub::Authenticate);
    if (answer.has_value()) return answer->token();
    if (deadline.expired()) {
      return answer.error().WithContext("enabling authentication on {}", endpoint.ToString());
    }
  }
}

bool NeedsOtherUser(StatusCode code) {
  return code == StatusCode::kInvalidArgument || code == StatusCode::kUnauthenticated ||
         code == StatusCode::kPermissionDenied;
}

Status CheckServes(const Endpoint& endpoint, const std::string& token, Deadline deadline) {
  const Result<std::int64_t> count = Count(endpoint, token, "watchproof/", deadline);
  const Status read = StatusOf(count);
  // Any other trouble with reads is for the cases to find.
  if (NeedsOtherUser(read.code())) {
    return token.empty() ? NeedsUser(read) : NeedsRights("read (KV/Range)", read);
  }
  const Status write = AskToWrite(endpoint, token, deadline);
  return write.code() == StatusCode::kPermissionDenied ? NeedsRights("write (KV/Put)", write)
                                                       : Status();
}

Result<EndpointView> LookAt(const TargetSpec& spec, Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const auto target, MakeTarget(spec));
  WP_RETURN_IF_ERROR(target->Start({.host = "127.0.0.1", .folder = {}, .deadline = deadline}));
  EndpointView view{.version = target->version()};
  WP_ASSIGN_OR_RETURN(const ServerStatus status, target->Ask(deadline));
  view.cluster = status.cluster;
  // A user without permission to read these keys cannot damage them.
  const auto keys = Count(target->endpoint(), target->token(), kKubernetes, deadline);
  view.kubernetes = keys.has_value() && *keys > 0;
  return view;
}

Result<std::int64_t> Sweep(const TargetSpec& spec, const std::string& prefix, Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const auto target, MakeTarget(spec));
  WP_RETURN_IF_ERROR(target->Start({.host = "127.0.0.1", .folder = {}, .deadline = deadline}));
  pb::DeleteRangeRequest request;
  request.set_key(prefix);
  request.set_range_end(EndOf(prefix));
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const auto response,
                      Call(OwnChannel(target->endpoint()), {target->token(), deadline}, request,
                           &pb::KV::Stub::DeleteRange));
  return Count(target->endpoint(), target->token(), prefix, deadline);
}

}  // namespace watchproof
