// SPDX-License-Identifier: Apache-2.0
// What travels through a pipe: some bytes, or a marker that the source ended or broke or that
// the connection is to be closed.
//
// Markers travel in line after the bytes: an effect that holds bytes back holds them back too.
//
// Threads: values, moved along on the io thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace watchproof::proxy {

struct Chunk {
  // kEnd closes one direction, kClose both, in order; kReset breaks both.
  enum class Kind { kBytes, kEnd, kClose, kReset };

  static Chunk Bytes(std::string bytes) {
    Chunk chunk{.kind = Kind::kBytes, .bytes = std::move(bytes)};
    chunk.cost = std::max<std::int64_t>(kLeastCost, chunk.size());
    return chunk;
  }
  static Chunk End() { return {.kind = Kind::kEnd}; }
  static Chunk Close() { return {.kind = Kind::kClose}; }
  static Chunk Reset() { return {.kind = Kind::kReset}; }

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }

  // A chunk weighs at least this much, so that limits in bytes also bound a flood of tiny chunks.
  static constexpr std::int64_t kLeastCost = 256;

  Kind kind = Kind::kBytes;
  std::string bytes = {};
  std::int64_t cost = 0;  // what it counts against read-ahead; set when it was read, never changed
};

}  // namespace watchproof::proxy
