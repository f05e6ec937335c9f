// SPDX-License-Identifier: Apache-2.0
// The reference oracle: decides slowly, with whole lists, whether a recording is legal.
//
//   ReferenceJudge judge({.permit_compacted_at_the_floor = true});
//   const ReferenceResult result = judge.Rule(lines);
//
// The whole history is in memory; of each watch the complete list of expected changes and the
// complete list of received messages are compared once, with no state from one message to the next.
// Slow, and without code of model/ or checkers/, so that a mistake there is not repeated here. The
// rules are those that the checkers explain. Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ci/mutants/reference_streams.h"
#include "ci/mutants/reference_truth.h"

namespace watchproof {

struct ReferenceResult {
  std::vector<std::string> wrongs;  // broken guarantees; empty: the recording is legal
  // Why the recording cannot be decided, if so: a client that resumed at another revision than the
  // one where it had stopped, or a revision beyond all writes that others may have made.
  bool misresumed = false;
  bool foreign = false;

  bool legal() const { return wrongs.empty(); }
  bool undecidable() const { return misresumed || foreign; }
};

// The target's properties from the first line of the recording.
struct ReferenceOptions {
  bool permit_compacted_at_the_floor = false;
  bool strict_previous = false;
};

class ReferenceJudge {
 public:
  explicit ReferenceJudge(const ReferenceOptions& options) : options_(options) {}

  // Requires: Replay makes sense of the lines.
  ReferenceResult Rule(const std::vector<NumberedEntry>& lines);

 private:
  using ExpectedChange = std::vector<const ReferenceChange*>;
  using Wanted = std::tuple<std::string, std::string, bool, bool>;  // range and filters

  void JudgeWatch(const ReferenceWatch& watch);
  // Each examines the whole list of messages that the watch received.
  void CheckHeaders(const ReferenceWatch& watch);
  void CheckShape(const ReferenceWatch& watch);
  void CheckContent(const ReferenceWatch& watch, const ExpectedChange& expected);
  void CheckTurns(const ReferenceWatch& watch, const ExpectedChange& expected);
  void CheckParts(const ReferenceWatch& watch, const ExpectedChange& expected);
  void CheckProgress(const ReferenceWatch& watch, const ExpectedChange& expected);
  void CheckNotice(const ReferenceWatch& watch);
  void CheckEnd(const ReferenceWatch& watch, const ExpectedChange& expected);
  void CheckResumption(const ReferenceWatch& watch, const std::vector<ReferenceWatch>& all);

  void Remember(const EventView& event, const ReferenceChange& change);
  void CheckGenerations();

  const ExpectedChange& Everything(const ReferenceWatch& watch);
  ExpectedChange ExpectedOn(const ReferenceWatch& watch);
  bool Differs(const ReferenceWatch& watch, const ReferenceMessage& message, const EventView& event,
               const ReferenceChange& change) const;
  bool BelowFloorAtOnce(const ReferenceWatch& watch) const;
  void Wrong(const ReferenceWatch& watch, std::uint64_t line, const std::string& what);

  void CheckSizes(const std::vector<ReferenceWatch>& all);
  bool CaughtUp(const ReferenceWatch& watch, std::int64_t floor);

  ReferenceTruth truth_;
  std::vector<ReferenceFault> faults_;
  const ReferenceOptions options_;
  std::map<Wanted, ExpectedChange> everything_;  // points into the truth
  // By key and its first known put: the metadata that events report about the time before.
  std::map<std::pair<std::string, std::int64_t>, std::set<std::pair<std::int64_t, std::int64_t>>>
      generations_;
  ReferenceResult result_;
};

}  // namespace watchproof
