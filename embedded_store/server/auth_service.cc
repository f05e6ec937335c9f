// SPDX-License-Identifier: Apache-2.0
// etcd's Auth service over the users and roles.
//
// A call that changes rights is answered when every watch that lost its right has ended, so nothing
// written after the answer is delivered to it.
#include <utility>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"

namespace watchproof::store {
namespace {

Result<Permission> PermissionFromWire(const authpb::Permission& wire) {
  if (!authpb::Permission::Type_IsValid(wire.permtype())) return ErrInvalidAuthManagement();
  return Permission{.right = static_cast<Right>(wire.permtype()),
                    .range = {wire.key(), wire.range_end()}};
}

void ToWire(Permission permission, authpb::Permission* wire) {
  wire->set_permtype(static_cast<authpb::Permission::Type>(permission.right));
  wire->set_key(std::move(permission.range.begin));
  wire->set_range_end(std::move(permission.range.end));
}

class AuthService final : public pb::Auth::CallbackService {
 public:
  explicit AuthService(ServiceParts& parts) : parts_(parts) {}

  Reactor* AuthEnable(Context* context, const pb::AuthEnableRequest*,
                      pb::AuthEnableResponse* response) override {
    return Apply(context, response, [&] { return parts_.users.Enable(); });
  }
  Reactor* AuthDisable(Context* context, const pb::AuthDisableRequest*,
                       pb::AuthDisableResponse* response) override {
    return Apply(context, response, [&] { return parts_.users.Disable(); });
  }
  Reactor* AuthStatus(Context* context, const pb::AuthStatusRequest*,
                      pb::AuthStatusResponse* response) override {
    return Show(context, parts_.gate.AdmitRoot(*context), response, [&]() -> Status {
      response->set_enabled(parts_.users.enabled());
      response->set_authrevision(parts_.users.revision());
      return {};
    });
  }
  Reactor* Authenticate(Context* context, const pb::AuthenticateRequest* request,
                        pb::AuthenticateResponse* response) override {
    return Show(context, Status(), response, [&]() -> Status {
      WP_ASSIGN_OR_RETURN(
          *response->mutable_token(),
          parts_.users.Authenticate(request->name(), request->password(), Clock::now()));
      return {};
    });
  }

  Reactor* UserAdd(Context* context, const pb::AuthUserAddRequest* request,
                   pb::AuthUserAddResponse* response) override {
    return Apply(context, response, [&] {
      return parts_.users.AddUser({.name = request->name(),
                                   .password = request->password(),
                                   .no_password = request->options().no_password()});
    });
  }
  Reactor* UserGet(Context* context, const pb::AuthUserGetRequest* request,
                   pb::AuthUserGetResponse* response) override {
    const Status admitted = parts_.gate.AdmitRootOrUser(*context, request->name());
    return Show(context, admitted, response, [&]() -> Status {
      WP_ASSIGN_OR_RETURN(const auto roles, parts_.users.RolesOf(request->name()));
      response->mutable_roles()->Assign(roles.begin(), roles.end());
      return {};
    });
  }
  Reactor* UserList(Context* context, const pb::AuthUserListRequest*,
                    pb::AuthUserListResponse* response) override {
    return Show(context, parts_.gate.AdmitRoot(*context), response, [&]() -> Status {
      const auto users = parts_.users.Users();
      response->mutable_users()->Assign(users.begin(), users.end());
      return {};
    });
  }
  Reactor* UserDelete(Context* context, const pb::AuthUserDeleteRequest* request,
                      pb::AuthUserDeleteResponse* response) override {
    return Apply(context, response, [&] { return parts_.users.DeleteUser(request->name()); });
  }
  Reactor* UserChangePassword(Context* context, const pb::AuthUserChangePasswordRequest* request,
                              pb::AuthUserChangePasswordResponse* response) override {
    return Apply(context, response,
                 [&] { return parts_.users.ChangePassword(request->name(), request->password()); });
  }
  Reactor* UserGrantRole(Context* context, const pb::AuthUserGrantRoleRequest* request,
                         pb::AuthUserGrantRoleResponse* response) override {
    return Apply(context, response,
                 [&] { return parts_.users.GrantRole(request->user(), request->role()); });
  }
  Reactor* UserRevokeRole(Context* context, const pb::AuthUserRevokeRoleRequest* request,
                          pb::AuthUserRevokeRoleResponse* response) override {
    return Apply(context, response,
                 [&] { return parts_.users.RevokeRole(request->name(), request->role()); });
  }

