// SPDX-License-Identifier: Apache-2.0
// Requests to a server that runs: a token for a user, whether it serves that user, whether it holds
// the keys of a Kubernetes cluster, and the deletion of keys that a run left.
//
//   WP_ASSIGN_OR_RETURN(const std::string token, LogIn(endpoint, "root", password));
//   WP_RETURN_IF_ERROR(CheckServes(endpoint, token, Within(5s)));
//   WP_ASSIGN_OR_RETURN(const EndpointView view, LookAt(spec, Within(5s)));
//
// Threads: any; calls block until answered or the deadline.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct Endpoint;

// The token of the user with the password in the file; empty without a user. kUnauthenticated: the
// login was rejected; another error: there was no answer.
Result<std::string> LogIn(const Endpoint& endpoint, const ServerAccess& access, Deadline deadline);

// The token of user root, which has all rights. Adds it and enables authentication, unless another
// member was asked to before; also for several members of one cluster at a time.
Result<std::string> TokenOfRoot(const Endpoint& endpoint, Deadline deadline);

// Whether the code means that the server requires a user, or another one.
bool NeedsOtherUser(StatusCode code);
// Whether the user may read and write the keys of a run. Writes nothing.
Status CheckServes(const Endpoint& endpoint, const std::string& token, Deadline deadline);

struct EndpointView {
  std::string version;
  std::uint64_t cluster = 0;
  bool kubernetes = false;  // there are keys below /registry/
};
// Reads only.
Result<EndpointView> LookAt(const TargetSpec& spec, Deadline deadline);

// Deletes the keys with the prefix, and returns how many are left all the same.
Result<std::int64_t> Sweep(const TargetSpec& spec, const std::string& prefix, Deadline deadline);

}  // namespace watchproof
