// SPDX-License-Identifier: Apache-2.0
// What a write did to the store, read from its request and, where it was answered, its response.
//
//   WP_ASSIGN_OR_RETURN(Effect effect, AcknowledgedEffect(method, request, response));
//   if (effect.changes()) ... effect.revision, effect.operations ...
//
// Threads: functions without state. Operations look into the request.
#pragma once

#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/entry.h"
#include "harness/model/timeline.h"

namespace watchproof {

struct Effect {
  Revision revision;                  // of the response's header
  std::vector<Operation> operations;  // those that ran, in order

  // A write makes a revision if it put something or deleted at least one key.
  bool changes() const;
};

bool IsWrite(Method method);

// With these codes etcd refused before it changed anything. All others may hide a success.
bool IsDefiniteRefusal(StatusCode code);

// The operations that ran, transactions unfolded along the branches that the answer names.
Result<Effect> AcknowledgedEffect(Method method, std::string_view request,
                                  std::string_view response);

// What can be observed of both is the same.
bool SameEffect(const std::vector<Operation>& a, const std::vector<Operation>& b);

// For a write without answer: every list of operations that may have run, one per combination of
// branches. An error if there are more than a few dozen.
Result<std::vector<std::vector<Operation>>> PossibleEffects(Method method,
                                                            std::string_view request);

}  // namespace watchproof
