// SPDX-License-Identifier: Apache-2.0
// What reads of past revisions tell of compactions, whoever's they were: one that is answered shows
// that nothing from its revision on had been compacted when it began, one that is refused as out of
// range that everything up to its revision had.
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

  // The line of a read that began after `since` and was answered, of this revision or of one before
  // it.
  std::optional<Line> ReadableSince(Revision revision, Line since) const {
    for (const Read& read : answered_) {
      if (read.started > since && read.at <= revision) return read.started;
    }
    return std::nullopt;
  }
  // Everything below it can no longer be read; 0: nothing is known to be gone. A revision beyond
  // the head is out of range, too.
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
