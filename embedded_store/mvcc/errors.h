// SPDX-License-Identifier: Apache-2.0
// The refusals of the store, with etcd's codes and words: clients recognise them by both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

Status ErrCompacted();
Status ErrFutureRevision();
Status ErrEmptyKey();
Status ErrKeyNotFound();
Status ErrValueProvided();
Status ErrLeaseProvided();
Status ErrLeaseNotFound();
Status ErrLeaseExists();
Status ErrLeaseTtlTooLarge();
Status ErrDuplicateKey();
Status ErrTooManyOperations();
Status ErrRequestTooLarge();
Status ErrInvalidSortOption();

}  // namespace watchproof::store
