// SPDX-License-Identifier: Apache-2.0
// CompactionSurfaced: a watch that can no longer receive an expected event gets ErrCompacted, once,
// in time and truthfully.
#include <algorithm>
#include <set>

#include "harness/checkers/checker.h"
#include "harness/checkers/compaction_notice.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// What it does to a Kubernetes cache.
constexpr std::string_view kNoticeMissing =
    "A Kubernetes cache starts over only when it receives ErrCompacted. Without it, the cache "
    "serves outdated objects as if they were current.";
constexpr std::string_view kNoticeRepeated =
    "A Kubernetes API server receives the end of the same watch again and again, and these "
    "messages delay the other watches of the stream.";

constexpr std::string_view kReadOfHistory =
    "A Kubernetes API server that lists page by page at one revision gets a page of another state, "
    "or has to begin anew without need.";

constexpr std::string_view kCompactionRefused =
    "A client that compacts takes history for gone, or kept, that is not.";

// Parts of the promise.
constexpr std::string_view kReadsAtTheFloor = "C-4";
constexpr std::string_view kCompactionsInRange = "C-5";
constexpr std::string_view kNoticeOnce = "C-3";

class CompactionSurfaced final : public Checker {
 public:
  void Answered(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, response);
    CheckRefusal(watch, response);
  }
  void Progress(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, response);
  }
  void Cancelled(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, response);
  }

  void Delivered(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, response);
    const WatchDetails& details = facts().details(watch);
    if (!details.starts_below_floor()) return;
    Served& served = At(served_, watch);
    const Revision first(response.message.events.front().kv.mod_revision);
    served.history |= first < details.floor_when_asked;
    if (response.highest < details.floor_when_asked || served.where.line.value != 0) return;
    served.where = response.where;
    served.received = response.received;
    served.event = Phrase(response.message.events.back());
  }

  void Compacted(WatchIndex watch, const Response& response) override {
    Exercised();
    if (auto draft = WrongNotice(facts(), watch, response)) Add(watch, *std::move(draft));
  }

  void Afterwards(WatchIndex watch, const Response& response) override {
    const WatchDetails& details = facts().details(watch);
    const WatchEnd end = facts().state(watch).end;
    const bool notice = response.message.compact_revision > 0;
    if (end != WatchEnd::kCompacted && !(end == WatchEnd::kCancelled && notice)) return;
    Add(watch,
        {.expected = end == WatchEnd::kCompacted
                         ? "ErrCompacted as the last message of the watch"
                         : "no ErrCompacted for a watch that has been cancelled",
         .observed = fmt::format("{} {}", NameOf(response), Since(response.where, *details.ended)),
         .evidence = {details.ended->line},
         .where = response.where,
         .symptom = SymptomOf(watch, response),
         .impact = notice ? kNoticeRepeated : impact::kAnsweredUnasked,
         .clause = kNoticeOnce});
  }

  void Stray(const Response& response) override {
    if (response.message.compact_revision <= 0 || !response.message.events.empty()) return;
    Add(response.stream,
        {.expected = "ErrCompacted only for watches that have been created",
         .observed = fmt::format("one for watch {}, which the stream does not have, in line {}",
                                 response.message.watch_id, response.where.line.value),
         .where = response.where,
         .impact = impact::kAnsweredUnasked,
         .clause = clause::kOnlyAnswers});
  }

  // etcd answers both compacted and future revisions as out of range.
  void CallEnded(const RecordedCall& call, std::string_view error,
                 std::optional<Revision> ceiling) override {
    if (call.method == Method::kRange || call.method == Method::kTxn)
      return JudgeReads(call, error, ceiling);
    if (call.method != Method::kCompact) return;
    const Revision asked(call.named);
    const bool below = call.floor.value > 0 && asked <= call.floor;
    const bool beyond = ceiling && asked > *ceiling;
    if ((!below && !beyond) || call.code == StatusCode::kOutOfRange) return;
    // Without an answer its effect is unknown. Of two reasons to refuse it, either will do.
    const bool done = call.code == StatusCode::kOk;
    const bool no_right =
        call.code == StatusCode::kPermissionDenied || call.code == StatusCode::kUnauthenticated;
    if (no_right || (!done && !IsDefiniteRefusal(call.code))) return;
    Report(
        call,
        fmt::format("a compaction at revision {} to be refused as out of range: {}", asked,
                    below ? fmt::format("the store has been compacted to {}", call.floor)
                          : fmt::format("the store has not exceeded {}", *ceiling)),
        done ? std::string("it was acknowledged") : fmt::format("{}: {}", Name(call.code), error),
        {kCompactionsInRange, kCompactionRefused}, done ? Level::kMust : Level::kShould);
  }

  void Finish(WatchIndex watch) override {
    const Revision floor = facts().details(watch).floor_when_asked;
    if (floor.value > 0 ||
        facts().model.calls().compaction_requested() > facts().state(watch).start) {
      Exercised();
    }
    if (Has(watch)) return;
    if (At(served_, watch).where.line.value != 0) return ReportServed(watch);
    FindGap(watch);
    if (Has(watch)) return;
    FindSilence(watch);
    if (facts().passive()) NoteSilence(watch);
    FindNamelessEnd(watch);
    JudgeOthers(watch);
  }

  void Conclude() override {
    if (silent_ == 0) return;
    Undecide(
        fmt::format("{} from below the compaction floor had received neither an event nor "
                    "ErrCompacted when the recording ended, for up to {}",
                    silent_ == 1 ? "1 watch" : fmt::format("{} watches", silent_),
                    Milliseconds(longest_silence_)));
  }

 private:
  // What a message shows that comes after the end of its watch.
  Symptom SymptomOf(WatchIndex watch, const Response& response) const {
    if (facts().state(watch).end != WatchEnd::kCompacted) return {};
    if (response.message.compact_revision > 0) return symptom::NoticeAgain{};
    const bool goes_on = !response.message.canceled && response.message.compact_revision == 0;
    return goes_on ? Symptom(symptom::Silence{facts().table.Received(response.stream)}) : Symptom();
  }

  // The past revisions that a read asks for, or a transaction with those in it: by the branches
  // that ran, as it was answered, or else by all that may have run.
  static std::vector<Revision> PastOf(const RecordedCall& call) {
    if (call.method == Method::kRange && call.named > 0) return {Revision(call.named)};
    std::vector<Revision> past;
    if (call.method != Method::kTxn) return past;
    if (call.code == StatusCode::kOk) {
      AddRead(call.request.view(), call.response.view(), past);
    } else {
      AddAsked(call.request.view(), past);
    }
    return past;
  }
  static void AddRead(std::string_view request, std::string_view response,
                      std::vector<Revision>& past) {
    TxnRequestView txn;
    TxnResponseView answer;
    if (!Parse(request, txn).ok() || !Parse(response, answer).ok()) return;
    const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
    for (std::size_t i = 0; i < std::min(ran.size(), answer.responses.size()); ++i) {
      if (ran[i].kind == Method::kTxn) AddRead(ran[i].body, answer.responses[i].body, past);
      AddRange(ran[i], past);
    }
  }
  static void AddAsked(std::string_view request, std::vector<Revision>& past) {
    TxnRequestView txn;
    if (!Parse(request, txn).ok()) return;
    for (const std::vector<OperationView>* branch : {&txn.success, &txn.failure}) {
      // Nothing has to hold: that is the one that runs.
      if (branch == &txn.failure && txn.compare.empty()) continue;
      for (const OperationView& operation : *branch) {
        if (operation.kind == Method::kTxn) AddAsked(operation.body, past);
        AddRange(operation, past);
      }
    }
  }
  static void AddRange(const OperationView& operation, std::vector<Revision>& past) {
    RangeRequestView range;
    if (operation.kind != Method::kRange || !Parse(operation.body, range).ok()) return;
    if (range.revision > 0) past.emplace_back(range.revision);
  }

  // Codes that a read is refused with for no reason but the revision, and not for that either.
  static bool RefusesOtherwise(StatusCode code) {
    return code == StatusCode::kNotFound || code == StatusCode::kFailedPrecondition ||
           code == StatusCode::kDataLoss;
  }

  // What a compaction keeps can be read, and what it removed cannot.
  void JudgeReads(const RecordedCall& call, std::string_view error,
                  std::optional<Revision> ceiling) {
    const std::vector<Revision> past = PastOf(call);
    // The answer names it, too; if that is too high, the ceiling still holds where it is known.
    const bool answered = call.outcome == CallOutcome::kAnswered && call.revision.value > 0;
    const Revision head = std::min(ceiling.value_or(Revision(INT64_MAX)),
                                   answered ? call.revision : Revision(INT64_MAX));
    for (const Revision asked : past) {
      if (asked <= head || call.code != StatusCode::kOk) continue;
      return Report(call,
                    fmt::format("a read at revision {} to be refused as out of range: the store "
                                "has not exceeded {}",
                                asked, head),
                    "it was answered", {kReadsAtTheFloor, kReadOfHistory});
    }
    // The member that answers may not know of the compaction yet, or be a learner, which refuses
    // every linearizable read.
    if (past.empty() || call.serializable || error.ends_with("for learner")) return;
    const auto [lowest, highest] = std::minmax_element(past.begin(), past.end());
    const bool gone = *lowest < call.floor && !facts().options.deviations.keeps_history;
    const bool kept = *lowest >= HighestFloor(facts()) && *highest <= call.before.revision &&
                      !facts().options.others_compact;
    // A transaction is refused for its other operations as well.
    const bool otherwise = call.method == Method::kRange && RefusesOtherwise(call.code);
    if (gone && (call.code == StatusCode::kOk || otherwise)) {
      Report(call,
             fmt::format("a read at revision {} to be refused as out of range: the store has been "
                         "compacted to {}",
                         *lowest, call.floor),
             otherwise ? fmt::format("{}: {}", Name(call.code), error) : "it was answered",
             {kReadsAtTheFloor, kReadOfHistory});
    } else if (kept && (call.code == StatusCode::kOutOfRange || otherwise)) {
      Report(
          call,
          fmt::format("an answer to a read at revision {}: no compaction above {} was requested, "
                      "and the store had reached {}",
                      *lowest, HighestFloor(facts()), call.before.revision),
          fmt::format("{}: {}", Name(call.code), error), {kReadsAtTheFloor, kReadOfHistory});
    }
  }

  struct Rule {
    std::string_view clause;
    std::string_view impact;
  };
  void Report(const RecordedCall& call, std::string expected, std::string observed,
              const Rule& rule, Level level = Level::kMust) const {
    Add(MemberSubject{1, call.began},
        {.expected = std::move(expected),
         .observed = std::move(observed),
         .evidence = {call.began},
         .where = {call.ended, call.at},
         .about = Revision(call.named),
         .impact = rule.impact,
         .clause = rule.clause},
        level);
  }

  // The first event at or above the floor that was sent to a watch instead of ErrCompacted.
  struct Served {
    Where where;
    std::uint64_t received = 0;  // on the stream, by then
    std::string event;
    bool history = false;  // an event below the floor came before it
  };

  // Whether anything is missing is only known at the end.
  void ReportServed(WatchIndex watch) {
    const WatchDetails& details = facts().details(watch);
    const Served& served = served_[watch.value];
    // What was written below the floor need not be seen in a passive recording.
    const bool complete = ServedInFull(facts(), watch) && (served.history || !facts().passive());
    if (complete && facts().options.deviations.keeps_history) return;
    Add(
        watch,
        [&] {
          Draft draft{.expected = ExpectedAtCreation(details),
                      .observed = fmt::format("silence, and then the {} in line {}", served.event,
                                              served.where.line.value),
                      .evidence = {details.asked.line},
                      .where = served.where,
                      .symptom = symptom::Silence{served.received},
                      .impact = kNoticeMissing};
          if (complete && !served.history) {
            draft.observed = fmt::format(
                "the {} in line {}; nothing of the watch's range had "
                "been compacted, so it missed no change",
                served.event, served.where.line.value);
          } else if (complete) {
            draft.observed = fmt::format(
                "every change from {} on, also those below the compaction: etcd does not serve "
                "these, but this watch missed no change",
                details.requested_start);
            draft.symptom = {};
          }
          return draft;
        },
        complete ? Level::kShould : Level::kMust);
  }

  // A message with a compact revision must end the watch, with canceled set.
  void CheckPosition(WatchIndex watch, const Response& response) const {
    const std::int64_t reported = response.message.compact_revision;
    if (reported == 0 || (reported > 0 && response.message.canceled)) return;
    Add(watch, WrongNumber(response, "a compact revision only in a message with canceled set"));
  }

  // The create was refused, and only its start explains that.
  void CheckRefusal(WatchIndex watch, const Response& response) const {
    // What the client may read is not known of a passive recording.
    if (!IsRefusal(response) || facts().passive()) return;
    const WatchDetails& details = facts().details(watch);
    const Revision start(details.requested_start);
    if (start.value <= 0 || start >= HighestFloor(facts())) return;
    if (RefusalIsJustified(facts(), watch, response)) return;
    Add(watch,
        {.expected = fmt::format("ErrCompacted with a compact revision: the start, {}, is below "
                                 "{}, the revision of a requested compaction",
                                 start, HighestFloor(facts())),
         .observed = fmt::format("a refusal in line {} without one; reason {}",
                                 response.where.line.value, Quoted(response.message.cancel_reason)),
         .evidence = {details.asked.line},
         .where = response.where,
         .impact = kNoticeMissing});
  }

  // Reads of past revisions show whether the compaction in the watch's ErrCompacted happened.
  void JudgeOthers(WatchIndex watch) {
    const WatchState& state = facts().state(watch);
    const Revision reported = state.compact_revision;
    if (state.end != WatchEnd::kCompacted || !IsByOthers(facts(), reported) ||
        reported <= state.position)
      return;
    const Where ended = *facts().details(watch).ended;
    const auto read = facts().model.calls().ReadableSince(reported.previous(), ended.line);
    const CallLog::Reading& last = facts().model.calls().latest_reading();
    const bool reached = last.started < ended.line || reported <= last.revision;
    if (!read && reached) {
      const bool gone = facts().model.calls().GoneBelow() >= reported;
      if (!others_.insert(reported).second) return;
      return Undecide(fmt::format(
          "others compacted the target to revision {}{}; events pending for watches behind it "
          "were not judged",
          reported, gone ? "" : ", reported by a watch only"));
    }
    Add(watch, [&] {
      Draft draft{
          .expected = "no ErrCompacted for a compaction that did not happen",
          .observed = fmt::format("one with compact revision {} in line {}, and an answer to "
                                  "a read of revision {} or below",
                                  reported, ended.line.value, reported.previous()),
          .evidence = {ended.line},
          .at = ended.at,
          .symptom = symptom::FalseNotice{.by_reads = true}};
      if (read) {
        draft.evidence.push_back(*read);
      } else {
        draft.observed = fmt::format(
            "one with compact revision {} in line {}; the store only "
            "reached {}",
            reported, ended.line.value, last.revision);
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
    return response.message.canceled ? "a cancellation that was not requested"
                                     : "a progress response";
  }

  // Changes that a later one has overtaken after they had been compacted.
  void FindGap(WatchIndex watch) {
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change lost = facts().comparer.FirstOf(watch, gap);
      if (lost.revision >= gap.compaction_requested) continue;
      const Loss loss = GravestLoss(facts(), watch, gap);
      Add(watch,
          {.expected = fmt::format("the {}, or ErrCompacted, as the store was compacted to {}",
                                   Phrase(loss.change), gap.compaction_requested),
           .observed = fmt::format("neither: revision {} in line {} skipped {} expected change{}",
                                   gap.overtaken_by_revision, gap.overtaken_by.line.value,
                                   gap.to - gap.from, gap.to - gap.from == 1 ? "" : "s"),
           .evidence = {loss.change.written},
           .where = gap.overtaken_by,
           .lost = loss,
           .about = loss.change.revision,
           .impact = kNoticeMissing});
      return;
    }
  }

  void FindNamelessEnd(WatchIndex watch) {
    // A target may have other reasons, which only a driver excludes.
    if (!EndedWithoutNotice(facts(), watch) || facts().passive()) return;
    const WatchDetails& details = facts().details(watch);
    Add(watch, {.expected = fmt::format("ErrCompacted with a compact revision, as the store was "
                                        "compacted to {}",
                                        facts().model.calls().compaction_acknowledged()),
                .observed = fmt::format("the end of the watch in line {} without one; reason {}",
                                        details.ended->line.value, Quoted(details.end_text)),
                .evidence = {details.asked.line},
                .where = *details.ended,
                .impact = impact::kEndedUnasked});
  }

  // Where the recording may end at any time, silence is no proof.
  void NoteSilence(WatchIndex watch) {
    const WatchState& state = facts().state(watch);
    const WatchDetails& details = facts().details(watch);
    if (!state.created || state.end != WatchEnd::kOpen || !details.starts_below_floor()) return;
    ++silent_;
    longest_silence_ = std::max(longest_silence_, facts().latest.at - details.latest.at);
  }

  void FindSilence(WatchIndex watch) {
    if (!ExpectsCompactionNotice(facts(), watch)) return;
    const WatchDetails& details = facts().details(watch);
    Add(watch, [&] {
      Draft draft{
          .expected = ExpectedAtCreation(details),
          .observed = fmt::format("silence until the end of the recording, {} after its latest "
                                  "message in line {}",
                                  Milliseconds(facts().latest.at - details.latest.at),
                                  details.latest.line.value),
          .evidence = {details.asked.line, details.latest.line},
          .at = facts().latest.at,
          .symptom = symptom::Silence{facts().table.Received(facts().state(watch).stream), true},
          .impact = kNoticeMissing,
          .by_silence = true};
      if (!details.starts_below_floor()) {
        const Change missing = *facts().comparer.FirstMissing(watch);
        draft.about = missing.revision;
        draft.expected =
            fmt::format("the {}, or ErrCompacted, as the store was compacted to {}",
                        Phrase(missing), facts().model.calls().compaction_acknowledged());
      }
      return draft;
    });
  }

  std::uint64_t silent_ = 0;  // watches of a passive recording that still wait for ErrCompacted
  Duration longest_silence_{};
  std::vector<Served> served_;  // by watch
  std::set<Revision> others_;   // compactions by others that are already reported
};

const CheckerRegistration<CompactionSurfaced> kCompactionSurfaced{{
    .guarantee = Guarantee("CompactionSurfaced"),
    .place = 70,
    .gravity = Gravity::kData,
    .clause = "C-1",
    .impact = "A Kubernetes cache starts over only when it receives ErrCompacted. Without it, the "
              "cache serves outdated objects as if they were current; with a false one, it lists "
              "everything anew without need.",
    .explain = "Compaction deletes history. What that means for a watch depends on its position, "
               "the lowest revision that it has not received. Required: a watch with a requested "
               "start below the compaction floor, or with a next change that was compacted before "
               "it was sent, must end with ErrCompacted; if it silently continues at a later "
               "change, or stays open, the client cannot detect that it missed something (etcd "
               "#17529). Permitted: below the floor, while the events are still under way, or the "
               "server still has to look for them, either they or ErrCompacted may come. "
               "Forbidden: at or above the floor everything is kept, so ErrCompacted would be "
               "false; nor may it come to a watch that has caught up (its created header, "
               "progress, or an event shows so at a time when nothing later had been written) and "
               "without later writes in its range. When ErrCompacted comes, it names a useful "
               "compact revision (above the watch's position, and that of a requested "
               "compaction), it comes once, with canceled set, for an open watch, and no message "
               "but the answer to a cancel follows it. Reads at a past revision follow the same "
               "floor: below it they are refused as out of range, from it on they are answered.",
}};

}  // namespace
}  // namespace watchproof
