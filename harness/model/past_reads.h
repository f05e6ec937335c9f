// SPDX-License-Identifier: Apache-2.0
// What reads of past revisions reveal about compactions, by this recording or by others: an answer
// shows that no revision from the requested one on had been compacted when the read began; a
// refusal as out of range shows that everything up to the requested revision had been.
//
//   PastReads reads;
//   reads.Started(line);  reads.Ended(line);           // of every range
//   reads.ReadableSince(revision, line);  reads.GoneBelow(head);
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"

namespace watchproof {

class PastReads {
 public:
  void Started(const NumberedEntry& line) {
    RangeRequestView request;
    if (!Parse(line.entry.payload.view(), request).ok() || request.revision <= 0) return;
    out_[line.entry.call.value] = {line.line, Revision(request.revision)};
  }
  void Ended(const NumberedEntry& line) {
    const auto read = out_.find(line.entry.call.value);
    if (read == out_.end()) return;
    asked_.insert(read->second.at);
    if (line.entry.code == StatusCode::kOk) answered_.push_back(read->second);
    if (line.entry.code == StatusCode::kOutOfRange) refused_.insert(read->second.at);
    out_.erase(read);
  }

  // The line of an answered read that began after `since`, of this revision or an earlier one.
  std::optional<Line> ReadableSince(Revision revision, Line since) const {
    for (const Read& read : answered_) {
      if (read.started > since && read.at <= revision) return read.started;
    }
    return std::nullopt;
  }
  // Revisions below it can no longer be read; 0: none is known to be compacted. Refusals beyond the
  // head do not count: a future revision is out of range, too.
  Revision GoneBelow(Revision head) const {
    const auto beyond = refused_.upper_bound(head);
    return beyond == refused_.begin() ? Revision() : std::prev(beyond)->next();
  }
  bool Asked(Revision revision) const { return asked_.contains(revision); }

 private:
  struct Read {
    Line started;
    Revision at;
  };
  std::map<std::uint32_t, Read> out_;  // started, not ended; by call
  std::vector<Read> answered_;
  std::set<Revision> refused_;
  std::set<Revision> asked_;
};

}  // namespace watchproof
