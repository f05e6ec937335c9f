// SPDX-License-Identifier: Apache-2.0
// The refusals of the store, its users and its server, with etcd's codes and words: clients
// recognise them by both.
//
// Threads: any.
#pragma once

#include <string_view>

#include "harness/base/status.h"

namespace watchproof::store {

// Most of etcd's texts begin with its name.
inline Status Refused(StatusCode code, std::string_view text) {
  return Fail(code, "etcdserver: {}", text);
}
inline Status Invalid(std::string_view text) { return Refused(StatusCode::kInvalidArgument, text); }
inline Status Unmet(std::string_view text) {
  return Refused(StatusCode::kFailedPrecondition, text);
}
inline Status BeyondRange(std::string_view text) { return Refused(StatusCode::kOutOfRange, text); }

// Requests.

inline Status ErrCompacted() { return BeyondRange("mvcc: required revision has been compacted"); }
inline Status ErrFutureRevision() {
  return BeyondRange("mvcc: required revision is a future revision");
}
inline Status ErrEmptyKey() { return Invalid("key is not provided"); }
inline Status ErrKeyNotFound() { return Invalid("key not found"); }
inline Status ErrValueProvided() { return Invalid("value is provided"); }
inline Status ErrLeaseProvided() { return Invalid("lease is provided"); }
inline Status ErrLeaseNotFound() {
  return Refused(StatusCode::kNotFound, "requested lease not found");
}
inline Status ErrLeaseExists() { return Unmet("lease already exists"); }
inline Status ErrLeaseTtlTooLarge() { return BeyondRange("too large lease TTL"); }
inline Status ErrDuplicateKey() { return Invalid("duplicate key given in txn request"); }
inline Status ErrTooManyOperations() { return Invalid("too many operations in txn request"); }
inline Status ErrRequestTooLarge() { return Invalid("request is too large"); }
inline Status ErrInvalidSortOption() { return Invalid("invalid sort option"); }

// Users, roles and rights.

inline Status ErrRootUserMissing() { return Unmet("root user does not exist"); }
inline Status ErrRootRoleMissing() { return Unmet("root user does not have root role"); }
inline Status ErrUserExists() { return Unmet("user name already exists"); }
inline Status ErrUserEmpty() { return Invalid("user name is empty"); }
// Not etcd's, which takes names of any length.
inline Status ErrNameTooLong() {
  return {StatusCode::kInvalidArgument, "auth: the name of a user or role is too long"};
}
inline Status ErrUserNotFound() { return Unmet("user name not found"); }
// etcd has no wire form for this one, so its clients see the unknown code and the inner words.
inline Status ErrNoPasswordUser() {
  return {StatusCode::kUnknown,
          "auth: authentication failed, password was given for no password user"};
}
inline Status ErrRoleExists() { return Unmet("role name already exists"); }
inline Status ErrRoleEmpty() { return Invalid("role name is empty"); }
inline Status ErrRoleNotFound() { return Unmet("role name not found"); }
inline Status ErrRoleNotGranted() { return Unmet("role is not granted to the user"); }
inline Status ErrAuthFailed() {
  return Invalid("authentication failed, invalid user ID or password");
}
inline Status ErrAuthNotEnabled() { return Unmet("authentication is not enabled"); }
inline Status ErrAuthOldRevision() { return Invalid("revision of auth store is old"); }
inline Status ErrInvalidAuthManagement() { return Invalid("invalid auth management"); }
inline Status ErrInvalidAuthToken() {
  return Refused(StatusCode::kUnauthenticated, "invalid auth token");
}
inline Status ErrPermissionDenied() {
  return Refused(StatusCode::kPermissionDenied, "permission denied");
}
inline Status ErrPermissionNotGiven() { return Invalid("permission not given"); }
inline Status ErrPermissionNotGranted() { return Unmet("permission is not granted to the role"); }

// The server as such.

inline Status ErrNoSpace() {
  return Refused(StatusCode::kResourceExhausted, "mvcc: database space exceeded");
}
inline Status ErrCorrupt() { return Refused(StatusCode::kDataLoss, "corrupt cluster"); }
inline Status ErrBadLeaderTransferee() { return Unmet("bad leader transferee"); }
inline Status ErrInvalidDowngradeTarget() { return Invalid("invalid downgrade target version"); }
inline Status ErrDowngradeFormat() { return Invalid("wrong downgrade target version format"); }
inline Status ErrDowngradeInProcess() { return Unmet("cluster has a downgrade job in progress"); }
inline Status ErrUnknownMethod() { return Refused(StatusCode::kUnknown, "unknown method"); }
inline Status ErrStreamSorted() {
  return {StatusCode::kUnimplemented, "RangeStream does not support custom sort orders"};
}
inline Status ErrStreamBounded() {
  return {StatusCode::kUnimplemented, "RangeStream does not support revision filters"};
}
inline Status ErrMemberNotFound() { return Refused(StatusCode::kNotFound, "member not found"); }
inline Status ErrMemberNotLearner() { return Unmet("can only promote a learner member"); }

}  // namespace watchproof::store
