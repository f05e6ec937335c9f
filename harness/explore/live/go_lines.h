// SPDX-License-Identifier: Apache-2.0
// What the Go program of a report prints of each message and answer: so it can compare what comes
// with what a recording holds.
//
//   StreamLines lines;                                     // of one stream
//   for (const StreamLine& line : lines.Of(response)) ...  // "watch 3: created", ...
//   AnswerLine(entry)                                      // "revision 7, count 2, more false"
//
// The same texts are made by itemsOf and answerText in go_frame.cc: change both. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/history/entry.h"
#include "harness/history/wire.h"

namespace watchproof::explore {

// An event, or a message without events.
struct StreamLine {
  std::string text;
  std::int64_t watch = 0;
  std::int64_t header = 0;  // the revision in the header of its message
  bool progress = false;
  bool created = false;
  bool canceled = false;  // with `created`: refused
};

class StreamLines {
 public:
  std::vector<StreamLine> Of(const WatchResponseView& response);

 private:
  std::map<std::int64_t, std::int64_t> last_;  // by watch, the revision of its last event
};

// The line of the end of a call.
std::string AnswerLine(const Entry& ended);

}  // namespace watchproof::explore
