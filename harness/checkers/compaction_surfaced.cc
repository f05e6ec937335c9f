// SPDX-License-Identifier: Apache-2.0
// CompactionSurfaced: who can no longer be given what it is owed is told so, once, in time and
// truthfully.
#include <set>

#include "harness/checkers/checker.h"
#include "harness/checkers/impact.h"
#include "harness/checkers/likeness.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class CompactionSurfaced final : public Checker {
 public:
  using Checker::Checker;

  void Answered(WatchIndex watch, const Response& response, Findings& findings) override {
    CheckMark(watch, response, findings);
    CheckRefusal(watch, response, findings);
  }
  void Progress(WatchIndex watch, const Response& response, Findings& findings) override {
    CheckMark(watch, response, findings);
  }
  void Cancelled(WatchIndex watch, const Response& response, Findings& findings) override {
    CheckMark(watch, response, findings);
  }

  void Delivered(WatchIndex watch, const Response& response, Findings& findings) override {
    CheckMark(watch, response, findings);
    const WatchDetails& details = facts().book.details(watch);
    if (!details.starts_below_floor() || response.highest < details.floor_when_asked) return;
    Served& served = At(served_, watch);
    if (served.where.line.value != 0) return;
    served = {response.where, Phrase(response.message.events.back())};
  }

  void Compacted(WatchIndex watch, const Response& response, Findings& findings) override {
    const Revision position = facts().book.state(watch).position;
    const Revision requested = HighestFloor(facts());
    const Revision told(response.message.compact_revision);
    // Such a watch ends where a previous value is gone, however far it had come.
    const bool strict =
        facts().options.strict_previous && facts().book.details(watch).previous_asked;
    const bool permitted = facts().options.permit_compacted_at_the_floor || strict;
    const bool at_floor = permitted && position == requested;
    // By others, who may compact at any time: judged at the end, when reads have told.
    if (ByOthers(told) && told > position) return;
    if (position >= requested && !at_floor) {
      findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
        return Draft{.expected = fmt::format(
                         "no ErrCompacted: the watch stands at revision {}, and {}", position,
                         requested.value == 0
                             ? std::string("no compaction was asked for")
                             : fmt::format("the highest compaction asked for is {}", requested)),
                     .observed = fmt::format("ErrCompacted with compact revision {} in line {}",
                                             told, response.where.line.value),
                     .evidence = {response.where.line},
                     .at = response.where.at,
                     .like = like::kFalseNotice,
                     .impact = impact::kNoticeFalse};
      });
    } else if (!at_floor && !strict && CaughtUp(watch, requested)) {
      ReportUntrue(watch, requested, response, findings);
    } else if (told > requested || told < position || (told == position && !at_floor)) {
      findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
        return Draft{
            .expected = fmt::format("a compact revision above the watch's place, {}, and not "
                                    "above {}, the highest compaction asked for",
                                    position, requested),
            .observed =
                fmt::format("compact revision {} in line {}", told, response.where.line.value),
            .evidence = {response.where.line},
            .at = response.where.at,
            .impact = impact::kNoticeNumber};
      });
    } else if (told > facts().model.timeline().base() && !facts().model.CompactionAsked(told)) {
      findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
        return Draft{.expected = "the revision of a compaction that was asked for",
                     .observed = fmt::format("compact revision {} in line {}, to which nobody "
                                             "compacted",
                                             told, response.where.line.value),
                     .evidence = {response.where.line},
                     .at = response.where.at,
                     .impact = impact::kNoticeNumber};
      });
    }
  }

  void Afterwards(WatchIndex watch, const Response& response, Findings& findings) override {
    const WatchDetails& details = facts().book.details(watch);
    const WatchEnd end = facts().book.state(watch).end;
    const bool notice = response.message.compact_revision > 0;
    if (end != WatchEnd::kCompacted && !(end == WatchEnd::kCancelled && notice)) return;
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      return Draft{
          .expected = end == WatchEnd::kCompacted
                          ? "ErrCompacted as the last message of the watch"
                          : "no ErrCompacted for a watch that has been cancelled",
          .observed = fmt::format("{} {}", NameOf(response), Since(response.where, *details.ended)),
          .evidence = {details.ended->line, response.where.line},
          .at = response.where.at,
          .like = notice ? like::kNoticeRepeated : std::string_view(),
          .impact = notice ? impact::kNoticeRepeated : impact::kAnsweredUnasked};
    });
  }

  void Stray(const Response& response, Findings& findings) override {
    if (response.message.compact_revision <= 0 || !response.message.events.empty()) return;
    findings.Add(Guarantee::kCompactionSurfaced, response.stream, [&] {
      return Draft{
          .expected = "ErrCompacted only for watches that have been created",
          .observed = fmt::format("one for watch {}, which the stream does not have, in line {}",
                                  response.message.watch_id, response.where.line.value),
          .evidence = {response.where.line},
          .at = response.where.at,
          .impact = impact::kAnsweredUnasked};
    });
  }

  // etcd answers both as out of range: what has been compacted, and what is yet to come.
  void CompactionAnswered(const CompactionAnswer& answer, Findings& findings) override {
    const bool below = answer.at <= answer.floor_when_asked;
    const bool beyond = answer.ceiling && answer.at > *answer.ceiling;
    if ((!below && !beyond) || answer.code == StatusCode::kOutOfRange) return;
    // Without an answer nothing is known.
    const bool done = answer.code == StatusCode::kOk;
    if (!done && !IsDefiniteRefusal(answer.code)) return;
    findings.AddOfMember(
        Guarantee::kCompactionSurfaced, 1,
        [&] {
          return Draft{
              .expected = fmt::format(
                  "a compaction at revision {} to be refused as out of range: {}", answer.at,
                  below ? fmt::format("the store has been compacted to {}", answer.floor_when_asked)
                        : fmt::format("the store has not gone beyond {}", *answer.ceiling)),
              .observed = done ? std::string("it was acknowledged")
                               : fmt::format("{}: {}", Name(answer.code), answer.text),
              .evidence = {answer.asked.line, answer.answered.line},
              .at = answer.answered.at};
        },
        done ? Level::kMust : Level::kShould);
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    if (findings.Has(Guarantee::kCompactionSurfaced, watch)) return;
    if (At(served_, watch).where.line.value != 0) return ReportServed(watch, findings);
    FindGap(watch, findings);
    if (findings.Has(Guarantee::kCompactionSurfaced, watch)) return;
    FindSilence(watch, findings);
    FindNamelessEnd(watch, findings);
    JudgeOthers(watch, findings);
  }

 private:
  // The first event at or above the floor that was sent to a watch which should have been refused.
  struct Served {
    Where where;
    std::string event;
  };

  // Whether anything is missing is only known at the end.
  void ReportServed(WatchIndex watch, Findings& findings) {
    const WatchDetails& details = facts().book.details(watch);
    const Served& served = served_[watch.value];
    const bool complete = ServedInFull(facts(), watch);
    if (complete && facts().options.deviations.keeps_history) return;
    findings.Add(
        Guarantee::kCompactionSurfaced, watch,
        [&] {
          Draft draft{.expected = ExpectedAtCreation(details),
                      .observed = fmt::format("silence, and then the {} in line {}", served.event,
                                              served.where.line.value),
                      .evidence = {details.asked.line, served.where.line},
                      .at = served.where.at,
                      .like = like::kSilentAfterCompaction,
                      .impact = impact::kNoticeMissing};
          if (complete) {
            draft.observed = fmt::format(
                "every change from {} on, also those below the compaction: etcd does not serve "
                "these, "
                "but nothing was kept from this watch",
                details.requested_start);
            draft.like = {};
          }
          return draft;
        },
        complete ? Level::kShould : Level::kMust);
  }

  // A compact revision means that the watch has ended, and says so.
  static void CheckMark(WatchIndex watch, const Response& response, Findings& findings) {
    const std::int64_t told = response.message.compact_revision;
    if (told == 0 || (told > 0 && response.message.canceled)) return;
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      return Draft{
          .expected = "a compact revision only where the watch is said to be canceled by it",
          .observed =
              fmt::format("compact revision {} in line {}", told, response.where.line.value),
          .evidence = {response.where.line},
          .at = response.where.at,
          .impact = impact::kNoticeNumber};
    });
  }

  // The create was refused, and the only reason that the request gives is its start.
  void CheckRefusal(WatchIndex watch, const Response& response, Findings& findings) const {
    if (!response.message.canceled || response.message.compact_revision > 0) return;
    const WatchDetails& details = facts().book.details(watch);
    const Revision start(details.requested_start);
    if (start.value <= 0 || start >= HighestFloor(facts())) return;
    if (RefusalIsJustified(facts(), watch, response)) return;
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      return Draft{
          .expected = fmt::format("ErrCompacted with a compact revision: the start, {}, is below "
                                  "{}, to which a compaction was asked for",
                                  start, HighestFloor(facts())),
          .observed =
              fmt::format("a refusal in line {} that names none; reason {}",
                          response.where.line.value, Quoted(response.message.cancel_reason)),
          .evidence = {details.asked.line, response.where.line},
          .at = response.where.at,
          .impact = impact::kNoticeMissing};
    });
  }

  // Nothing can be left for compaction to take away. A target compares a place, not events: while
  // it has not gone through what is below the floor for this watch, it may say ErrCompacted even
  // if none of that concerns the watch. That is over once the watch has caught up, until something
  // comes that it may have to wait for, or its member is sent a snapshot.
  bool CaughtUp(WatchIndex watch, Revision floor) const {
    const std::optional<Standing>& standing = facts().book.details(watch).standing;
    if (!standing || facts().faults.MembersParted(standing->where.line)) return false;
    if (facts().model.timeline().known_through() < floor.previous()) return false;
    const OwedList& owed = *facts().comparer.owed(watch);
    const std::uint32_t next = owed.LowerBound(standing->through.next());
    return next == owed.size() || owed[next].revision >= floor;
  }

  void ReportUntrue(WatchIndex watch, Revision floor, const Response& response,
                    Findings& findings) const {
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      const Standing& standing = *facts().book.details(watch).standing;
      return Draft{
          .expected = fmt::format("no ErrCompacted: by line {} the watch had caught up with "
                                  "revision {}, and nothing in its range was written between "
                                  "that and {}, the highest compaction asked for",
                                  standing.where.line.value, standing.through, floor),
          .observed = fmt::format("ErrCompacted with compact revision {} in line {}",
                                  response.message.compact_revision, response.where.line.value),
          .evidence = {standing.where.line, response.where.line},
          .at = response.where.at,
          .like = like::kFalseNotice,
          .impact = impact::kNoticeFalse};
    });
  }

  bool ByOthers(Revision told) const {
    return facts().options.others_compact && !facts().model.CompactionAsked(told);
  }

  // Reads of the past tell whether the compaction that the watch was told of has been.
  void JudgeOthers(WatchIndex watch, Findings& findings) {
    const WatchState& state = facts().book.state(watch);
    const Revision told = state.compact_revision;
    if (state.end != WatchEnd::kCompacted || !ByOthers(told) || told <= state.position) return;
    const Where ended = *facts().book.details(watch).ended;
    const auto read = facts().model.ReadableSince(told.previous(), ended.line);
    const Model::Reading& last = facts().model.latest_reading();
    const bool reached = last.started < ended.line || told <= last.revision;
    if (!read && reached) {
      const bool gone = facts().model.gone_below() >= told;
      if (!others_.insert(told).second) return;
      return findings.Doubt(fmt::format(
          "others compacted the target to revision {}{}; what watches that were behind were still "
          "to be given was not judged",
          told, gone ? "" : ", by the word of a watch alone"));
    }
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      Draft draft{
          .expected = "no ErrCompacted for a compaction that has not been",
          .observed = fmt::format("one with compact revision {} in line {}, and an answer to "
                                  "a read of revision {} or before",
                                  told, ended.line.value, told.previous()),
          .evidence = {ended.line},
          .at = ended.at,
          .like = like::kFalseNotice};
      if (read) {
        draft.evidence.push_back(*read);
      } else {
        draft.observed = fmt::format(
            "one with compact revision {} in line {}; the store only "
            "reached {}",
            told, ended.line.value, last.revision);
      }
      return draft;
    });
  }

  static std::string ExpectedAtCreation(const WatchDetails& details) {
    return fmt::format(
        "ErrCompacted: the start, {}, was below {}, to which the store had been compacted",
        details.requested_start, details.floor_when_asked);
  }

  static std::string NameOf(const Response& response) {
    if (!response.message.events.empty()) {
      return fmt::format("the {}", Phrase(response.message.events.front()));
    }
    if (response.message.compact_revision > 0) {
      return fmt::format("another ErrCompacted with compact revision {}",
                         response.message.compact_revision);
    }
    return response.message.canceled ? "a cancellation that nobody asked for" : "a progress answer";
  }

  // Changes that something later has overtaken after they had been compacted.
  void FindGap(WatchIndex watch, Findings& findings) {
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change lost = facts().comparer.FirstOf(watch, gap);
      if (lost.revision >= gap.compaction_requested) continue;
      findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
        return Draft{
            .expected = fmt::format("the {}, or ErrCompacted, as the store was compacted to {}",
                                    Phrase(lost), gap.compaction_requested),
            .observed = fmt::format("neither: revision {} in line {} left out {} owed change{}",
                                    gap.overtaken_by_revision, gap.overtaken_by.line.value,
                                    gap.to - gap.from, gap.to - gap.from == 1 ? "" : "s"),
            .evidence = {lost.written, gap.overtaken_by.line},
            .at = gap.overtaken_by.at,
            .like = like::kSilentAfterCompaction,
            .impact = impact::kNoticeMissing};
      });
      return;
    }
  }

  void FindNamelessEnd(WatchIndex watch, Findings& findings) {
    if (!EndedWithoutNotice(facts(), watch)) return;
    const WatchDetails& details = facts().book.details(watch);
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      return Draft{
          .expected = fmt::format("ErrCompacted with a compact revision, as the store was "
                                  "compacted to {}",
                                  facts().model.compaction_acknowledged()),
          .observed = fmt::format("the end of the watch in line {}, which names none; reason {}",
                                  details.ended->line.value, Quoted(details.end_text)),
          .evidence = {details.asked.line, details.ended->line},
          .at = details.ended->at,
          .impact = impact::kEndedUnasked};
    });
  }

  void FindSilence(WatchIndex watch, Findings& findings) {
    if (!OwesCompactionNotice(facts(), watch)) return;
    const WatchDetails& details = facts().book.details(watch);
    findings.Add(Guarantee::kCompactionSurfaced, watch, [&] {
      Draft draft{
          .expected = ExpectedAtCreation(details),
          .observed = fmt::format("silence until the end of the recording, {} after its latest "
                                  "message in line {}",
                                  Milliseconds(facts().latest.at - details.latest.at),
                                  details.latest.line.value),
          .evidence = {details.asked.line, details.latest.line},
          .at = facts().latest.at,
          .like = like::kSilentAfterCompaction,
          .impact = impact::kNoticeMissing};
      if (!details.starts_below_floor()) {
        draft.expected = fmt::format("the {}, or ErrCompacted, as the store was compacted to {}",
                                     Phrase(*facts().comparer.FirstMissing(watch)),
                                     facts().model.compaction_acknowledged());
      }
      return draft;
    });
  }

  std::vector<Served> served_;  // by watch
  std::set<Revision> others_;   // compactions by others that the reader knows of
};

