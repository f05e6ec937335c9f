// SPDX-License-Identifier: Apache-2.0
// Saves a snapshot of what a member has, as `etcdctl snapshot save` does.
//
//   WP_RETURN_IF_ERROR(SaveSnapshot({endpoint, Within(20s)}, folder / "saved.db"));
//
// Threads: any; it blocks until the snapshot is there, or until the deadline.
#pragma once

#include <filesystem>

#include "harness/base/status.h"
#include "harness/targets/probe_members.h"

namespace watchproof {

// The file, with the sum at its end that the member sends. The error names what failed.
Status SaveSnapshot(const MemberCall& call, const std::filesystem::path& file);

}  // namespace watchproof
