// SPDX-License-Identifier: Apache-2.0
// The refusals of users, roles and rights, with etcd's codes and words: clients recognise them by
// both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

inline Status ErrRootUserMissing() {
  return {StatusCode::kFailedPrecondition, "etcdserver: root user does not exist"};
}
inline Status ErrRootRoleMissing() {
  return {StatusCode::kFailedPrecondition, "etcdserver: root user does not have root role"};
}
inline Status ErrUserExists() {
  return {StatusCode::kFailedPrecondition, "etcdserver: user name already exists"};
}
inline Status ErrUserEmpty() {
  return {StatusCode::kInvalidArgument, "etcdserver: user name is empty"};
}
// Not etcd's, which takes names of any length.
inline Status ErrNameTooLong() {
  return {StatusCode::kInvalidArgument, "auth: the name of a user or role is too long"};
}
inline Status ErrUserNotFound() {
  return {StatusCode::kFailedPrecondition, "etcdserver: user name not found"};
}
// etcd has no wire form for this one, so its clients see the unknown code and the inner words.
inline Status ErrNoPasswordUser() {
  return {StatusCode::kUnknown,
          "auth: authentication failed, password was given for no password user"};
}
inline Status ErrRoleExists() {
  return {StatusCode::kFailedPrecondition, "etcdserver: role name already exists"};
}
inline Status ErrRoleEmpty() {
  return {StatusCode::kInvalidArgument, "etcdserver: role name is empty"};
}
inline Status ErrRoleNotFound() {
  return {StatusCode::kFailedPrecondition, "etcdserver: role name not found"};
}
inline Status ErrRoleNotGranted() {
  return {StatusCode::kFailedPrecondition, "etcdserver: role is not granted to the user"};
}
inline Status ErrAuthFailed() {
  return {StatusCode::kInvalidArgument,
          "etcdserver: authentication failed, invalid user ID or password"};
}
inline Status ErrAuthNotEnabled() {
  return {StatusCode::kFailedPrecondition, "etcdserver: authentication is not enabled"};
}
inline Status ErrAuthOldRevision() {
  return {StatusCode::kInvalidArgument, "etcdserver: revision of auth store is old"};
}
inline Status ErrInvalidAuthManagement() {
  return {StatusCode::kInvalidArgument, "etcdserver: invalid auth management"};
}
inline Status ErrInvalidAuthToken() {
  return {StatusCode::kUnauthenticated, "etcdserver: invalid auth token"};
}
inline Status ErrPermissionDenied() {
  return {StatusCode::kPermissionDenied, "etcdserver: permission denied"};
}
inline Status ErrPermissionNotGiven() {
  return {StatusCode::kInvalidArgument, "etcdserver: permission not given"};
}
inline Status ErrPermissionNotGranted() {
  return {StatusCode::kFailedPrecondition, "etcdserver: permission is not granted to the role"};
}

}  // namespace watchproof::store
