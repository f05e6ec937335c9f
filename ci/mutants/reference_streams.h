// SPDX-License-Identifier: Apache-2.0
// The request of each watch and all its messages, in the order they came.
//
//   const ReferenceStreams streams = Listen(lines, truth.converged);
//   for (const ReferenceWatch& watch : streams.watches) ... watch.given ...
//   streams.wrongs                       // messages that fit no watch
//
// Threads: values. Ownership: views look into the lines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/mutants/recording.h"

namespace watchproof {

struct ReferenceMessage {
  std::uint64_t line = 0;
  WatchResponseView view;
  std::size_t bytes = 0;
  bool progress_asked = false;  // by then, on its stream
};

enum class ReferenceEnd { kOpen, kRefused, kNotice, kCancelled, kCut };

struct ReferenceWatch {
  std::uint32_t stream = 0;
  std::uint32_t ordinal = 0;
  WatchCreateView asked;
  std::uint64_t asked_line = 0;
  std::optional<ReferenceMessage> answer;
  std::vector<ReferenceMessage> given;  // after the answer
  std::vector<std::uint64_t> cancels;
  ReferenceEnd end = ReferenceEnd::kOpen;
  std::uint32_t cancels_open = 0;
  bool cut_by_us = false;  // or by a fault
  bool refused_rightly = false;
  std::optional<std::size_t> continues;
  std::optional<std::size_t> continued_by;
};

// A fault, from the line that armed it to the one that healed it.
struct ReferenceFault {
  std::string name;
  std::uint64_t armed = 0;
  std::uint64_t healed = UINT64_MAX;
  bool unsaid = false;  // the line does not name its effect on streams
  bool ends_all = false;
  bool ends_proxied = false;
  bool parts_members = false;
};

struct ReferenceStreams {
  std::vector<ReferenceWatch> watches;
  std::vector<ReferenceFault> faults;
  std::vector<std::string> wrongs;
};

bool IsProgress(const WatchResponseView& view);
std::int64_t StartOf(const ReferenceWatch& watch);
// The lowest revision that the watch has not received after its first `count` messages.
std::int64_t PositionAfter(const ReferenceWatch& watch, std::size_t count);
// Where a client resumes: an incomplete fragmented response does not count.
std::int64_t ResumeAt(const ReferenceWatch& watch);

// Streams that end at or after the line `converged` end with the run.
ReferenceStreams Listen(const std::vector<NumberedEntry>& lines, std::uint64_t converged);

}  // namespace watchproof
