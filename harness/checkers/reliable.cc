// SPDX-License-Identifier: Apache-2.0
// Reliable: a watch receives exactly the changes written in its range from its start on.
#include "harness/checkers/checker.h"
#include "harness/checkers/impact.h"
#include "harness/checkers/known_bugs.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// Empty if the event is the change as it was written; its metadata is judged by Fields.
std::string DifferenceOf(const EventView& event, const Change& change) {
  const KeyValueView& kv = event.kv;
  if (event.type != (change.deleted ? 1 : 0)) return "it is of another type";
  if (!change.value_known || kv.value == change.value) return {};
  return fmt::format("its value is {} ({} bytes) instead of {} ({} bytes)", Quoted(kv.value),
                     kv.value.size(), Quoted(change.value), change.value.size());
}

class Reliable final : public Checker {
 public:
  using Checker::Checker;

  void Compared(WatchIndex watch, const Response& response, const std::vector<Comparison>& compared,
                Findings& findings) override {
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const EventView& event = response.message.events[i];
      switch (compared[i].match) {
        case Match::kExpected:
        case Match::kLate:
        case Match::kRepeated:
          CheckContent(watch, event, facts().comparer.change(expected[compared[i].expected]),
                       response, findings);
          break;
        case Match::kBelowStart:
          CheckStart(watch, event, response, findings);
          break;
        case Match::kForgotten:
          CheckForgotten(watch, event, response, findings);
          break;
        case Match::kNotExpected:
          NotExpected(watch, event, response, findings);
          break;
        case Match::kUnknown:
          CheckUnknown(watch, event, response, findings);
          break;
      }
    }
  }

  void Progress(WatchIndex watch, const Response& response, Findings&) override {
    Bookmark& bookmark = At(bookmarks_, watch);
    const Revision revision(response.message.header.revision);
    if (revision <= bookmark.revision) return;
    bookmark = {revision, response.where, facts().model.compaction_acknowledged()};
  }

  void Afterwards(WatchIndex watch, const Response& response, Findings& findings) override {
    const bool cancelled = facts().table.state(watch).end == WatchEnd::kCancelled;
    if (!cancelled || response.message.events.empty()) return;
    findings.Add(Guarantee::kReliable, watch, [&] {
      const Where ended = *facts().table.details(watch).ended;
      return Draft{.expected = "no event after the answer to the cancel",
                   .observed = fmt::format("the {} {}", Phrase(response.message.events.front()),
                                           Since(response.where, ended)),
                   .evidence = {ended.line, response.where.line},
                   .at = response.where.at};
    });
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    // It expected ErrCompacted instead of events; a missing change is judged by CompactionSurfaced.
    if (facts().table.details(watch).starts_below_floor()) return;
    FindGaps(watch, findings);
    FindGapBelowBookmark(watch, findings);
  }

  // Finds changes without a client's write. Imported recordings do not name the keys that a
  // revocation deleted.
  void Conclude(Findings& findings) override {
    if (facts().options.without_metadata) return;
    const auto change = facts().model.unexplained();
    if (!change) return;
    findings.Add(Guarantee::kReliable, StreamId(0), [&] {
      std::string before;
      if (change->written.value == 0) {
        before = "the key did not exist before";
      } else if (change->lease == 0) {
        before =
            fmt::format("the write in line {} left the key without a lease", change->written.value);
      } else {
        before = fmt::format("the write in line {} left the key on lease {}, which has not ended",
                             change->written.value, change->lease);
      }
      Draft draft{.expected = "only changes that a recorded write or the end of a lease explains",
                  .observed = fmt::format("the {} of {} at revision {} in line {}; {}",
                                          change->deleted ? "delete" : "put", Quoted(change->key),
                                          change->revision, change->seen.value, before),
                  .evidence = {change->seen},
                  .at = facts().latest.at,
                  .impact = change->deleted ? std::string_view() : impact::kChangeInvented};
      if (change->written.value != 0) {
        draft.evidence.insert(draft.evidence.begin(), change->written);
      }
      return draft;
    });
  }

 private:
  struct Bookmark {
    Revision revision{};
    Where where;
    Revision floor{};  // acknowledged then
  };

  static void CheckContent(WatchIndex watch, const EventView& event, const Change& change,
                           const Response& response, Findings& findings) {
    if (event.type == 0 && !change.deleted && event.kv.value == change.value) return;
    std::string difference = DifferenceOf(event, change);
    if (difference.empty()) return;
    findings.Add(Guarantee::kReliable, watch, [&] {
      return Draft{.expected = fmt::format("the {} as line {} wrote it", Phrase(change),
                                           change.written.value),
                   .observed = fmt::format("in line {} {}", response.where.line.value, difference),
                   .evidence = {change.written, response.where.line},
                   .at = response.where.at};
    });
  }

  void Unexpected(WatchIndex watch, const EventView& event, const Response& response,
                  std::string expected, Findings& findings, std::string_view signature = {},
                  std::string_view impact = impact::kChangeInvented) {
    findings.Add(Guarantee::kReliable, watch, [&] {
      return Draft{
          .expected = std::move(expected),
          .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
          .evidence = {facts().table.details(watch).asked.line, response.where.line},
          .at = response.where.at,
          .signature = signature,
          .impact = impact};
    });
  }

  void CheckStart(WatchIndex watch, const EventView& event, const Response& response,
                  Findings& findings) {
    const WatchDetails& details = facts().table.details(watch);
    // Releases that accept a negative start do not agree on its meaning. Resumable judges repeated
    // events of a resumed watch, Filtered judges events outside of range and filters.
    if (details.requested_start < 0 || details.continues || !Concerns(details.range, event)) return;
    const bool future = Revision(details.requested_start) > details.header_when_created;
    Unexpected(watch, event, response,
               fmt::format("nothing below revision {}, where the watch starts",
                           facts().table.state(watch).start),
               findings, future ? signature::kEventsBelowStart : std::string_view(),
               impact::kChangeRepeated);
  }

  // Every expected change below has been delivered: the event is a repetition or was never written.
  void CheckForgotten(WatchIndex watch, const EventView& event, const Response& response,
                      Findings& findings) {
    if (!Concerns(facts().table.details(watch).range, event)) return;
    const Revision forgotten = facts().model.timeline().forgotten();
    if (facts().comparer.OpenedTooLate(watch)) {
      return findings.Undecide(fmt::format(
          "line {}: the {} cannot be compared: the store had been compacted to {} before the watch "
          "was there",
          response.where.line.value, Phrase(event), forgotten));
    }
    Unexpected(watch, event, response,
               fmt::format("nothing below revision {}: all of that was delivered and compacted",
                           forgotten),
               findings, signature::kReplayed, impact::kChangeRepeated);
  }

  void NotExpected(WatchIndex watch, const EventView& event, const Response& response,
                   Findings& findings) {
    if (!Concerns(facts().table.details(watch).range, event)) return;
    Unexpected(watch, event, response, "only changes that were written", findings);
  }

  void CheckUnknown(WatchIndex watch, const EventView& event, const Response& response,
                    Findings& findings) {
    const Revision revision(event.kv.mod_revision);
    const bool old = revision <= facts().model.timeline().known_through();
    if (old || facts().model.MayExist(revision)) return;
    if (!Concerns(facts().table.details(watch).range, event)) return;
    Unexpected(watch, event, response, "only changes that were written", findings);
  }

  // A gap that begins below the floor is judged by CompactionSurfaced: ErrCompacted would have
  // covered it.
  void FindGaps(WatchIndex watch, Findings& findings) {
    const Skipped* first = nullptr;
    std::uint64_t count = 0;
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change lost = facts().comparer.FirstOf(watch, gap);
      if (lost.revision < gap.compaction_requested) continue;
      if (LostByResuming(facts(), watch, lost)) continue;
      if (first == nullptr) first = &gap;
      count += gap.to - gap.from;
    }
    if (first == nullptr) return;
    const Change lost = facts().comparer.FirstOf(watch, *first);
    findings.Add(Guarantee::kReliable, watch, [&] {
      return Draft{
          .expected = fmt::format("the {}", Phrase(lost)),
          .observed = fmt::format("it never came, though revision {} did, in line {}; {} expected "
                                  "change{} missing in all",
                                  first->overtaken_by_revision, first->overtaken_by.line.value,
                                  count, count == 1 ? " was" : "s were"),
          .evidence = {lost.written, first->overtaken_by.line},
          .at = first->overtaken_by.at,
          .signature = SignatureOfLoss(facts(), watch, lost),
          .impact = impact::kChangeLost};
    });
  }

  // If the client requested another start, the resumption is not judged.
  bool ContinuedFromItsPlace(WatchIndex watch) const {
    const auto& next = facts().table.details(watch).continued_by;
    return next && Revision(facts().table.details(*next).requested_start) ==
                       facts().table.state(watch).resume_at;
  }

  void FindGapBelowBookmark(WatchIndex watch, Findings& findings) {
    const auto missing = facts().comparer.FirstMissing(watch);
    // Changes lost by a resumption are judged by Resumable.
    if (!missing || ContinuedFromItsPlace(watch)) return;
    const Bookmark& bookmark = At(bookmarks_, watch);
    const Change& lost = *missing;
    if (lost.revision > bookmark.revision || lost.revision < bookmark.floor) return;
    findings.Add(Guarantee::kReliable, watch, [&] {
      return Draft{
          .expected = fmt::format("the {}", Phrase(lost)),
          .observed = fmt::format("it never came, though line {} has progress up to revision {}",
                                  bookmark.where.line.value, bookmark.revision),
          .evidence = {lost.written, bookmark.where.line},
          .at = bookmark.where.at,
          .signature = signature::kProgressOvertakes,
          .impact = impact::kChangeLost};
    });
  }

  std::vector<Bookmark> bookmarks_;
};

