// SPDX-License-Identifier: Apache-2.0
// The refusals of a server as such, with etcd's codes and words: clients recognise them by both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

Status ErrNoSpace();
Status ErrCorrupt();
Status ErrBadLeaderTransferee();
Status ErrInvalidDowngradeTarget();
Status ErrNoDowngradeInFlight();
Status ErrMemberNotFound();
Status ErrMemberNotLearner();

}  // namespace watchproof::store