const CheckerRegistration kCompactionSurfaced{{
    .guarantee = Guarantee::kCompactionSurfaced,
    .promise = "A watch that can no longer be given what it is owed ends in ErrCompacted, never in "
               "silence.",
    .belief = "Only ErrCompacted tells a Kubernetes cache to start over. Without it, it "
              "serves what it has as if that were up to date; told without cause, it "
              "lists everything anew for nothing.",
    .explain =
        "Compaction throws history away. What that means for a watch depends on its place, "
        "the lowest "
        "revision that it has not been given. Owed: a watch that asks for a start below the "
        "compaction "
        "floor, or whose next change has been compacted before it was sent, must end in "
        "ErrCompacted; if "
        "it is silently resumed at a later change, or left open, the client never learns "
        "that it missed "
        "something (etcd #17529). Permitted: below the floor, while the events are still on "
        "their way, or the server still has to look for them, either they or ErrCompacted may "
        "come. Forbidden: at or above the floor everything is kept, so ErrCompacted would be "
        "untrue; nor may it come to a watch that has caught up (its created header, "
        "progress, or an event says so at a time when nothing later had been written) and "
        "in whose range nothing was written since. When it comes it names a compact revision that "
        "is of "
        "use (above the "
        "watch's place, and that of a compaction which was asked for), it comes once, "
        "marked as canceled, "
        "for a live "
        "watch, and nothing but the answer to a cancel follows it.",
    .make = [](const Facts& facts) { return std::make_unique<CompactionSurfaced>(facts); },
}};

}  // namespace

