// SPDX-License-Identifier: Apache-2.0
// The rule for the control watch: on a store without other writers it must receive every change
// exactly once, as long as the run lasts, and must not be ended by the target.
//
//   ControlWatchRule control;
//   control.Ask(asked);  control.Deliver(response, findings);  // as it is recorded
//   control.End(response, requested, findings);  control.Close(stream);
//   control.Check(model.timeline(), findings);             // before the timeline forgets, and last
//   control.Finish(model.timeline(), latest, findings);    // after the driver's last wait
//
// Keeps the received revisions that are not checked yet. Not thread-safe.
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
  // A revision comes in one response, so the next response must begin above the highest received.
  void Deliver(const Response& response, Findings& findings);
  // The driver neither requests progress on its stream nor sets progress_notify.
  void Progress(const Response& response, Findings& findings);
  // The target ends it. `requested`: the highest compaction requested.
  void End(const Response& response, Revision requested, Findings& findings);
  // Its stream has ended, which other checkers judge.
  void Close(StreamId stream);
  // Reports missing changes below the highest received revision. Revisions beyond the known
  // timeline are checked later.
  void Check(const Timeline& timeline, Findings& findings);
  // Reports changes that never came.
  void Finish(const Timeline& timeline, Where latest, Findings& findings);

  // The lowest revision that it may still receive; empty: none is expected.
  std::optional<Revision> Needed() const;
  // How many events it received.
  std::uint64_t events() const { return events_; }

 private:
  bool Expects(const Change& change) const;

  std::optional<KeyRange> range_;  // empty: there is none, or it has ended
  Revision start_{};
  Revision highest_{};
  std::set<std::string, std::less<>> keys_;  // received at the highest revision
  Where latest_{};
  std::optional<Where> ended_;
  StreamId stream_{};
  std::map<Revision, Where> given_;
  std::uint32_t next_ = 0;  // change to check
  std::uint64_t events_ = 0;
};

}  // namespace watchproof
