// SPDX-License-Identifier: Apache-2.0
// The refusals of the store, with etcd's codes and words: clients recognise them by both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

inline Status ErrCompacted() {
  return {StatusCode::kOutOfRange, "etcdserver: mvcc: required revision has been compacted"};
}
inline Status ErrFutureRevision() {
  return {StatusCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"};
}
inline Status ErrEmptyKey() {
  return {StatusCode::kInvalidArgument, "etcdserver: key is not provided"};
}
inline Status ErrKeyNotFound() {
  return {StatusCode::kInvalidArgument, "etcdserver: key not found"};
}
inline Status ErrValueProvided() {
  return {StatusCode::kInvalidArgument, "etcdserver: value is provided"};
}
inline Status ErrLeaseProvided() {
  return {StatusCode::kInvalidArgument, "etcdserver: lease is provided"};
}
inline Status ErrLeaseNotFound() {
  return {StatusCode::kNotFound, "etcdserver: requested lease not found"};
}
inline Status ErrLeaseExists() {
  return {StatusCode::kFailedPrecondition, "etcdserver: lease already exists"};
}
inline Status ErrLeaseTtlTooLarge() {
  return {StatusCode::kOutOfRange, "etcdserver: too large lease TTL"};
}
inline Status ErrDuplicateKey() {
  return {StatusCode::kInvalidArgument, "etcdserver: duplicate key given in txn request"};
}
inline Status ErrTooManyOperations() {
  return {StatusCode::kInvalidArgument, "etcdserver: too many operations in txn request"};
}
inline Status ErrRequestTooLarge() {
  return {StatusCode::kInvalidArgument, "etcdserver: request is too large"};
}
inline Status ErrInvalidSortOption() {
  return {StatusCode::kInvalidArgument, "etcdserver: invalid sort option"};
}

}  // namespace watchproof::store
