// SPDX-License-Identifier: Apache-2.0
// Finds out what a running target offers: what is not stated of it, by asking it.
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
struct ProbeOptions {
  // What is stated is not asked for.
  Stated stated = {};
  // Keys are written below it; its last byte is a slash. Empty: below a random one.
  std::string prefix = {};
};

// A call that the target refuses as unknown, unsupported or wrong means that it does not offer the
// thing; an error, that it does not do what every target must, or not in time.
Result<Capabilities> ProbeCapabilities(Target& target, const Capabilities& wanted,
                                       Deadline deadline, const ProbeOptions& options = {});

// How servers say that they do not do something: other codes mean that it went wrong.
bool IsRefusal(StatusCode code);

}  // namespace watchproof
