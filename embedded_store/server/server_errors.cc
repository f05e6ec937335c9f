// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/server_errors.h"

namespace watchproof::store {

Status ErrNoSpace() {
  return Status(StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded");
}
Status ErrCorrupt() { return Status(StatusCode::kDataLoss, "etcdserver: corrupt cluster"); }
Status ErrBadLeaderTransferee() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: bad leader transferee");
}
Status ErrInvalidDowngradeTarget() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: invalid downgrade target version");
}
Status ErrNoDowngradeInFlight() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: no inflight downgrade job");
}
Status ErrMemberNotFound() { return Status(StatusCode::kNotFound, "etcdserver: member not found"); }
Status ErrMemberNotLearner() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: can only promote a learner member");
}

}  // namespace watchproof::store
