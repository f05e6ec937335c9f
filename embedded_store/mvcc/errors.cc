// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {

Status ErrCompacted() {
  return Status(StatusCode::kOutOfRange, "etcdserver: mvcc: required revision has been compacted");
}
Status ErrFutureRevision() {
  return Status(StatusCode::kOutOfRange,
                "etcdserver: mvcc: required revision is a future revision");
}
Status ErrEmptyKey() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: key is not provided");
}
Status ErrKeyNotFound() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: key not found");
}
Status ErrValueProvided() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: value is provided");
}
Status ErrLeaseProvided() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: lease is provided");
}
Status ErrLeaseNotFound() {
  return Status(StatusCode::kNotFound, "etcdserver: requested lease not found");
}
Status ErrLeaseExists() {
  return Status(StatusCode::kFailedPrecondition, "etcdserver: lease already exists");
}
Status ErrLeaseTtlTooLarge() {
  return Status(StatusCode::kOutOfRange, "etcdserver: too large lease TTL");
}
Status ErrDuplicateKey() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: duplicate key given in txn request");
}
Status ErrTooManyOperations() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: too many operations in txn request");
}
Status ErrRequestTooLarge() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: request is too large");
}
Status ErrInvalidSortOption() {
  return Status(StatusCode::kInvalidArgument, "etcdserver: invalid sort option");
}

}  // namespace watchproof::store
