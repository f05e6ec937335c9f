// SPDX-License-Identifier: Apache-2.0
// A signature: what findings look like that a known bug causes. Which bug that is, and which
// releases have it, stands in the answer key, fixtures/bugs, under the same name.
//
//   WP_SIGNATURE(Replayed, "replayed") {
//     return one.As<symptom::Repeated>() != nullptr && one.facts.faults.MembersParted({});
//   }
//
// It states a precondition that the recording fulfils, so that no other bug carries it. Threads:
// registered before main, constants from then on.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/checkers/facts.h"
#include "harness/checkers/findings.h"
#include "harness/signatures/bug_traces.h"
#include "harness/signatures/precedence.h"

namespace watchproof {

// A finding that is being filed.
struct Filing {
  const Draft& draft;
  const std::optional<WatchIndex> watch;  // that it is about
  const Facts& facts;
  const BugTraces& traces;

  template <typename Kind>
  const Kind* As() const {
    return std::get_if<Kind>(&draft.symptom);
  }
  Duration at() const { return draft.where.line.value != 0 ? draft.where.at : draft.at; }
  // What was observed has these words: often the last ones of a member.
  bool Says(std::string_view words) const {
    return draft.observed.find(words) != std::string::npos;
  }
  // The line is one of its evidence, and of the lines noted of its watch.
  bool RestsOn(std::set<Line> WatchTraces::*lines) const {
    return watch && std::ranges::any_of(draft.evidence, [&](Line line) {
             return (traces.of(*watch).*lines).contains(line);
           });
  }
  // A change that was lost where the store was asked to compact to its revision.
  const Loss* LostAtTheFloor() const;
  // A change of the history that the store has left, for this reason.
  bool LostAfter(Rewind::Cause cause) const;
  // It is about a member that stands at a lower revision than the others for good: it has carried
  // out the log as far as they have.
  bool CountsLess() const {
    const auto* const behind = As<symptom::MemberBehind>();
    return behind != nullptr && behind->applied && Says("it is at revision ");
  }
  // Progress of such a kind passed over what it is about.
  bool PassedOver(Passing how) const {
    const auto* const passed = As<symptom::PassedOver>();
    return passed != nullptr && traces.of(passed->watch).passing == how;
  }
  // It is about ErrCompacted, which was right: progress of such a kind did not concern the watch.
  bool NoticeAfter(Passing how) const {
    const auto* const notice = As<symptom::FalseNotice>();
    return notice != nullptr && notice->by_progress && watch && traces.of(*watch).passing == how;
  }
};

struct RankedSignature {
  std::string_view name;
  bool (*fits)(const Filing&) = nullptr;
};

class SignatureRegistration {
 public:
  SignatureRegistration(Rank rank, std::string_view name, bool (*fits)(const Filing&));
};

// Its rank, its name, and behind it the body of its predicate, of the Filing `one`.
#define WP_SIGNATURE(rank, name)                                                        \
  static bool Fits##rank(const Filing& one);                                            \
  static const SignatureRegistration kSignature##rank{Rank::k##rank, name, Fits##rank}; \
  static bool Fits##rank(const Filing& one)

// By rank. A program without one of them was linked wrongly and aborts.
const std::vector<RankedSignature>& Signatures();

}  // namespace watchproof
