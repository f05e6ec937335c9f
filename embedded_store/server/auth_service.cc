// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/auth_service.h"

#include <utility>

#include "embedded_store/auth/auth_errors.h"
#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

Result<Permission> FromWire(const authpb::Permission& wire) {
  if (!authpb::Permission::Type_IsValid(wire.permtype())) return ErrInvalidAuthManagement();
  return Permission{.right = static_cast<Right>(wire.permtype()),
                    .range = {wire.key(), wire.range_end()}};
}

void ToWire(Permission permission, authpb::Permission* wire) {
  wire->set_permtype(static_cast<authpb::Permission::Type>(permission.right));
  wire->set_key(std::move(permission.range.begin));
  wire->set_range_end(std::move(permission.range.end));
}

}  // namespace

template <typename Response>
AuthService::Reactor* AuthService::Answer(Context* context, const Status& status,
                                          Response* response) {
  if (status.ok()) FillHeader(store_.current(), response->mutable_header());
  return Finish(context, backend_, auth_.last_change(), status);
}

template <typename Change, typename Response>
AuthService::Reactor* AuthService::Apply(Context* context, Response* response,
                                         const Change& change) {
  if (Status no = gate_.AdmitRoot(*context); !no.ok()) return Answer(context, no, response);
  if (Status refused = change(); !refused.ok()) return Answer(context, refused, response);
  FillHeader(store_.current(), response->mutable_header());
  Reactor* reactor = context->DefaultReactor();
  const Ticket ticket = auth_.last_change();
  hub_.Post([this, reactor, ticket](WatchHub& hub, TimePoint) {
    hub.EndWhere([this](const WatchSpec& spec) { return gate_.JudgeWatch(spec); });
    Finish(reactor, backend_, ticket, Status());
  });
  return reactor;
}

AuthService::Reactor* AuthService::AuthEnable(Context* context, const pb::AuthEnableRequest*,
                                              pb::AuthEnableResponse* response) {
  return Apply(context, response, [&] { return auth_.Enable(); });
}

AuthService::Reactor* AuthService::AuthDisable(Context* context, const pb::AuthDisableRequest*,
                                               pb::AuthDisableResponse* response) {
  return Apply(context, response, [&] { return auth_.Disable(); });
}

AuthService::Reactor* AuthService::AuthStatus(Context* context, const pb::AuthStatusRequest*,
                                              pb::AuthStatusResponse* response) {
  const Status no = gate_.AdmitRoot(*context);
  if (no.ok()) {
    response->set_enabled(auth_.enabled());
    response->set_authrevision(auth_.revision());
  }
  return Answer(context, no, response);
}

AuthService::Reactor* AuthService::Authenticate(Context* context,
                                                const pb::AuthenticateRequest* request,
                                                pb::AuthenticateResponse* response) {
  auto token = auth_.Authenticate(request->name(), request->password(), Clock::now());
  if (!token) return Answer(context, token.error(), response);
  response->set_token(*std::move(token));
  return Answer(context, Status(), response);
}

AuthService::Reactor* AuthService::UserAdd(Context* context, const pb::AuthUserAddRequest* request,
                                           pb::AuthUserAddResponse* response) {
  return Apply(context, response, [&] {
    return auth_.AddUser({.name = request->name(),
                          .password = request->password(),
                          .no_password = request->options().no_password()});
  });
}

AuthService::Reactor* AuthService::UserGet(Context* context, const pb::AuthUserGetRequest* request,
                                           pb::AuthUserGetResponse* response) {
  const Status no = gate_.AdmitRootOrUser(*context, request->name());
  if (!no.ok()) return Answer(context, no, response);
  auto roles = auth_.RolesOf(request->name());
  if (!roles) return Answer(context, roles.error(), response);
  for (std::string& role : *roles) response->add_roles(std::move(role));
  return Answer(context, Status(), response);
}

AuthService::Reactor* AuthService::UserList(Context* context, const pb::AuthUserListRequest*,
                                            pb::AuthUserListResponse* response) {
  const Status no = gate_.AdmitRoot(*context);
  if (no.ok()) {
    for (std::string& user : auth_.Users()) response->add_users(std::move(user));
  }
  return Answer(context, no, response);
}

AuthService::Reactor* AuthService::UserDelete(Context* context,
                                              const pb::AuthUserDeleteRequest* request,
                                              pb::AuthUserDeleteResponse* response) {
  return Apply(context, response, [&] { return auth_.DeleteUser(request->name()); });
}

AuthService::Reactor* AuthService::UserChangePassword(
    Context* context, const pb::AuthUserChangePasswordRequest* request,
    pb::AuthUserChangePasswordResponse* response) {
  return Apply(context, response,
               [&] { return auth_.ChangePassword(request->name(), request->password()); });
}

AuthService::Reactor* AuthService::UserGrantRole(Context* context,
                                                 const pb::AuthUserGrantRoleRequest* request,
                                                 pb::AuthUserGrantRoleResponse* response) {
  return Apply(context, response,
               [&] { return auth_.GrantRole(request->user(), request->role()); });
}

AuthService::Reactor* AuthService::UserRevokeRole(Context* context,
                                                  const pb::AuthUserRevokeRoleRequest* request,
                                                  pb::AuthUserRevokeRoleResponse* response) {
  return Apply(context, response,
               [&] { return auth_.RevokeRole(request->name(), request->role()); });
}

AuthService::Reactor* AuthService::RoleAdd(Context* context, const pb::AuthRoleAddRequest* request,
                                           pb::AuthRoleAddResponse* response) {
  return Apply(context, response, [&] { return auth_.AddRole(request->name()); });
}

AuthService::Reactor* AuthService::RoleGet(Context* context, const pb::AuthRoleGetRequest* request,
                                           pb::AuthRoleGetResponse* response) {
  const Status no = gate_.AdmitRootOrHolder(*context, request->role());
  if (!no.ok()) return Answer(context, no, response);
  auto permissions = auth_.PermissionsOf(request->role());
  if (!permissions) return Answer(context, permissions.error(), response);
  for (Permission& permission : *permissions) ToWire(std::move(permission), response->add_perm());
  return Answer(context, Status(), response);
}

AuthService::Reactor* AuthService::RoleList(Context* context, const pb::AuthRoleListRequest*,
                                            pb::AuthRoleListResponse* response) {
  const Status no = gate_.AdmitRoot(*context);
  if (no.ok()) {
    for (std::string& role : auth_.Roles()) response->add_roles(std::move(role));
  }
  return Answer(context, no, response);
}

AuthService::Reactor* AuthService::RoleDelete(Context* context,
                                              const pb::AuthRoleDeleteRequest* request,
                                              pb::AuthRoleDeleteResponse* response) {
  return Apply(context, response, [&] { return auth_.DeleteRole(request->role()); });
}

AuthService::Reactor* AuthService::RoleGrantPermission(
    Context* context, const pb::AuthRoleGrantPermissionRequest* request,
    pb::AuthRoleGrantPermissionResponse* response) {
  return Apply(context, response, [&]() -> Status {
    if (!request->has_perm()) return ErrPermissionNotGiven();
    WP_ASSIGN_OR_RETURN(const Permission permission, FromWire(request->perm()));
    return auth_.GrantPermission(request->name(), permission);
  });
}

AuthService::Reactor* AuthService::RoleRevokePermission(
    Context* context, const pb::AuthRoleRevokePermissionRequest* request,
    pb::AuthRoleRevokePermissionResponse* response) {
  return Apply(context, response, [&] {
    return auth_.RevokePermission(request->role(), {request->key(), request->range_end()});
  });
}

}  // namespace watchproof::store