  Reactor* RoleAdd(Context* context, const pb::AuthRoleAddRequest* request,
                   pb::AuthRoleAddResponse* response) override {
    return Apply(context, response, [&] { return parts_.users.AddRole(request->name()); });
  }
  Reactor* RoleGet(Context* context, const pb::AuthRoleGetRequest* request,
                   pb::AuthRoleGetResponse* response) override {
    const Status admitted = parts_.gate.AdmitRootOrHolder(*context, request->role());
    return Show(context, admitted, response, [&]() -> Status {
      WP_ASSIGN_OR_RETURN(auto permissions, parts_.users.PermissionsOf(request->role()));
      for (Permission& each : permissions) ToWire(std::move(each), response->add_perm());
      return {};
    });
  }
  Reactor* RoleList(Context* context, const pb::AuthRoleListRequest*,
                    pb::AuthRoleListResponse* response) override {
    return Show(context, parts_.gate.AdmitRoot(*context), response, [&]() -> Status {
      const auto roles = parts_.users.Roles();
      response->mutable_roles()->Assign(roles.begin(), roles.end());
      return {};
    });
  }
  Reactor* RoleDelete(Context* context, const pb::AuthRoleDeleteRequest* request,
                      pb::AuthRoleDeleteResponse* response) override {
    return Apply(context, response, [&] { return parts_.users.DeleteRole(request->role()); });
  }
  Reactor* RoleGrantPermission(Context* context, const pb::AuthRoleGrantPermissionRequest* request,
                               pb::AuthRoleGrantPermissionResponse* response) override {
    return Apply(context, response, [&]() -> Status {
      if (!request->has_perm()) return ErrPermissionNotGiven();
      WP_ASSIGN_OR_RETURN(const Permission permission, PermissionFromWire(request->perm()));
      return parts_.users.GrantPermission(request->name(), permission);
    });
  }
  Reactor* RoleRevokePermission(Context* context,
                                const pb::AuthRoleRevokePermissionRequest* request,
                                pb::AuthRoleRevokePermissionResponse* response) override {
    return Apply(context, response, [&] {
      return parts_.users.RevokePermission(request->role(), {request->key(), request->range_end()});
    });
  }

 private:
  // Runs `fill` for a caller that is admitted; it sees changes that may not be safe yet.
  template <typename Fill, typename Response>
  Reactor* Show(Context* context, const Status& admitted, Response* response, const Fill& fill) {
    Reactor* reactor = context->DefaultReactor();
    const Status status = admitted.ok() ? fill() : admitted;
    if (status.ok()) FillHeader(parts_.store.current(), response->mutable_header());
    Finish(reactor, parts_.backend, parts_.users.last_change(), status);
    return reactor;
  }
  // Runs `change` for root, and answers when the watches have been judged again.
  template <typename Change, typename Response>
  Reactor* Apply(Context* context, Response* response, const Change& change) {
    Status status = parts_.gate.AdmitRoot(*context);
    if (status.ok()) status = change();
    if (!status.ok()) return Show(context, status, response, [] { return Status(); });
    FillHeader(parts_.store.current(), response->mutable_header());
    Reactor* reactor = context->DefaultReactor();
    parts_.hub.Post([this, reactor, ticket = parts_.users.last_change()](WatchHub& hub, TimePoint) {
      hub.EndWhere([this](const WatchSpec& spec) { return parts_.gate.JudgeWatch(spec); });
      Finish(reactor, parts_.backend, ticket, Status());
    });
    return reactor;
  }

  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAuthService(ServiceParts& parts) {
  return std::make_unique<AuthService>(parts);
}

}  // namespace watchproof::store
