// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/judge.h"

#include <map>
#include <set>
#include <utility>

#include "harness/checkers/backlog.h"
#include "harness/checkers/checker.h"
#include "harness/checkers/control_watch_rule.h"
#include "harness/checkers/phrases.h"
#include "harness/history/history_parser.h"
#include "harness/model/lag.h"

namespace watchproof {

// Its members are for Judge alone, at the end of this file.
struct Judge::Impl final : HistoryVisitor {
  Impl(const JudgeOptions& options, LagMeter* lag) : options_(options), lag_(lag), parser_(*this) {
    facts_.signer = signer_.get();
    for (const CheckerInfo& info : RegisteredCheckers()) {
      if (info.of_calls && !options_.calls) continue;
      if (info.of_driver && passive()) continue;
      Checkers& group = info.of_calls ? call_checkers_ : checkers_;
      group.push_back(info.make());
      group.back()->Bind(facts_, findings_, info.guarantee);
    }
  }

  bool passive() const { return options_.observed != nullptr; }

  void Consume(const NumberedEntry& line) {
    if (line.line != facts_.latest.line.next() && facts_.latest.line.value != 0 &&
        !lines_missing_) {
      lines_missing_ = fmt::format("lines between {} and {} are missing from the recording",
                                   facts_.latest.line.value, line.line.value);
    }
    facts_.latest = {line.line, line.entry.at};
    faults_.Consume(line);
    switch (line.entry.kind) {
      case EntryKind::kCallStarted:
        if (const RecordedCall* call = model_.Consume(line)) signer_->CallStarted(*call);
        return;
      case EntryKind::kCallEnded:
        if (const RecordedCall* call = model_.Consume(line)) EndCall(*call, line.entry.text);
        return Drain();
      case EntryKind::kFault:
        if (lag_ != nullptr) lag_->FaultLine(line.entry.text, line.entry.at);
        return;
      default:
        parser_.Consume(line);
    }
  }

  Judgement Finish(Ending ending) {
    facts_.cut_off = ending == Ending::kCutOff || stopped_ || passive();
    model_.Finish();
    Drain();
    backlog_.Drain(Revision(INT64_MAX),
                   [this](WatchIndex watch, ResponsePtr response) { Compare(watch, *response); });
    EndUncounted();
    for (const WatchIndex watch : table_.All()) {
      const bool of_questions = questions_ && table_.details(watch).asked.line > *questions_;
      if (of_questions) BeginUncounted();
      for (const auto& checker : checkers_) checker->Finish(watch);
      if (of_questions) EndUncounted();
    }
    for (const auto& checker : checkers_) checker->Conclude();
    control_.Check(model_.timeline(), findings_);
    if (converged_ && !facts_.cut_off) {
      control_.Finish(model_.timeline(), facts_.latest, findings_);
    }
    CallsJudged calls;
    if (options_.calls) calls = JudgeCalls(facts_, call_checkers_);
    findings_.SignInHindsight();
    Judgement judgement{.findings = findings_.Finished(),
                        .exercise = Exercised(calls.judged),
                        .undecided = Undecided(),
                        .notes = findings_.FinishedNotes(),
                        .calls = std::move(calls)};
    GravestFirst(judgement.findings);
    return judgement;
  }

  Exercise Exercised(std::uint64_t calls_judged) const {
    Exercise exercise = ExerciseOfWatches(facts_);
    exercise.promises_asked += progress_asked_;
    exercise.promises_answered += progress_answered_;
    const auto add = [&exercise](const Checker& checker, std::uint64_t times) {
      if (times > 0) exercise.opportunities[std::string(Name(checker.guarantee()))] = times;
    };
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      const std::uint64_t uncounted = i < uncounted_.size() ? uncounted_[i] : 0;
      add(*checkers_[i], checkers_[i]->opportunities() - uncounted);
    }
    exercise.questions_left = questions_left_;
    exercise.asked.assign(asked_.begin(), asked_.end());
    for (const auto& checker : call_checkers_) add(*checker, calls_judged);
    return exercise;
  }

