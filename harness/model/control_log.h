// SPDX-License-Identifier: Apache-2.0
// What the witness streams of a recording were told, by revision: the other source of truth beside
// the answers to writes.
//
//   Witness witness;
//   witness.Consume(line);                          // every line, in order
//   witness.told() ...                              // the changes it was given
//   if (witness.CoveredSince(range, first, last)) ...   // what it did not tell did not happen
//
// Not thread-safe. Ownership: messages are shared with the recording and kept for the life of the
// witness.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/model/key_range.h"

namespace watchproof {

// One key at one revision, as somebody was shown it.
struct Observation {
  bool deleted = false;
  KeyValueView kv;
  Line line{};
};

class ControlLog {
 public:
  void Consume(const NumberedEntry& line);

  const std::map<Revision, std::vector<Observation>>& reported() const { return reported_; }
  // Empty, or since when one of them has watched the range that has told of everything in these
  // revisions, and of something later.
  std::optional<Revision> CoveredSince(const KeyRange& range, Revision first, Revision last) const;

 private:
  struct Stream {
    KeyRange range;
    bool everything = false;  // neither kind of change is filtered out
    Revision start{};
    Revision latest{};  // of its events
  };

  void Request(Stream& stream, const Entry& entry);
  void Respond(Stream& stream, const NumberedEntry& line);

  std::map<std::uint32_t, Stream> streams_;
  std::map<Revision, std::vector<Observation>> reported_;
  std::vector<Bytes> owners_;
  WatchResponseView response_;
};

}  // namespace watchproof
