// SPDX-License-Identifier: Apache-2.0
// The control watch is judged, too: on a store that only the recording changes, it is given every
// change, once, as long as the run lasts, and nothing ends it.
//
//   ControlWatchRule control;
//   control.Ask(asked);  control.Deliver(response, findings);  // as it is recorded
//   control.End(response, requested, findings);  control.Close(stream);
//   control.Check(model.timeline(), findings);             // before the timeline forgets, and last
//   control.Finish(model.timeline(), latest, findings);    // when all had been waited for
//
// Keeps the revisions that it was given and that are not checked yet. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/checkers/findings.h"
#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"

namespace watchproof {

class ControlWatchRule {
 public:
  // A later one, on a stream of its own, takes over from where it starts.
  void Ask(const Asked& asked);
  // All of a revision comes in one response, so that nothing at or below what came before may
  // follow.
  void Deliver(const Response& response, Findings& findings);
  // The target ends it. `requested`: how far compaction had been asked for.
  void End(const Response& response, Revision requested, Findings& findings);
  // Its stream has ended, which others judge.
  void Close(StreamId stream);
  // Reports what lies below something that it was given and was left out. What it was given beyond
  // what is known is looked at later.
  void Check(const Timeline& timeline, Findings& findings);
  // Reports what never came.
  void Finish(const Timeline& timeline, Where latest, Findings& findings);

  // The lowest revision that it may still be given; empty: none is expected.
  std::optional<Revision> Needed() const;
  // How many events it was given.
  std::uint64_t events() const { return events_; }

 private:
  bool Expects(const Change& change) const;

  std::optional<KeyRange> range_;  // empty: there is none, or it has ended
  Revision start_{};
  Revision highest_{};
  std::set<std::string, std::less<>> keys_;  // given at the highest revision
  Where latest_{};
  std::optional<Where> ended_;
  StreamId stream_{};
  std::map<Revision, Where> given_;
  std::uint32_t next_ = 0;  // change to check
  std::uint64_t events_ = 0;
};

}  // namespace watchproof