  // Opportunities between the two do not count for the case: those of sentinels, and of the
  // standing promises.
  void BeginUncounted() {
    before_uncounted_.clear();
    for (const auto& checker : checkers_) before_uncounted_.push_back(checker->opportunities());
  }
  void EndUncounted() {
    uncounted_.resize(checkers_.size());
    for (std::size_t i = 0; i < before_uncounted_.size(); ++i) {
      uncounted_[i] += checkers_[i]->opportunities() - before_uncounted_[i];
    }
    before_uncounted_.clear();
  }

  void EndCall(const RecordedCall& call, std::string_view error) {
    const bool answered = call.outcome == CallOutcome::kAnswered;
    signer_->CallEnded(call);
    if (lag_ != nullptr && answered && IsWrite(call.method)) lag_->Known(call.revision, call.at);
    const std::optional<Revision> ceiling = model_.Ceiling();
    for (const auto& checker : checkers_) checker->CallEnded(call, error, ceiling);
  }

  // Checkers first, the table after: they see each watch in its state before.
  void OnAsked(WatchIndex watch, const Asked& asked) override {
    if (lag_ != nullptr) lag_->Asked(watch, asked);
    table_.Ask(asked, model_.calls().compaction_acknowledged(), model_.timeline().known_through());
    signer_->OnAsked(watch, asked);
    for (const auto& checker : checkers_) checker->Asked(watch);
    if (!options_.gaps || passive() || model_.control().Covers(table_.details(watch).range.range))
      return;
    findings_.Undecide(fmt::format(
        "line {}: no control watch covers all of {}, so missing revisions cannot be explained",
        asked.where.line.value, Phrase(table_.details(watch).range.range)));
  }
  void OnCancelAsked(WatchIndex watch, Where where) override {
    // It does not explain an end before it.
    const bool open = table_.state(watch).end == WatchEnd::kOpen;
    (open ? table_.details(watch).cancel_asked : table_.details(watch).release_asked) = where;
  }
  void OnCreated(WatchIndex watch, const Response& response) override {
    signer_->OnMessage(response);
    // A member that has not come further may have carried out no compaction but those that it
    // acknowledged itself, and have its history still.
    const HeaderView& header = response.message.header;
    if (options_.members > 1 && Revision(header.revision) <= model_.calls().compacted_at()) {
      WatchDetails& details = table_.details(watch);
      details.floor_when_asked =
          std::min(details.floor_when_asked,
                   model_.calls().CompactedBy(header.member_id, details.asked.line));
    }
    for (const auto& checker : checkers_) checker->Answered(watch, response);
    table_.Create(watch, response, model_.Ceiling());
    signer_->OnCreated(watch, response);
    comparer_.Open(watch, table_.details(watch).range, table_.state(watch).start);
    if (comparer_.OpenedTooLate(watch) && !table_.details(watch).starts_below_floor()) {
      findings_.Undecide(fmt::format(
          "line {}: by its header {} starts below revision {}, to which the store had been "
          "compacted before; changes below that revision were not judged",
          response.where.line.value, table_.Label(watch), model_.timeline().forgotten()));
    }
  }
  void OnRefused(WatchIndex watch, const Response& response) override {
    for (const auto& checker : checkers_) checker->Answered(watch, response);
    table_.End(watch, WatchEnd::kRefused, response.where, response.message.cancel_reason);
    signer_->OnRefused(watch, response);
  }
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override {
    if (lag_ != nullptr) lag_->Delivered(watch, *response);
    response->compaction_requested = model_.calls().compaction_requested();
    response->received = table_.Receive(response->stream, response->compaction_requested);
    signer_->OnDelivered(watch, response);
    for (const auto& checker : checkers_) checker->Delivered(watch, *response);
    table_.Deliver(watch, *response, model_.Ceiling());
    if (!backlog_.Waits(watch) && comparer_.Knows(*response)) return Compare(watch, *response);
    backlog_.Push(watch, std::move(response));
  }
  void OnProgress(WatchIndex watch, const Response& response) override {
    progress_answered_ += progress_due_.erase(response.stream.value);
    // The server may know of the cancel: progress of the stream may overtake its answer.
    if (response.message.watch_id < 0 && table_.details(watch).cancel_asked) return;
    signer_->OnProgress(watch, response);
    for (const auto& checker : checkers_) checker->Progress(watch, response);
    table_.Progress(watch, response);
  }
  void OnCompacted(WatchIndex watch, const Response& response) override {
    table_.Receive(response.stream, model_.calls().compaction_requested());
    signer_->OnCompacted(watch, response);
    for (const auto& checker : checkers_) checker->Compacted(watch, response);
    const Revision reported(response.message.compact_revision);
    if (options_.others_compact && !model_.calls().CompactionAsked(reported))
      claims_.insert(reported);
    table_.state(watch).compact_revision = reported;
    table_.End(watch, WatchEnd::kCompacted, response.where, response.message.cancel_reason);
  }
  void OnCancelled(WatchIndex watch, const Response& response) override {
    signer_->OnMessage(response);
    for (const auto& checker : checkers_) checker->Cancelled(watch, response);
    table_.End(watch, WatchEnd::kCancelled, response.where, response.message.cancel_reason);
  }
  void OnAfterwards(WatchIndex watch, const Response& response) override {
    signer_->OnMessage(response);
    if (!response.message.events.empty() || response.message.compact_revision != 0) {
      table_.Receive(response.stream, model_.calls().compaction_requested());
    }
    for (const auto& checker : checkers_) checker->Afterwards(watch, response);
  }
  void OnStray(const Response& response) override {
    signer_->OnMessage(response);
    for (const auto& checker : checkers_) checker->Stray(response);
  }
  void OnProgressAsked(StreamId stream, Where where) override {
    table_.AskProgress(stream);
    signer_->OnProgressAsked(stream, where);
  }
  void OnStreamProgress(StreamId stream) override { signer_->OnStreamProgress(stream); }
  void OnAnnotation(const Annotation& annotation, Where where) override {
    signer_->OnAnnotation(annotation, where);
    if (const auto* restored = std::get_if<Restored>(&annotation)) {
      model_.Restored(Revision(restored->saved), Revision(restored->revision));
    } else if (const auto* resumption = std::get_if<Resumption>(&annotation)) {
      if (lag_ != nullptr) lag_->Continues(resumption->next_stream, resumption->next_ordinal);
      if (auto reason = table_.Resume(*resumption, where)) findings_.Undecide(*std::move(reason));
    } else if (const auto* right = std::get_if<ReadRight>(&annotation)) {
      table_.Limit(*right, where);
    } else if (const auto* limits = std::get_if<StoreLimits>(&annotation)) {
      facts_.limits = *limits;
    } else if (const auto* reached = std::get_if<StageReached>(&annotation)) {
      if (lag_ != nullptr && reached->stage == Stage::kHealed) lag_->AllHealed(where.at);
      converged_ = converged_ || reached->stage == Stage::kConverged;
      stopped_ = stopped_ || reached->stage == Stage::kStopped;
      if (reached->stage == Stage::kHealed) healed_ = where.line;
      findings_.AskPromise(where.line, {}, {});
      if (reached->stage == Stage::kQuestions && !questions_) {
        questions_ = where.line;
        BeginUncounted();
      }
    } else if (const auto* promise = std::get_if<PromiseAsked>(&annotation)) {
      findings_.AskPromise(where.line, promise->promise, promise->text);
      asked_.insert(promise->promise);
    } else if (std::holds_alternative<ConsumerStarted>(annotation)) {
      facts_.of_consumer = true;
    } else if (std::holds_alternative<QuestionLeft>(annotation)) {
      ++questions_left_;
    } else if (const auto* due = std::get_if<ProgressDue>(&annotation)) {
      ++progress_asked_;
      progress_due_.insert(due->stream.value);
    }
    for (const auto& checker : checkers_) checker->Annotated(annotation, where);
    for (const auto& checker : call_checkers_) checker->Annotated(annotation, where);
  }
  // Streams that the driver closes after its last wait do not end their watches: a change that has
  // not come by then is missing.
  void OnStreamEnded(WatchIndex watch, const StreamEnd& end) override {
    if (converged_ && end.intended) return;
    table_.details(watch).stream_close_intended = end.intended || passive();
    table_.End(watch, WatchEnd::kStreamClosed, end.where,
               fmt::format("{}{}{}", Name(end.code), end.text.empty() ? "" : ": ", end.text));
  }
  void OnStreamClosed(const StreamEnd& end) override {
    const bool excused = end.intended || faults_.MayHaveEnded(end.stream, end.where.line, end.code);
    if (!excused) dropped_.insert(end.stream.value);
    // As for other watches, a change that has not come by the driver's last wait is missing.
    if (!converged_ || !end.intended) control_.Close(end.stream);
    for (const auto& checker : checkers_) checker->StreamClosed(end);
  }
  void OnHeader(Revision revision, bool control) override { model_.HeaderSeen(revision, control); }
  void OnControlAsked(const Asked& asked) override {
    model_.ControlAsked(asked.stream, asked.request);
    // An imported one is a copy of a watch that is judged anyway.
    if (!options_.gaps && !options_.without_metadata) control_.Ask(asked);
  }
  void OnControlEvents(const Response& response) override {
    for (const EventView& event : response.message.events) {
      if (lag_ != nullptr) lag_->Known(Revision(event.kv.mod_revision), response.where.at);
    }
    signer_->OnControlEvents(response);
    control_.Deliver(response, findings_);
    model_.ControlEvents(response.stream, response.message.events,
                         response.tail.size() > 0 ? response.tail : response.payload,
                         response.where.line);
    Drain();
  }
  void OnControlProgress(const Response& response) override {
    control_.Progress(response, findings_);
  }
  void OnControlEnded(const Response& response) override {
    control_.End(response, model_.calls().compaction_requested(), findings_);
  }
  void OnGarbled(StreamId stream, Where where, const Status& why) override {
    for (const auto& checker : checkers_) checker->Garbled(stream, where, why);
  }
  void OnUnreadable(Where where, const Status& why) override {
    unreadable_.push_back(fmt::format("line {}: {}", where.line.value, why.message()));
  }

