// SPDX-License-Identifier: Apache-2.0
#include "harness/client/auth_client.h"

#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "harness/client/channel.h"

namespace watchproof {

namespace pb = etcdserverpb;

namespace {
constexpr Duration kCallLimit = 10s;
constexpr const char* kRoot = "root";

std::string PasswordOf(const std::string& user) { return "password of " + user; }
}  // namespace

class AuthClient::Impl {
 public:
  explicit Impl(const std::string& endpoint) : stub_(pb::Auth::NewStub(MakeChannel(endpoint))) {}

  template <typename Request, typename Response>
  Status Call(const Request& request, Response& response,
              grpc::Status (pb::Auth::Stub::*rpc)(grpc::ClientContext*, const Request&,
                                                  Response*)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
    context.set_wait_for_ready(true);
    return FromRpcStatus((*stub_.*rpc)(&context, request, &response));
  }
  Status AddUser(const std::string& user, const std::string& role) {
    pb::AuthUserAddRequest add;
    add.set_name(user);
    add.set_password(PasswordOf(user));
    pb::AuthUserAddResponse added;
    WP_RETURN_IF_ERROR(Call(add, added, &pb::Auth::Stub::UserAdd));
    pb::AuthUserGrantRoleRequest grant;
    grant.set_user(user);
    grant.set_role(role);
    pb::AuthUserGrantRoleResponse granted;
    return Call(grant, granted, &pb::Auth::Stub::UserGrantRole);
  }
  Status AddRole(const std::string& role) {
    pb::AuthRoleAddRequest add;
    add.set_name(role);
    pb::AuthRoleAddResponse added;
    return Call(add, added, &pb::Auth::Stub::RoleAdd);
  }

 private:
  const std::unique_ptr<pb::Auth::Stub> stub_;
};

AuthClient::AuthClient(const std::string& endpoint) : impl_(std::make_unique<Impl>(endpoint)) {}
AuthClient::~AuthClient() = default;

Status AuthClient::AddReader(const std::string& user, const std::string& key,
                             const std::string& range_end) {
  const std::string role = "may read as " + user;
  WP_RETURN_IF_ERROR(impl_->AddRole(role));
  pb::AuthRoleGrantPermissionRequest grant;
  grant.set_name(role);
  grant.mutable_perm()->set_permtype(authpb::Permission::READ);
  grant.mutable_perm()->set_key(key);
  grant.mutable_perm()->set_range_end(range_end);
  pb::AuthRoleGrantPermissionResponse granted;
  WP_RETURN_IF_ERROR(impl_->Call(grant, granted, &pb::Auth::Stub::RoleGrantPermission));
  return impl_->AddUser(user, role);
}

Result<std::string> AuthClient::Enable() {
  WP_RETURN_IF_ERROR(impl_->AddRole(kRoot));
  WP_RETURN_IF_ERROR(impl_->AddUser(kRoot, kRoot));
  pb::AuthEnableResponse enabled;
  WP_RETURN_IF_ERROR(impl_->Call(pb::AuthEnableRequest(), enabled, &pb::Auth::Stub::AuthEnable));
  return LogIn(kRoot);
}

Result<std::string> AuthClient::LogIn(const std::string& user) {
  pb::AuthenticateRequest request;
  request.set_name(user);
  request.set_password(PasswordOf(user));
  pb::AuthenticateResponse response;
  WP_RETURN_IF_ERROR(impl_->Call(request, response, &pb::Auth::Stub::Authenticate));
  return response.token();
}

}  // namespace watchproof
