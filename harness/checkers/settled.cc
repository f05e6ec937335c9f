// SPDX-License-Identifier: Apache-2.0
// Settled: after the load and the faults, every watch has been answered and is complete, compacted
// or ended on request.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// What it does to a Kubernetes cache.
constexpr std::string_view kCreateUnanswered =
    "A Kubernetes cache waits for its watch to begin, and serves outdated objects as if they were "
    "current.";
constexpr std::string_view kCancelUnanswered =
    "A Kubernetes API server keeps a watch that its client has cancelled, with its memory and "
    "traffic.";

// Parts of the promise.
constexpr std::string_view kCreateAnswered = "W-17";
constexpr std::string_view kCancelAnswered = "W-18";
constexpr std::string_view kLeaderRequired = "W-19";

constexpr Duration kAlwaysInTime = 1s;
constexpr int kTimesTheSlowestWrite = 20;

class Settled final : public Checker {
 public:
  // A refusal that only a start below the floor explains is judged by CompactionSurfaced.
  void Answered(WatchIndex watch, const Response& response) override {
    if (!IsRefusal(response)) return;
    if (RefusalIsJustified(facts(), watch, response)) return;
    const WatchDetails& details = facts().details(watch);
    const Revision start(details.requested_start);
    if (start.value > 0 && start < HighestFloor(facts())) return;
    Add(watch,
        {.expected = "a watch: nothing in the request gives a reason to refuse it",
         .observed = fmt::format("a refusal in line {}, giving as reason {}",
                                 response.where.line.value, Quoted(response.message.cancel_reason)),
         .evidence = {details.asked.line},
         .where = response.where,
         .impact = kCreateUnanswered,
         .clause = kCreateAnswered});
  }

  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    if (!IsWrite(call.method) || call.revision.value <= 0) return;
    slowest_write_ = std::max(slowest_write_, call.took);
    WrittenAt(call.revision) = {call.revision, {call.ended, call.at}};
  }

  // A delay counts from the answer to the write, for a watch that was created before it and had
  // been on time since the latest fault.
  void Delivered(WatchIndex watch, const Response& response) override {
    const Revision revision(response.message.events.front().kv.mod_revision);
    for (auto& [group, wait] : unasked_) {
      const bool due = revision <= wait.through && wait.streams.contains(response.stream);
      if (due || wait.watches.contains(watch.value)) wait.latest = response.where;
    }
    JudgeSilence(watch, revision, response);
    const Written& written = WrittenAt(revision);
    const auto& created = facts().details(watch).created;
    if (written.revision != revision || !created || created->line > written.answered.line) return;
    Pace& pace = At(paces_, watch);
    const Duration delay = response.where.at - written.answered.at;
    const bool was_on_time = pace.on_time && facts().faults.QuietSince(pace.since);
    pace = {delay < kAlwaysInTime, response.where.line};
    if (was_on_time && delay > worst_.delay) worst_ = {watch, written, response.where, delay};
  }

  void StreamClosed(const StreamEnd& end) override {
    closed_.insert(end.stream.value);
    if (end.intended || facts().faults.MayHaveEnded(end.stream, end.where.line, end.code)) return;
    dropped_.push_back(
        {end.stream, end.where,
         fmt::format("{}{}{}", Name(end.code), end.text.empty() ? "" : ": ", end.text),
         OpenOn(end.stream), end.code});
  }

  void Annotated(const Annotation& annotation, Where where) override {
    if (const auto* due = std::get_if<StreamEndDue>(&annotation)) {
      Exercised();
      due_[due->stream.value] = {*due, where};
    } else if (const auto* over = std::get_if<StreamEndOver>(&annotation)) {
      JudgeOpenStream(*over, where);
    } else if (const auto* wait = std::get_if<DeliveryDue>(&annotation)) {
      if (wait->unasked) BeginWait(*wait, where);
    } else if (const auto* ended = std::get_if<TargetEnded>(&annotation)) {
      processes_ended_.push_back(where.at - std::chrono::milliseconds(ended->ago_ms));
    } else if (const auto* waited = std::get_if<DeliveryOver>(&annotation)) {
      EndWait(*waited, where);
    }
  }

  void Conclude() override {
    NoteDelay();
    // The fault that cut a stream may be in the missing part of the recording.
    if (facts().cut_off || facts().faults.unsaid()) return;
    for (const Dropped& dropped : dropped_) {
      if (EndedWithProcess(dropped)) continue;
      Add(dropped.stream,
          {.expected = "a stream that lasts until the client closes it or a fault cuts it",
           .observed = fmt::format("it ended by itself in line {}, with {} open watch{}: {}",
                                   dropped.where.line.value, dropped.open,
                                   dropped.open == 1 ? "" : "es", dropped.status),
           .where = dropped.where,
           .symptom = symptom::StreamEnded{dropped.stream, dropped.code, dropped.where.line},
           .impact = impact::kEndedUnasked,
           .clause = clause::kLasts});
    }
  }

  // Misplaced events and ErrCompacted are judged by Reliable and CompactionSurfaced.
  void Afterwards(WatchIndex watch, const Response& response) override {
    if (facts().state(watch).end != WatchEnd::kCancelled || !IsPlain(response)) return;
    Add(watch, [&] {
      const Where ended = *facts().details(watch).ended;
      return Draft{.expected = "nothing more once the watch has been cancelled",
                   .observed = fmt::format("another message {}", Since(response.where, ended)),
                   .evidence = {ended.line},
                   .where = response.where,
                   .impact = impact::kAnsweredUnasked,
                   .clause = clause::kOnlyAnswers};
    });
  }

  void Stray(const Response& response) override {
    if (!IsPlain(response)) return;
    Add(response.stream,
        {.expected = "answers only to requests of the client",
         .observed = fmt::format("a {} for watch {}, which the stream does not have, in line {}",
                                 response.message.created    ? "creation"
                                 : response.message.canceled ? "cancellation"
                                                             : "progress answer",
                                 response.message.watch_id, response.where.line.value),
         .where = response.where,
         .impact = impact::kAnsweredUnasked,
         .clause = clause::kOnlyAnswers});
  }

  void Finish(WatchIndex watch) override {
    Exercised();
    const WatchDetails& details = facts().details(watch);
    switch (facts().state(watch).end) {
      case WatchEnd::kCompacted:
        return;
      case WatchEnd::kOpen:
        return FinishOpen(watch);
      case WatchEnd::kRefused:
      case WatchEnd::kStreamClosed:
        return;
      case WatchEnd::kCancelled:
        if (!details.cancel_asked && HasRight(facts(), watch) == true &&
            !NeighbourToBlame(facts(), watch) && !EndedWithoutNotice(facts(), watch)) {
          Report(watch, "a watch that lasts until it is cancelled",
                 fmt::format("the target ended it in line {}, giving as reason {}",
                             details.ended->line.value, Quoted(details.end_text)),
                 {.impact = impact::kEndedUnasked, .clause = clause::kLasts});
        }
        return;
    }
  }

 private:
  // The latest writes; memory is bounded by their number.
  static constexpr std::size_t kRemembered = 4096;
  struct Written {
    Revision revision{};
    Where answered;
  };
  struct Delay {
    WatchIndex watch{};
    Written written;
    Where delivered;
    Duration delay{};
  };
  // A watch that was late is measured again once it has been on time.
  struct Pace {
    bool on_time = true;
    Line since{};  // of that
  };
  struct Dropped {
    StreamId stream;
    Where where;
    std::string status;
    std::size_t open = 0;
    StatusCode code{};
  };

  // A process ends at about the time of its streams, and is for Available to judge.
  bool EndedWithProcess(const Dropped& dropped) const {
    static constexpr Duration kAbout = 2s;
    return dropped.code == StatusCode::kUnavailable &&
           std::ranges::any_of(processes_ended_, [&dropped](Duration ended) {
             return std::chrono::abs(ended - dropped.where.at) < kAbout;
           });
  }

  // Watches that must receive something although nothing is asked of the target.
  struct Wait {
    std::int64_t limit_ms = 0;
    Revision through{};
    Where since;
    Where latest;  // event of any of them, or that a neighbour on its stream had to receive, too
    std::set<std::uint32_t> watches{};
    std::set<StreamId> streams{};
  };
  // It ended without the change.
  struct Silence {
    Revision revision{};
    std::string change;  // in words
    Line written{};
    Where since;
    Where until;
    std::int64_t limit_ms = 0;
    std::int64_t answered_ms = 0;
  };

  // A stream that was opened with require-leader, to a member that has lost its leader.
  void JudgeOpenStream(const StreamEndOver& over, Where where) {
    const auto found = due_.extract(over.stream.value);
    if (found.empty() || closed_.contains(over.stream.value)) return;
    const auto& [what, since] = found.mapped();
    Add(over.stream,
        {.expected = fmt::format("the end of the stream within {} ms, as it has require-leader set "
                                 "and its member has lost the leader",
                                 what.limit_ms),
         .observed =
             fmt::format("a stream that stays open for {}", Milliseconds(where.at - since.at)),
         .evidence = {since.line},
         .where = where,
         .symptom = symptom::StreamKept{},
         .clause = kLeaderRequired,
         .by_silence = true});
  }

  void BeginWait(const DeliveryDue& due, Where where) {
    Wait wait{.limit_ms = due.limit_ms,
              .through = Revision(due.through),
              .since = where,
              .latest = where};
    for (std::size_t i = 0; i < std::min(due.streams.size(), due.ordinals.size()); ++i) {
      const auto index = facts().table.Find(StreamId(due.streams[i]), due.ordinals[i]);
      if (!index) continue;
      wait.watches.insert(static_cast<std::uint32_t>(*index));
      wait.streams.insert(StreamId(due.streams[i]));
    }
    unasked_[due.group] = std::move(wait);
  }

  // As long as something comes that is due on its stream the target is slow, and one that takes no
  // connection is not silent but stands still.
  void EndWait(const DeliveryOver& over, Where where) {
    const auto found = unasked_.extract(over.group);
    if (found.empty() || over.answered_ms < 0) return;
    const Wait& wait = found.mapped();
    if (where.at - wait.latest.at < std::chrono::milliseconds(wait.limit_ms)) return;
    // A member that was cut off may still be on its way back.
    if (facts().faults.MembersParted(Line())) return;
    for (const std::uint32_t watch : wait.watches) {
      const WatchIndex index(watch);
      if (!facts().state(index).created || !WaitsForNext(facts(), index)) continue;
      const auto missing = facts().comparer.FirstMissing(index);
      if (!missing || missing->revision > wait.through) continue;
      // The first wait for it says most.
      if (silences_[watch].revision == missing->revision) continue;
      silences_[watch] = {.revision = missing->revision,
                          .change = Phrase(*missing),
                          .written = missing->written,
                          .since = wait.since,
                          .until = where,
                          .limit_ms = wait.limit_ms,
                          .answered_ms = over.answered_ms};
    }
  }

  // What never comes is judged by others: it is lost, or the watch is stuck.
  void JudgeSilence(WatchIndex watch, Revision revision, const Response& response) {
    const auto found = silences_.extract(watch.value);
    if (found.empty() || found.mapped().revision != revision) return;
    const Silence& silence = found.mapped();
    Add(watch,
        {.expected = fmt::format("the {} within {} ms, by itself: no fault was active",
                                 silence.change, silence.limit_ms),
         .observed = fmt::format(
             "nothing for {}, although the target took each connection within {} ms meanwhile; it "
             "came in line {}, after the client had asked for more",
             Milliseconds(silence.until.at - silence.since.at), silence.answered_ms,
             response.where.line.value),
         .evidence = {silence.written, silence.since.line, silence.until.line},
         .where = response.where});
  }

  Written& WrittenAt(Revision revision) {
    return written_[static_cast<std::uint64_t>(revision.value) % kRemembered];
  }

  // etcd promises no delivery time, so a late event is a note and never a failure. The limit comes
  // from the run.
  void NoteDelay() {
    const Duration bound =
        std::max<Duration>(kAlwaysInTime, kTimesTheSlowestWrite * slowest_write_);
    if (worst_.delay <= bound) return;
    const Written& written = worst_.written;
    Add(worst_.watch,
        {.expected = fmt::format("events within {} of the answer to their write while no fault is "
                                 "active: {} times the slowest write of the run, and a second at "
                                 "least",
                                 Milliseconds(bound), kTimesTheSlowestWrite),
         .observed = fmt::format("revision {} came {} after that answer", written.revision,
                                 Milliseconds(worst_.delay)),
         .evidence = {written.answered.line},
         .where = worst_.delivered},
        Level::kMay);
  }

  std::size_t OpenOn(StreamId stream) const {
    const auto open = std::ranges::count_if(facts().table.On(stream), [this](WatchIndex watch) {
      return facts().state(watch).end == WatchEnd::kOpen;
    });
    return static_cast<std::size_t>(open);
  }

  static bool IsPlain(const Response& response) {
    return response.message.events.empty() && response.message.compact_revision <= 0;
  }

  void FinishOpen(WatchIndex watch) {
    const WatchState& state = facts().state(watch);
    const WatchDetails& details = facts().details(watch);
    if (NothingDue(facts(), watch)) return;
    const std::string quiet = fmt::format("for {} up to the end of the recording",
                                          Milliseconds(facts().latest.at - details.latest.at));
    if (!state.created) {
      return Report(watch, "an answer to the create request", "none " + quiet,
                    {.impact = kCreateUnanswered, .clause = kCreateAnswered, .by_silence = true});
    }
    if (details.cancel_asked) {
      return Report(watch, "an answer to the cancel request",
                    fmt::format("none in {}, from line {} to the end of the recording",
                                Milliseconds(facts().latest.at - details.cancel_asked->at),
                                details.cancel_asked->line.value),
                    {.impact = kCancelUnanswered, .clause = kCancelAnswered, .by_silence = true});
    }
    if (!ExpectsCompactionNotice(facts(), watch)) FinishStuck(watch, quiet);
  }

  void FinishStuck(WatchIndex watch, const std::string& quiet) {
    auto next = facts().comparer.NextExpected(watch);
    if (!next) return;
    const WatchState& state = facts().state(watch);
    const ExpectedList& expected = *facts().comparer.expected(watch);
    // A change at or below a bookmark is not a missing end but a gap, judged by Reliable.
    std::uint64_t missing = facts().comparer.Missing(watch);
    while (*next < expected.size() && expected[*next].revision <= state.bookmark) {
      ++*next;
      --missing;
    }
    if (*next == expected.size()) return;
    Report(
        watch,
        fmt::format("every expected change up to revision {}, or ErrCompacted",
                    facts().timeline().known_through()),
        fmt::format(
            "stuck at revision {}: {} change{} missing, the first is the {}; nothing came {}",
            state.position, missing, missing == 1 ? " is" : "s are",
            Phrase(facts().comparer.change(expected[*next])), quiet),
        {.lost = LossOfRest(watch, *next), .about = expected[*next].revision, .by_silence = true});
  }

  // The loss of every expected change from that one on.
  Loss LossOfRest(WatchIndex watch, std::uint32_t next) const {
    const ExpectedList& expected = *facts().comparer.expected(watch);
    Skipped rest{.from = next, .to = expected.size(), .compaction_requested = {}};
    rest.compaction_requested = facts().model.calls().compaction_requested();
    rest.received = facts().table.Received(facts().state(watch).stream);
    return GravestLoss(facts(), watch, rest);
  }

  // `draft` without what was expected and observed, and where.
  void Report(WatchIndex watch, std::string expected, std::string observed, Draft draft) {
    const WatchDetails& details = facts().details(watch);
    const Where last = details.ended.value_or(details.latest);
    Add(watch, [&] {
      draft.expected = std::move(expected);
      draft.observed = std::move(observed);
      draft.evidence = {details.asked.line};
      draft.at = details.ended ? details.ended->at : facts().latest.at;
      if (last.line != details.asked.line) draft.evidence.push_back(last.line);
      return draft;
    });
  }

  std::vector<Written> written_ = std::vector<Written>(kRemembered);  // by revision, modulo that
  std::vector<Pace> paces_;                                           // by watch
  Duration slowest_write_{};
  Delay worst_;
  std::vector<Dropped> dropped_;
  std::vector<Duration> processes_ended_;
  std::set<std::uint32_t> closed_;                               // streams
  std::map<std::uint32_t, std::pair<StreamEndDue, Where>> due_;  // by stream
  std::map<std::string, Wait> unasked_;                          // by group
  std::map<std::uint32_t, Silence> silences_;                    // by watch
};

const CheckerRegistration<Settled> kSettled{{
    .guarantee = Guarantee("Settled"),
    .place = 140,
    .gravity = Gravity::kSilence,
    .of_driver = true,
    .clause = "W-12",
    .impact = "A Kubernetes cache waits for events that do not come and serves outdated objects "
              "as if they were current.",
    .explain = "When faults are healed and writing has stopped, every wait must end. Every create "
               "request has been answered; every watch has received all expected changes, or "
               "ErrCompacted, or ended because the client cancelled it or closed the stream. Any "
               "other watch is stuck: the finding names its position, the next expected change "
               "and the number of missing changes. A create may be refused only because of the "
               "request: an empty range, a negative start, an id that is in use, a range that the "
               "user may not read; or while a fault takes down the server or its leader. A watch "
               "must not end without a request, and a stream must not end by itself, whatever its "
               "status and however well its watches are resumed later: only a fault armed before "
               "that can end streams, or the client, explains such an end. What was written must "
               "come by itself: a change that reaches no watch for seconds, while nothing else is "
               "asked and the target answers, and that comes with the next call, had been left "
               "asleep.",
}};

}  // namespace
}  // namespace watchproof
