// SPDX-License-Identifier: Apache-2.0
// What the control watches of a recording received, by revision: the second source of truth besides
// the answers to writes.
//
//   ControlLog control;
//   control.Consume(line);                              // every line, in order
//   control.reported() ...                              // the changes received
//   if (control.CoveredSince(range, first, last)) ...   // a change without an event never was
//
// Not thread-safe. Ownership: messages are shared with the recording and kept as long as the log.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/model/key_range.h"

namespace watchproof {

// One key at one revision, as an event or an answer showed it.
struct Observation {
  bool deleted = false;
  KeyValueView kv;
  Line line{};
};

class ControlLog {
 public:
  void Consume(const NumberedEntry& line);

  const std::map<Revision, std::vector<Observation>>& reported() const { return reported_; }
  // The start of a control watch over the range that received everything in these revisions, and
  // something later; empty if there is none.
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
