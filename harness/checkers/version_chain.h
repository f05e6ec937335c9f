// SPDX-License-Identifier: Apache-2.0
// What the events of one watch prove by themselves: each put counts the puts of its key since the
// key was made, so a count that jumps names changes that the watch never received.
//
//   VersionChain chain(start);
//   if (const auto gap = chain.Next(event, line)) ...     // each event, of a watch without filters
//
// Not thread-safe. Memory: the keys that the watch received.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "harness/history/history_parser.h"

namespace watchproof {

class VersionChain {
 public:
  explicit VersionChain(Revision start) : start_(start.value) {}

  // Between the line and the event something of the key is missing.
  struct Gap {
    std::string missing;  // "version 3 of "k", from before revision 9"
    Line before{};        // of the event of the key before; 0: there was none
  };
  // Events out of order are left to others.
  std::optional<Gap> Next(const EventView& event, Line line);

 private:
  struct Key {
    std::int64_t revision = 0;
    std::int64_t created = 0;
    std::int64_t version = 0;  // 0: deleted
    Line line{};
  };
  std::string Missing(const KeyValueView& now, const Key* before, bool deletes) const;

  const std::int64_t start_;
  std::unordered_map<std::string, Key> keys_;
};

}  // namespace watchproof
