// SPDX-License-Identifier: Apache-2.0
// Finds out what a running target offers, by asking it: never by its version number.
//
//   WP_ASSIGN_OR_RETURN(const Capabilities offered,
//                       ProbeCapabilities(target, {Capability::kFragment}, Within(5s)));
//
// Only what is wanted is asked for, since some answers cost a second or some revisions. Keys lie
// under a random prefix and are deleted afterwards; nothing is compacted. Ask before the recording
// begins: what is written here is in no history.
//
// Threads: any; blocks until everything is answered or the deadline.
#pragma once

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/capability.h"
#include "harness/targets/target.h"

namespace watchproof {

// Those of `wanted` that the target offers. kProxy is no matter of the target and never among them.
// Keys are written below the prefix, whose last byte is a slash; without one below a random one.
// An error means that the target does not do what every target must, or not in time.
Result<Capabilities> ProbeCapabilities(Target& target, const Capabilities& wanted,
                                       Deadline deadline, const std::string& prefix = {});

}  // namespace watchproof
