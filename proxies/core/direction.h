// SPDX-License-Identifier: Apache-2.0
// The two ways that bytes travel through a proxy.
//
// Threads: values.
#pragma once

namespace watchproof::proxy {

// kToClient carries the bytes of the target, kToTarget those of the client.
enum class Direction { kToClient, kToTarget, kBoth };
inline constexpr Direction kNarrow[] = {Direction::kToClient, Direction::kToTarget};

constexpr const char* Name(Direction direction) {
  constexpr const char* kNames[] = {"to-client", "to-target", "both"};
  return kNames[static_cast<int>(direction)];
}

// Requires: a narrow direction.
constexpr Direction Opposite(Direction direction) {
  return direction == Direction::kToClient ? Direction::kToTarget : Direction::kToClient;
}

constexpr bool Covers(Direction wide, Direction narrow) {
  return wide == Direction::kBoth || wide == narrow;
}

}  // namespace watchproof::proxy
