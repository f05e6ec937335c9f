// SPDX-License-Identifier: Apache-2.0
// A fault that is one effect on the proxied path: a row over the effect.
//
//   {.name = "reset", .effect = "cut", .counts = {{"connections_cut"}}, .evidence = StreamsEnd()}
//
// What it does, its parameters and their help are the effect's own. It took effect when the proxy
// reports at least one of the first count, or as many as the parameter `at-least` says, and the
// evidence was found. Without a proxy between the clients and the target it is never armed, and its
// receipt says so. Threads: values.
#pragma once

#include <string>
#include <vector>

#include "harness/faults/evidence.h"

namespace watchproof {

// A count of the proxy's receipt, perhaps under another name in the fault's.
struct CountInReceipt {
  std::string name;
  std::string measured_as = name;
  std::string required_as = {};  // empty: at least one, which is not written down
};

struct NetworkFault {
  std::string name;
  std::string effect = name;
  proxy::Direction direction = proxy::Direction::kToClient;
  // A parameter of the fault with a word for each direction, in the order of proxy::Direction; it
  // chooses instead.
  std::string direction_by = {};
  FaultParameters defaults = {};  // where others make a better fault than the effect's
  FaultParameters fixed = {};     // of the effect, and not of the fault
  std::vector<proxy::ParameterInfo> own = {};
  std::vector<CountInReceipt> counts;
  EvidenceKind evidence;
  EndsStreams ends_streams = EndsStreams::kNone;
};

// Among `own`: how much the proxy must count.
inline constexpr const char* kAtLeast = "at-least";

// Requires: the effects are registered.
FaultKind MakeFaultKind(NetworkFault row);

}  // namespace watchproof
