// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_users.h"

#include <algorithm>

#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "harness/targets/probe_call.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;

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

}  // namespace watchproof
