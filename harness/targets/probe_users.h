// SPDX-License-Identifier: Apache-2.0
// Enables authentication on a server, and logs in.
//
//   WP_ASSIGN_OR_RETURN(const std::string token, TokenOfRoot(endpoint, Within(5s)));
//
// Threads: any, also for several members of one cluster at a time; the call blocks until answered
// or the deadline.
#pragma once

#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof {

struct Endpoint;

// The token of user root, which has all rights. Adds it and enables authentication, unless another
// member was asked to before.
Result<std::string> TokenOfRoot(const Endpoint& endpoint, Deadline deadline);

}  // namespace watchproof