  void Drain() {
    backlog_.Drain(model_.timeline().known_through(),
                   [this](WatchIndex watch, ResponsePtr response) {
                     Compare(watch, *response);
                     parser_.Return(std::move(response));
                   });
    if (!passive() && model_.timeline().held() >= forget_at_) ForgetWhatIsPassed();
  }

  // Forgets changes that are compacted and delivered to every watch that expects them. Runs each
  // time the number of held changes has doubled, so that it costs little per change.
  void ForgetWhatIsPassed() {
    Timeline& timeline = model_.timeline();
    Revision below =
        std::min(model_.calls().compaction_acknowledged(), timeline.known_through().next());
    if (const auto needed = control_.Needed()) below = std::min(below, *needed);
    for (std::uint32_t i = 0; i < table_.size() && below > timeline.forgotten(); ++i) {
      if (const auto needed = NeededBy(WatchIndex(i))) below = std::min(below, *needed);
    }
    if (below > timeline.forgotten()) {
      for (const auto& checker : checkers_) checker->Forget();
      control_.Check(timeline, findings_);
      comparer_.Forget(below);
      timeline.Forget(below);
      if (lag_ != nullptr) lag_->Forget(below);
    }
    if (options_.least_held > 0)
      forget_at_ = std::max(options_.least_held, 2 * model_.timeline().held());
  }

