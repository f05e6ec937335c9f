// SPDX-License-Identifier: Apache-2.0
// A description of one connection through a proxy, now or after it ended.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/units.h"

namespace watchproof::proxy {

// Counts from 1 within one proxy, in the order of acceptance.
using ConnectionId = Quantity<struct ConnectionIdTag, std::int64_t>;

enum class ConnectionState {
  kDialling,     // accepted, the target has not answered yet
  kOpen,         // bytes flow in at least one direction
  kClosed,       // both directions ended in order
  kReset,        // one side, or the proxy, broke it
  kUnreachable,  // the target did not accept
};

constexpr const char* Name(ConnectionState state) {
  constexpr const char* kNames[] = {"dialling", "open", "closed", "reset", "unreachable"};
  return kNames[static_cast<int>(state)];
}

constexpr bool IsLive(ConnectionState state) {
  return state == ConnectionState::kDialling || state == ConnectionState::kOpen;
}

struct ConnectionInfo {
  ConnectionId id;
  ConnectionState state = ConnectionState::kDialling;
  std::string client;  // host:port
  std::string target;  // host:port, empty while dialling
  std::int64_t bytes_to_client = 0;
  std::int64_t bytes_to_target = 0;

  bool live() const { return IsLive(state); }
};

}  // namespace watchproof::proxy
