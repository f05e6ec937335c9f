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
std::string RoleOf(const std::string& user) { return "may read as " + user; }
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
    if (!token_.empty()) context.AddMetadata("token", token_);
    return FromRpcStatus((*stub_.*rpc)(&context, request, &response));
  }
  void SetToken(const std::string& token) { token_ = token; }
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
  std::string token_;  // of root, once authentication is enabled
};

AuthClient::AuthClient(const std::string& endpoint) : impl_(std::make_unique<Impl>(endpoint)) {}
AuthClient::~AuthClient() = default;

Status AuthClient::AddUser(const std::string& user) {
  const std::string role = RoleOf(user);
  WP_RETURN_IF_ERROR(impl_->AddRole(role));
  return impl_->AddUser(user, role);
}

Status AuthClient::PermitReading(const std::string& user, const std::string& key,
                                 const std::string& range_end) {
  pb::AuthRoleGrantPermissionRequest grant;
  grant.set_name(RoleOf(user));
  grant.mutable_perm()->set_permtype(authpb::Permission::READ);
  grant.mutable_perm()->set_key(key);
  grant.mutable_perm()->set_range_end(range_end);
  pb::AuthRoleGrantPermissionResponse granted;
  return impl_->Call(grant, granted, &pb::Auth::Stub::RoleGrantPermission);
}

Result<std::string> AuthClient::Enable() {
  WP_RETURN_IF_ERROR(impl_->AddRole(kRoot));
  WP_RETURN_IF_ERROR(impl_->AddUser(kRoot, kRoot));
  pb::AuthEnableResponse enabled;
  WP_RETURN_IF_ERROR(impl_->Call(pb::AuthEnableRequest(), enabled, &pb::Auth::Stub::AuthEnable));
  WP_ASSIGN_OR_RETURN(std::string token, LogIn(kRoot));
  impl_->SetToken(token);
  return token;
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