  // The lowest revision that the watch may still have to be compared with.
  std::optional<Revision> NeededBy(WatchIndex watch) const {
    const WatchState& state = table_.state(watch);
    const WatchDetails& details = table_.details(watch);
    if (state.end != WatchEnd::kOpen && !backlog_.Waits(watch)) return std::nullopt;
    if (!state.created) {
      if (details.starts_below_floor()) return std::nullopt;
      return details.requested_start > 0 ? state.start : details.known_when_asked.next();
    }
    const auto next = comparer_.NextExpected(watch);
    if (!next) return std::nullopt;
    return (*comparer_.expected(watch))[*next].revision;
  }

  void Compare(WatchIndex watch, const Response& response) {
    comparer_.Compare(watch, response, compared_);
    const bool only_sentinels = healed_ && !questions_ && !HasChangeBefore(*healed_, watch);
    if (only_sentinels) BeginUncounted();
    for (const auto& checker : checkers_) checker->Compared(watch, response, compared_);
    if (only_sentinels) EndUncounted();
    if (comparer_.Knows(response) || !model_.MayExist(response.highest) || unexplained_revision_)
      return;
    unexplained_revision_ =
        fmt::format("revision {} was delivered in line {}, but no known write explains it",
                    response.highest, response.where.line.value);
  }

