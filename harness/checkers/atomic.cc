// SPDX-License-Identifier: Apache-2.0
// Atomic: all events of one revision come in one response; the parts of a fragmented response count
// as one.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Atomic final : public Checker {
 public:
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    Current& current = At(current_, watch);
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const Comparison& event = compared[i];
      if (event.match > Match::kLate) continue;
      const ExpectedChange& change = expected[event.expected];
      if (change.run_size > 1) Exercised();
      if (event.match == Match::kLate) continue;
      if (response.message.events[i].type == 1) {
        NoteEndOfLease(watch, facts().comparer.change(change), response.where);
      }
      if (change.revision != current.revision) {
        Close(watch, current);
        current = {.revision = change.revision,
                   .group = response.group,
                   .where = response.where,
                   .given = 1,
                   .expected = change.run_size,
                   .whole = response.last_part};
        continue;
      }
      ++current.given;
      current.whole = response.last_part;
      if (current.group == response.group) continue;
      current.split = true;
      current.group = response.group;
      Add(watch, [&] { return DescribeSplit(current, response); });
    }
  }

  void Finish(WatchIndex watch) override {
    CloseLease(watch, At(ends_, watch));
    const Current& current = At(current_, watch);
    // The remaining parts are lost if the stream or the recording was cut.
    const bool cut = facts().cut_off || facts().state(watch).end == WatchEnd::kStreamClosed;
    if (!current.whole && cut) return;
    Close(watch, current);
  }

 private:
  // The revision that was delivered last.
  struct Current {
    Revision revision{};
    std::uint64_t group = 0;
    Where where;
    std::uint32_t given = 0;
    std::uint32_t expected = 0;
    bool split = false;
    bool whole = true;  // its response has all its parts
  };

  // The latest end of a lease that the watch received.
  struct EndOfLease {
    std::int64_t lease = 0;
    Revision first{};
    Revision latest{};
    Where first_reported;
    Where latest_reported;
    std::uint32_t keys = 0;
    std::uint32_t revisions = 0;
  };

  void NoteEndOfLease(WatchIndex watch, const Change& change, Where where) {
    if (change.ended_lease == 0) return;
    EndOfLease& end = At(ends_, watch);
    // A key that was put after that end is on another lease, which has the number now.
    const bool later = change.previous != Change::kNone &&
                       facts().timeline().change(change.previous).revision > end.first;
    if (end.lease != change.ended_lease || later) {
      CloseLease(watch, end);
      end = {.lease = change.ended_lease, .first = change.revision, .first_reported = where};
    }
    ++end.keys;
    if (end.latest != change.revision) ++end.revisions;
    end.latest = change.revision;
    end.latest_reported = where;
  }

  // No more deletes of that lease will come.
  void CloseLease(WatchIndex watch, const EndOfLease& end) const {
    if (end.revisions < 2) return;
    Add(watch, [&] {
      const bool one_by_one = end.revisions == end.keys;
      const bool at_once = end.latest_reported.line == end.first_reported.line;
      Draft draft{.expected = fmt::format(
                      "the {} keys of one lease deleted in one revision, when it ended", end.keys),
                  .observed = fmt::format(
                      "they were deleted {} in {} revisions, from {}{} to {} in line {}",
                      one_by_one ? "one by one," : "in groups,", end.revisions, end.first,
                      at_once ? "" : fmt::format(" in line {}", end.first_reported.line.value),
                      end.latest, end.latest_reported.line.value),
                  .evidence = {end.first_reported.line},
                  .at = end.latest_reported.at};
      if (!at_once) draft.evidence.push_back(end.latest_reported.line);
      return draft;
    });
  }

  static Draft DescribeSplit(const Current& current, const Response& response) {
    return {.expected = fmt::format("all {} changes of revision {} in one response",
                                    current.expected, current.revision),
            .observed = fmt::format("some in line {}, more of them {}", current.where.line.value,
                                    Since(response.where, current.where)),
            .evidence = {current.where.line},
            .where = response.where,
            .about = current.revision};
  }

  void Close(WatchIndex watch, const Current& current) const {
    if (current.given == current.expected || current.split) return;
    Add(watch, {.expected = fmt::format("all {} changes of revision {} in one response",
                                        current.expected, current.revision),
                .observed = fmt::format("only {} of them, in line {}", current.given,
                                        current.where.line.value),
                .where = current.where,
                .symptom = symptom::OfRevision{current.revision, current.expected - current.given},
                .about = current.revision});
  }

  std::vector<Current> current_;
  std::vector<EndOfLease> ends_;
};

const CheckerRegistration<Atomic> kAtomic{{
    .guarantee = Guarantee("Atomic"),
    .place = 30,
    .gravity = Gravity::kOrder,
    .clause = "W-3",
    .impact = "For a moment a Kubernetes cache holds one half of a transaction without the other, "
              "a state that never existed.",
    .explain = "A transaction makes all its changes at one revision, and a watch must not show "
               "half of it: the events of a revision never come in several responses, and none of "
               "them is missing. The end of a lease is one change of all its keys, too: they are "
               "deleted in one revision. A watch with fragments enabled gets large responses in "
               "parts; the parts of one response, up to the first part without the fragment flag, "
               "count as one. Source: the guarantee \"atomic\" of the etcd v3 watch API.",
}};

}  // namespace
}  // namespace watchproof
