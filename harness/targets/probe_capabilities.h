// SPDX-License-Identifier: Apache-2.0
// Finds out what a running target offers: capabilities that are not stated are probed.
//
//   WP_ASSIGN_OR_RETURN(const Capabilities offered,
//                       ProbeCapabilities(target, {Capability::kFragment}, Within(5s)));
//
// Only the wanted capabilities are probed, since some probes take a second or some revisions. Keys
// are under a random prefix and deleted afterwards; nothing is compacted. Probe before the
// recording begins: these writes are in no history.
//
// Threads: any; blocks until everything is answered or the deadline.
#pragma once

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/capability.h"
#include "harness/targets/target.h"

namespace watchproof {

struct ProbeOptions {
  // Stated capabilities are not probed.
  Stated stated = {};
  // Keys are written below it; its last byte is a slash. Empty: below a random one.
  std::string prefix = {};
};

// Those of `wanted` that the target offers; never kProxy, which does not depend on the target. If
// the target rejects a call as unknown, unsupported or wrong, it does not offer the capability. An
// error means that the target failed at what every target must do, or did not answer in time.
Result<Capabilities> ProbeCapabilities(Target& target, const Capabilities& wanted,
                                       Deadline deadline, const ProbeOptions& options = {});

// Whether the code rejects a request as unsupported; other codes mean that the call failed.
bool IsRefusal(StatusCode code);

}  // namespace watchproof