  bool HasChangeBefore(Line line, WatchIndex watch) const {
    return std::any_of(compared_.begin(), compared_.end(), [&](const Comparison& one) {
      return one.match <= Match::kLate &&
             comparer_.change((*comparer_.expected(watch))[one.expected]).written < line;
    });
  }

  void Refresh(WatchIndex watch) {
    WatchState& state = table_.state(watch);
    state.complete = state.created && !table_.details(watch).starts_below_floor() &&
                     !comparer_.FirstMissing(watch) && comparer_.skipped(watch).empty();
  }

  std::vector<std::string> Undecided() const {
    std::vector<std::string> reasons = model_.undecided();
    if (unexplained_revision_) reasons.push_back(*unexplained_revision_);
    if (stopped_) {
      reasons.push_back(
          "the run was stopped early, at a finding or out of time; later events are not known");
    } else if (facts_.cut_off && !passive()) {
      reasons.push_back(
          fmt::format("the recording was cut off after line {}; later events are not known",
                      facts_.latest.line.value));
    }
    if (lines_missing_) reasons.push_back(*lines_missing_);
    reasons.insert(reasons.end(), unreadable_.begin(), unreadable_.end());
    const std::vector<std::string>& undecided_reasons = findings_.undecided_reasons();
    reasons.insert(reasons.end(), undecided_reasons.begin(), undecided_reasons.end());
    return reasons;
  }

  static Model MakeModel(const JudgeOptions& options) {
    if (options.observed != nullptr) return Model(*options.observed);
    return Model(options.gaps ? Revisions::kWithGaps : Revisions::kDense,
                 options.calls ? CallLog::Keep::kAll : CallLog::Keep::kOpen);
  }

  const JudgeOptions options_;
  LagMeter* const lag_;
  Model model_ = MakeModel(options_);
  WatchTable table_;
  Comparer comparer_{model_.timeline()};
  FaultLog faults_;
  Facts facts_{options_, table_, comparer_, model_, faults_, {}};
  const std::unique_ptr<Signer> signer_ = MakeSigner()(facts_);
  Findings findings_{table_, *signer_};
  Checkers checkers_;  // of watches
  Checkers call_checkers_;
  HistoryParser parser_;
  Backlog backlog_;
  ControlWatchRule control_;
  std::vector<Comparison> compared_;      // of the current response
  bool converged_ = false;                // the driver's last wait is over
  bool stopped_ = false;                  // the driver stopped waiting after a finding
  std::uint64_t progress_asked_ = 0;      // periods in which progress was due
  std::uint64_t progress_answered_ = 0;   // of these
  std::set<std::uint32_t> progress_due_;  // streams
  std::uint64_t questions_left_ = 0;
  std::set<std::string> asked_;                  // standing promises
  std::optional<Line> healed_;                   // from here on the driver writes, and not the case
  std::optional<Line> questions_;                // where the standing promises begin
  std::vector<std::uint64_t> before_uncounted_;  // opportunities, by checker
  std::vector<std::uint64_t> uncounted_;         // likewise, that do not count
  std::set<Revision> claims_;                    // see UnconfirmedFloor
  std::set<std::uint32_t> dropped_;              // likewise: that ended by themselves
  std::size_t forget_at_ = options_.least_held;  // changes
  std::optional<std::string> unexplained_revision_;
  std::optional<std::string> lines_missing_;
  std::vector<std::string> unreadable_;
};