const CheckerRegistration kReliable{{
    .guarantee = Guarantee::kReliable,
    .promise = "A watch receives exactly the changes written in its range from its start on, "
               "without a gap.",
    .impact = "A Kubernetes cache holds objects as they were before a change that it did not "
              "receive, or in a state that was never written, and has no reason to list them anew.",
    .explain = "Every acknowledged write that changes a key of the watched range at or above the "
               "watch's start is delivered with its key, type, value and revision, and nothing "
               "else is: nothing below the start, nothing that was never written. Where there are "
               "no other writers, a change that no recorded write and no end of a lease explains "
               "(a key that had been detached from the lease does not count) breaks this "
               "guarantee for every watch. Once a later change, or progress beyond it, has been "
               "delivered, a missing change is lost. Other guarantees judge the rest: Fields the "
               "metadata of a key, Filtered and Isolated events that do not belong to the watch, "
               "CompactionSurfaced compacted changes, Settled a missing end. Source: the "
               "guarantee \"reliable\" of the etcd v3 watch API.",
    .make = [](const Facts& facts) { return std::make_unique<Reliable>(facts); },
}};

}  // namespace

std::string_view SignatureOfLoss(const Facts& facts, WatchIndex watch, const Change& lost) {
  if (lost.deleted && lost.revision == facts.model.compaction_acknowledged()) {
    return signature::kDeleteAtTheFloor;
  }
  for (std::uint32_t i = 0; i < facts.table.size(); ++i) {
    if (i != watch.value && facts.table.details(WatchIndex(i)).requested_start < 0) {
      return signature::kNegativeStart;
    }
  }
  return {};
}

}  // namespace watchproof