namespace {

// Its start, or the next change that it was owed, lies below the floor.
bool BelowFloor(const Facts& facts, WatchIndex watch) {
  if (facts.book.details(watch).starts_below_floor()) return true;
  const auto missing = facts.comparer.FirstMissing(watch);
  return missing && missing->revision < facts.model.compaction_acknowledged();
}

}  // namespace

Revision HighestFloor(const Facts& facts) {
  const Revision base = facts.model.timeline().base();
  const Revision requested = facts.model.compaction_requested();
  return base.value > 1 ? std::max(base, requested) : requested;
}

bool ServedInFull(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.book.state(watch);
  // Where it has ended, what came later is not this one's to deliver.
  const bool behind = state.end == WatchEnd::kOpen && facts.comparer.FirstMissing(watch);
  return facts.book.details(watch).starts_below_floor() && state.events > 0 && !behind &&
         !facts.comparer.OpenedTooLate(watch) && facts.comparer.skipped(watch).empty();
}

bool OwesCompactionNotice(const Facts& facts, WatchIndex watch) {
  if (ServedInFull(facts, watch)) return false;
  const WatchState& state = facts.book.state(watch);
  if (!state.created || state.end != WatchEnd::kOpen) return false;
  // Nobody listens to it any more, or to the end of the recording.
  if (facts.book.details(watch).continued_by || facts.cut_off) return false;
  return BelowFloor(facts, watch);
}

bool EndedWithoutNotice(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.book.state(watch);
  if (!state.created || state.end != WatchEnd::kCancelled) return false;
  return !facts.book.details(watch).cancel_asked && BelowFloor(facts, watch);
}

}  // namespace watchproof
