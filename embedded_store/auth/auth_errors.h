// SPDX-License-Identifier: Apache-2.0
// The refusals of users, roles and rights, with etcd's codes and words: clients recognise them by
// both.
//
// Threads: any.
#pragma once

#include "harness/base/status.h"

namespace watchproof::store {

Status ErrRootUserMissing();
Status ErrRootRoleMissing();
Status ErrUserExists();
Status ErrUserEmpty();
// Not etcd's, which takes names of any length.
Status ErrNameTooLong();
Status ErrUserNotFound();
Status ErrNoPasswordUser();
Status ErrRoleExists();
Status ErrRoleEmpty();
Status ErrRoleNotFound();
Status ErrRoleNotGranted();
Status ErrAuthFailed();
Status ErrAuthNotEnabled();
Status ErrAuthOldRevision();
Status ErrInvalidAuthManagement();
Status ErrInvalidAuthToken();
Status ErrPermissionDenied();
Status ErrPermissionNotGiven();
Status ErrPermissionNotGranted();

}  // namespace watchproof::store
