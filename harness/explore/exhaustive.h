// SPDX-License-Identifier: Apache-2.0
// Every script up to a size over a small alphabet, in order of size: creates with one of two ids
// and three starts, cancels, a put, a delete, a compaction, progress, a stalled client and its
// return.
//
//   Exhaustive search({.size = 6, .run = [&](const Script& script) { ... }});
//   while (search.Next()) continue;
//   search.levels()       // per size: scripts run, states reached
//
//   Enumeration all(4);   // for a real server
//   while (const auto script = all.Next()) ...
//
// A script that only exchanges the two ids is left out. Under virtual time one that leaves clients
// and history as another one did is not continued: what follows would be the same. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/script/script.h"

namespace watchproof::explore {

struct ExhaustiveOptions {
  int size = 4;
  Limits limits{.queued_replies = 1};
  // Runs a script, and describes the state that it leads to.
  std::function<std::string(const Script&)> run;
};

using Word = std::vector<std::uint8_t>;  // letters of the alphabet

// How many scripts there are of a size, run or not.
std::uint64_t ScriptsOfSize(int size);

// Every script, none of which follows from what another one led to.
class Enumeration {
 public:
  explicit Enumeration(int size) : size_(static_cast<std::size_t>(size)) {}
  // Empty after the last one.
  std::optional<Script> Next();

 private:
  bool Count();

  const std::size_t size_;
  Word word_;
};

class Exhaustive {
 public:
  explicit Exhaustive(const ExhaustiveOptions& options) : options_(options) {}

  // Runs the next script; false when there is none left.
  bool Next();

  struct Level {
    std::uint64_t scripts = 0;
    std::uint64_t states = 0;
  };
  const std::vector<Level>& levels() const { return levels_; }

 private:
  const ExhaustiveOptions options_;
  std::vector<Level> levels_ = std::vector<Level>(1);
  std::vector<Word> frontier_{{}};
  std::vector<Word> next_frontier_;
  std::size_t at_ = 0;       // in the frontier
  std::uint8_t letter_ = 0;  // to be added to it
  std::unordered_set<std::string> states_;
};

}  // namespace watchproof::explore
