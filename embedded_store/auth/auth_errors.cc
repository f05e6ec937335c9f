// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/auth_errors.h"

namespace watchproof::store {

Status ErrRootUserMissing() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: root user does not exist");
}
Status ErrRootRoleMissing() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: root user does not have root role");
}
Status ErrUserExists() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: user name already exists");
}
Status ErrUserEmpty() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: user name is empty");
}
Status ErrNameTooLong() {
  return Status(StatusCode::kInvalidArgument, "auth: the name of a user or role is too long");
}
Status ErrUserNotFound() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: user name not found");
}
// etcd has no wire form for this one, so its clients see the unknown code and the inner words.
Status ErrNoPasswordUser() {
  return Status(StatusCode::kUnknown,
                "auth: authentication failed, password was given for no password user");
}
Status ErrRoleExists() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: role name already exists");
}
Status ErrRoleEmpty() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: role name is empty");
}
Status ErrRoleNotFound() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: role name not found");
}
Status ErrRoleNotGranted() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: role is not granted to the user");
}
Status ErrAuthFailed() {
  return Status(StatusCode::kInvalidArgument,
                "etcdserver: authentication failed, invalid user ID or password");
}
Status ErrAuthNotEnabled() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: authentication is not enabled");
}
Status ErrAuthOldRevision() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: revision of auth store is old");
}
Status ErrInvalidAuthManagement() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: invalid auth management");
}
Status ErrInvalidAuthToken() {
  return Status(StatusCode::kUnauthenticated, "etcdserver: invalid auth token");
}
Status ErrPermissionDenied() {
  return Status(StatusCode::kPermissionDenied, "etcdserver: permission denied");
}
Status ErrPermissionNotGiven() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: permission not given");
}
Status ErrPermissionNotGranted() {
  return Status(StatusCode::kFailedPrecondition,
                "etcdserver: permission is not granted to the role");
}

}  // namespace watchproof::store