JudgeOptions OptionsOf(const RunStarted& started) {
  return {.permit_compacted_at_the_floor = started.permit_compacted_at_the_floor,
          .strict_previous = started.strict_previous,
          .without_metadata = started.without_metadata,
          .gaps = started.gaps || started.passive,
          .deviations = started.deviations,
          .topology = started.topology,
          .members = started.members,
          .others_compact = started.others_compact || started.passive,
          .hashed_values = started.hashed_values,
          .calls = !started.passive};
}

Judge::Judge(const JudgeOptions& options, LagMeter* lag)
    : impl_(std::make_unique<Impl>(options, lag)) {}
Judge::~Judge() = default;

void Judge::Consume(const NumberedEntry& line) { impl_->Consume(line); }
Judgement Judge::Finish(Ending ending) { return impl_->Finish(ending); }

const std::vector<WatchState>& Judge::watches() const {
  for (const WatchIndex watch : impl_->table_.All()) impl_->Refresh(watch);
  return impl_->table_.states();
}

const WatchState& Judge::watch(std::size_t index) const {
  const WatchIndex watch(static_cast<std::uint32_t>(index));
  impl_->Refresh(watch);
  return impl_->table_.state(watch);
}

std::optional<std::size_t> Judge::Find(StreamId stream, std::uint32_t ordinal) const {
  return impl_->table_.Find(stream, ordinal);
}

std::vector<std::size_t> Judge::Unsettled() const {
  std::vector<std::size_t> unsettled;
  for (const WatchIndex watch : impl_->table_.All()) {
    if (!IsSettled(impl_->facts_, watch)) unsettled.push_back(watch.value);
  }
  return unsettled;
}

bool Judge::ControlWatchWaits() const {
  const auto needed = impl_->control_.Needed();
  return needed && *needed <= known_through();
}

std::uint64_t Judge::given() const {
  std::uint64_t events = impl_->control_.events();
  for (const WatchState& watch : impl_->table_.states()) events += watch.events;
  return events;
}

std::size_t Judge::overtaken() const {
  const auto overtaken = std::ranges::count_if(impl_->table_.All(), [this](WatchIndex watch) {
    return !impl_->comparer_.skipped(watch).empty();
  });
  return static_cast<std::size_t>(overtaken);
}

std::optional<Revision> Judge::UnconfirmedFloor() const {
  const CallLog& calls = impl_->model_.calls();
  for (auto claim = impl_->claims_.rbegin(); claim != impl_->claims_.rend(); ++claim) {
    // A compaction to it is one of everything below.
    if (calls.GoneBelow() >= *claim) return std::nullopt;
    if (!calls.WasReadAt(claim->previous())) return *claim;
  }
  return std::nullopt;
}

bool Judge::WasDropped(StreamId stream) const { return impl_->dropped_.contains(stream.value); }
Revision Judge::reached() const { return impl_->model_.calls().reached(); }
Revision Judge::known_through() const { return impl_->model_.timeline().known_through(); }
Revision Judge::compacted_through() const {
  return impl_->model_.calls().compaction_acknowledged();
}
std::size_t Judge::held() const { return impl_->model_.timeline().held(); }
const std::vector<Finding>& Judge::findings() const { return impl_->findings_.all(); }

std::uint64_t ProgressTo(Revision through, const std::set<StreamId>& streams, const Judge& judge) {
  std::uint64_t sum = 0;
  for (const WatchState& watch : judge.watches()) {
    if (!streams.contains(watch.stream)) continue;
    const std::int64_t received = std::min(watch.position, through.next()).value;
    sum += static_cast<std::uint64_t>(std::max<std::int64_t>(received, 0));
  }
  return sum;
}

}  // namespace watchproof
