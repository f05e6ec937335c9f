// SPDX-License-Identifier: Apache-2.0
// What the Go program of a report looks for, from a finding and the recording that shows it.
//
//   const Sought sought = SoughtOf(lines, finding);
//
// Threads: pure function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/history/recorder.h"

namespace watchproof::explore {

struct Sought {
  enum class Kind {
    kUnknown,    // it does not say
    kMessage,    // lines that come on a stream, in this order, the last of them wrong
    kAnswer,     // the line of the last call
    kStreamEnd,  // the stream ends, with the code
    kNoServer,   // the server does not answer
    kSilence,    // nothing comes on a stream but these lines
    kNoMore,     // no more of a kind comes on a stream than had come by `since`
  };
  Kind kind = Kind::kUnknown;
  // What was sent after this is left out.
  Line until{};
  StreamId stream{};
  // Which lines of the stream count, as an expression of Go: "ofWatch(3)".
  std::string of{};
  std::vector<std::string> lines{};
  // The watch is the one that this creation of the stream answered, counted from 1; 0: it is about
  // no one watch. Where another is refused, the next one has its id.
  std::int64_t creation = 0;
  std::int64_t watch = 0;
  std::int64_t code = 0;
  Line since{};
};

// Requires: the finding is of this recording, and its first line is that of the run.
Sought SoughtOf(const std::vector<NumberedEntry>& lines, const Finding& finding);

}  // namespace watchproof::explore
