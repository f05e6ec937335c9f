// SPDX-License-Identifier: Apache-2.0
// The refusals of a server as such, with etcd's codes and words: clients recognise them by both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

inline Status ErrNoSpace() {
  return {StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"};
}
inline Status ErrCorrupt() { return {StatusCode::kDataLoss, "etcdserver: corrupt cluster"}; }
inline Status ErrBadLeaderTransferee() {
  return {StatusCode::kFailedPrecondition, "etcdserver: bad leader transferee"};
}
inline Status ErrInvalidDowngradeTarget() {
  return {StatusCode::kInvalidArgument, "etcdserver: invalid downgrade target version"};
}
inline Status ErrDowngradeFormat() {
  return {StatusCode::kInvalidArgument, "etcdserver: wrong downgrade target version format"};
}
inline Status ErrDowngradeInProcess() {
  return {StatusCode::kFailedPrecondition, "etcdserver: cluster has a downgrade job in progress"};
}
inline Status ErrUnknownMethod() { return {StatusCode::kUnknown, "etcdserver: unknown method"}; }
inline Status ErrStreamSorted() {
  return {StatusCode::kUnimplemented, "RangeStream does not support custom sort orders"};
}
inline Status ErrStreamBounded() {
  return {StatusCode::kUnimplemented, "RangeStream does not support revision filters"};
}
inline Status ErrMemberNotFound() {
  return {StatusCode::kNotFound, "etcdserver: member not found"};
}
inline Status ErrMemberNotLearner() {
  return {StatusCode::kFailedPrecondition, "etcdserver: can only promote a learner member"};
}

}  // namespace watchproof::store
