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

#include <map>
#include <string>

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
  // Receives with which status the target refused what it does not offer, if it refused it.
  std::map<Capability, Status>* refusals = nullptr;
};

// Those of `wanted` that the target offers; never kProxy, which does not depend on the target. What
// it refuses, whatever the status, it does not offer. An error means that it did not answer.
Result<Capabilities> ProbeCapabilities(Target& target, const Capabilities& wanted,
                                       Deadline deadline, const ProbeOptions& options = {});

// Whether the code rejects a request as unsupported; other codes mean that the call failed.
bool IsRefusal(StatusCode code);
// Whether an error with this code is what the server says: the codes of a connection that is lost
// and of a call that has taken too long say nothing about it.
bool IsAnswer(StatusCode code);

}  // namespace watchproof
