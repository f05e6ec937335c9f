// SPDX-License-Identifier: Apache-2.0
// etcd's Auth service over the users and roles: convert, call, convert back.
//
// A call that changes rights is answered when every watch that lost its right has ended, so nothing
// written after the answer is delivered to it. Threads: gRPC calls it from many; a call that sets
// or compares a password keeps its thread for tens of milliseconds. Ownership: borrows its parts,
// which outlive it; hub and backend are stopped after the last call has ended.
#pragma once

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/gate.h"
#include "embedded_store/watch/hub_thread.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"

namespace watchproof::store {

class AuthService final : public etcdserverpb::Auth::CallbackService {
 public:
  AuthService(AuthStore& auth, const Gate& gate, MvccStore& store, HubThread& hub, Backend& backend)
      : auth_(auth), gate_(gate), store_(store), hub_(hub), backend_(backend) {}

  using Reactor = grpc::ServerUnaryReactor;
  using Context = grpc::CallbackServerContext;

  Reactor* AuthEnable(Context* context, const etcdserverpb::AuthEnableRequest* request,
                      etcdserverpb::AuthEnableResponse* response) override;
  Reactor* AuthDisable(Context* context, const etcdserverpb::AuthDisableRequest* request,
                       etcdserverpb::AuthDisableResponse* response) override;
  Reactor* AuthStatus(Context* context, const etcdserverpb::AuthStatusRequest* request,
                      etcdserverpb::AuthStatusResponse* response) override;
  Reactor* Authenticate(Context* context, const etcdserverpb::AuthenticateRequest* request,
                        etcdserverpb::AuthenticateResponse* response) override;

  Reactor* UserAdd(Context* context, const etcdserverpb::AuthUserAddRequest* request,
                   etcdserverpb::AuthUserAddResponse* response) override;
  Reactor* UserGet(Context* context, const etcdserverpb::AuthUserGetRequest* request,
                   etcdserverpb::AuthUserGetResponse* response) override;
  Reactor* UserList(Context* context, const etcdserverpb::AuthUserListRequest* request,
                    etcdserverpb::AuthUserListResponse* response) override;
  Reactor* UserDelete(Context* context, const etcdserverpb::AuthUserDeleteRequest* request,
                      etcdserverpb::AuthUserDeleteResponse* response) override;
  Reactor* UserChangePassword(Context* context,
                              const etcdserverpb::AuthUserChangePasswordRequest* request,
                              etcdserverpb::AuthUserChangePasswordResponse* response) override;
  Reactor* UserGrantRole(Context* context, const etcdserverpb::AuthUserGrantRoleRequest* request,
                         etcdserverpb::AuthUserGrantRoleResponse* response) override;
  Reactor* UserRevokeRole(Context* context, const etcdserverpb::AuthUserRevokeRoleRequest* request,
                          etcdserverpb::AuthUserRevokeRoleResponse* response) override;

  Reactor* RoleAdd(Context* context, const etcdserverpb::AuthRoleAddRequest* request,
                   etcdserverpb::AuthRoleAddResponse* response) override;
  Reactor* RoleGet(Context* context, const etcdserverpb::AuthRoleGetRequest* request,
                   etcdserverpb::AuthRoleGetResponse* response) override;
  Reactor* RoleList(Context* context, const etcdserverpb::AuthRoleListRequest* request,
                    etcdserverpb::AuthRoleListResponse* response) override;
  Reactor* RoleDelete(Context* context, const etcdserverpb::AuthRoleDeleteRequest* request,
                      etcdserverpb::AuthRoleDeleteResponse* response) override;
  Reactor* RoleGrantPermission(Context* context,
                               const etcdserverpb::AuthRoleGrantPermissionRequest* request,
                               etcdserverpb::AuthRoleGrantPermissionResponse* response) override;
  Reactor* RoleRevokePermission(Context* context,
                                const etcdserverpb::AuthRoleRevokePermissionRequest* request,
                                etcdserverpb::AuthRoleRevokePermissionResponse* response) override;

 private:
  // Each fills the header of the response where the status is ok.
  template <typename Response>
  Reactor* Answer(Context* context, const Status& status, Response* response);
  // Runs `change` for root, and answers when the watches have been judged again.
  template <typename Change, typename Response>
  Reactor* Apply(Context* context, Response* response, const Change& change);

  AuthStore& auth_;
  const Gate& gate_;
  MvccStore& store_;
  HubThread& hub_;
  Backend& backend_;
};

}  // namespace watchproof::store
