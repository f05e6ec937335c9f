// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/runner.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <span>

#include "harness/base/prng.h"
#include "harness/report/mutation.h"
#include "harness/report/terminal.h"
#include "harness/results/result_line.h"
#include "harness/runs/run_targets.h"

namespace watchproof {
namespace {

// Findings of a planted defect are expected; the table shows which guarantees found it.
void NoteCaught(const DefectSummary& defect, AttemptSummary& note) {
  note.expectation = ExpectationStatus::kKnownFailure;
  note.result.known = true;
  note.result.reason = fmt::format("the planted defect {}", defect.name);
}

// An attempt with a cluster keeps as much of the machine busy as so many others.
constexpr int kJobsOfCluster = 2;
// After so many starts that fail the same way, the rest would.
constexpr int kStartsInVain = 3;

// Two reasons of one kind differ in ports, addresses, times and process ids: words with a digit.
std::string WithoutNumbers(std::string_view reason) {
  std::string same;
  std::string word;
  for (const char c : reason) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    if (word.find_first_of("0123456789") == std::string::npos) same += word;
    same += c;
    word.clear();
  }
  return same + word;
}

std::string OnOneLine(std::string text) {
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.replace(at, 1, " | ");
  }
  return text;
}

}  // namespace

Runner::Runner(const RunnerOptions& options) : r_(options) {
  for (const CaseInfo& info : r_.cases) {
    infos_[info.name] = &info;
  }
  if (r_.options.fail_fast) {
    for (const DefectSummary& defect : r_.record.defects) {
      uncaught_[defect.target] = {defect.guarantees.begin(), defect.guarantees.end()};
    }
  }
  if (!r_.options.resumed) return;
  for (const AttemptSummary& attempt : r_.options.resumed->attempts) {
    const AttemptResult& result = attempt.result;
    done_.insert({result.case_name, result.target, result.attempt});
    LeaveOutIfCaught(result);
  }
}

bool Runner::NeedsCluster(const std::string& case_name) const {
  const auto info = infos_.find(case_name);
  return info != infos_.end() && info->second->NeedsCluster();
}

bool Runner::Measures(const std::string& case_name) const {
  const auto info = infos_.find(case_name);
  return info != infos_.end() && info->second->Measures();
}

// A target that always has several members is under more load than one of a case that asks for
// them.
int Runner::JobsOf(const std::string& case_name, const std::string& target) const {
  if (Measures(case_name)) return r_.options.jobs;
  int jobs = NeedsCluster(case_name) ? kJobsOfCluster : 1;
  for (const TargetSpec& spec : r_.options.targets) {
    if (spec.text != target) continue;
    jobs = std::max(jobs, spec.members);
    const auto consumer = r_.consumers.find(spec.consumer);
    if (consumer != r_.consumers.end()) jobs = std::max(jobs, consumer->second.jobs);
  }
  return std::min(jobs, r_.options.jobs);
}

// False when no attempt is left.
bool Runner::Refill() {
  const RunOptions& options = r_.options;
  if (r_.source) {
    const std::vector<PlannedAttempt> more = r_.source();
    waiting_.insert(waiting_.end(), more.begin(), more.end());
    planned_ = static_cast<int>(r_.record.attempts.size() + running_.size() + waiting_.size());
    return !more.empty();
  }
  while (options.repeat == 0 || round_ < options.repeat) {
    std::vector<PlannedAttempt> round = NextRound();
    // Rounds are drawn up one by one, but how many there will be is known.
    const int rounds = options.repeat == 0 ? ++rounds_ : options.repeat;
    planned_ = options.only.empty() ? static_cast<int>(round.size()) * rounds
                                    : static_cast<int>(options.only.size());
    std::erase_if(round, [this](const PlannedAttempt& planned) { return LeftOut(planned); });
    waiting_.insert(waiting_.end(), round.begin(), round.end());
    const bool gave_up = DropGivenUp();
    if (!waiting_.empty()) return true;
    if (gave_up && options.repeat == 0) return false;
  }
  return false;
}

bool Runner::LeftOut(const PlannedAttempt& planned) const {
  const AttemptName name{planned.case_name, planned.target->text, planned.attempt};
  return done_.contains(name) || (!r_.options.only.empty() && !r_.options.only.contains(name));
}

// The cases of a suite ask for much the same, and those of some suites mostly wait: begun one after
// the other, they would leave the machine idle. Each case once, in steps of about 0.618 of their
// number (the golden section), so that any few in a row come from far apart.
static std::vector<std::string> Spread(std::span<const std::string> cases) {
  std::vector<std::string> spread;
  auto step = static_cast<std::size_t>(static_cast<double>(cases.size()) * 0.618);
  while (step < cases.size() && std::gcd(step, cases.size()) != 1) ++step;
  for (std::size_t i = 0; i < cases.size(); ++i) spread.push_back(cases[i * step % cases.size()]);
  return spread;
}

// The next attempt of every case on every target.
std::vector<PlannedAttempt> Runner::NextRound() {
  const RunOptions& options = r_.options;
  // Without an end, each shard has rounds of its own: no two try the same seed.
  const Shard own = options.repeat == 0 ? options.shard.value_or(Shard()) : Shard();
  round_ += round_ == 0 ? own.index : own.count;
  std::vector<PlannedAttempt> round;
  // Clusters take longest: begun last, they would run alone. No case runs on all targets at once:
  // the heaviest would then have the machine to themselves.
  std::vector<std::string> names;
  for (const CaseInfo& info : r_.cases) names.push_back(info.name);
  const auto alone = std::stable_partition(names.begin(), names.end(),
                                           [this](const auto& name) { return NeedsCluster(name); });
  const std::uint64_t seed = SeedOfAttempt(r_.seed, options.same_seed ? 1 : round_);
  const auto add = [&](std::span<const std::string> neighbours) {
    const std::vector<std::string> cases = Spread(neighbours);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (std::size_t t = 0; t < options.targets.size(); ++t) {
        round.push_back({cases[(i + t) % cases.size()], &options.targets[t], round_, seed});
      }
    }
  };
  add({names.begin(), alone});
  add({alone, names.end()});
  if (options.shuffle) {
    Prng(r_.seed).Fork(fmt::format("shuffle/{}", round_)).Shuffle(round);
  }
  return round;
}

Status Runner::Run() {
  while (true) {
    ObeySignals();
    WP_RETURN_IF_ERROR(StartSome());
    if (running_.empty()) break;
    AwaitSome(running_, r_.signals);
    WP_RETURN_IF_ERROR(Collect());
    ShowProgress();
  }
  ListNotRun();
  r_.record.seconds = std::chrono::duration<double>(Clock::now() - r_.begun).count();
  return {};
}

Status Runner::StartSome() {
  while (!stopping_ && FreeJobs() > 0) {
    if (waiting_.empty() && !Refill()) break;
    const auto next = NextToStart();
    if (next == waiting_.end()) break;
    const PlannedAttempt planned = *next;
    waiting_.erase(next);
    WP_RETURN_IF_ERROR(StartOne(planned));
    ObeySignals();
  }
  return {};
}

int Runner::FreeJobs() const {
  int free = r_.options.jobs;
  for (const auto& process : running_) {
    free -= JobsOf(process->spec().case_name, process->spec().target);
  }
  return free;
}

std::deque<PlannedAttempt>::iterator Runner::NextToStart() {
  const int free = FreeJobs();
  const auto may_start = [&](const PlannedAttempt& planned) {
    if (JobsOf(planned.case_name, planned.target->text) > free) return false;
    if (IsHeld(planned.target->text)) return false;
    return std::ranges::none_of(running_, [&](const auto& process) {
      return r_.servers.ShareServer(planned.target->text, process->spec().target);
    });
  };
  auto best = std::ranges::find_if(waiting_, may_start);
  if (uncaught_.empty() || best == waiting_.end()) return best;
  int nearest = Distance(*best);
  for (auto it = std::next(best); nearest > 0 && it != waiting_.end(); ++it) {
    const int distance = Distance(*it);
    if (distance >= nearest || !may_start(*it)) continue;
    best = it;
    nearest = distance;
  }
  return best;
}

int Runner::Distance(const PlannedAttempt& planned) const {
  const auto of_target = uncaught_.find(planned.target->text);
  if (of_target == uncaught_.end()) return 1;
  const std::set<std::string>& wanted = of_target->second;
  if (wanted.contains(planned.case_name.substr(0, planned.case_name.find('.')))) return 0;
  const auto is_wanted = [&wanted](const std::string& one) { return wanted.contains(one); };
  return std::ranges::any_of(infos_.at(planned.case_name)->guarantees, is_wanted) ? 1 : 2;
}

AttemptSpec Runner::SpecOf(const PlannedAttempt& planned, const AttemptFolder& folder) const {
  const auto found = r_.consumers.find(planned.target->consumer);
  const RunConsumer consumer = found == r_.consumers.end() ? RunConsumer() : found->second;
  return {
      .case_name = planned.case_name,
      .target = planned.target->text,
      .seed = planned.seed,
      .attempt = planned.attempt,
      .folder = folder.absolute.string(),
      .plan = (r_.folder.path() / "plan.jsonl.zst").string(),
      .given_plan = r_.options.plan.string(),
      .result_descriptor = -1,
      .time_limit_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(r_.options.case_timeout).count(),
      .turns = planned.turns,
      .tries = r_.options.tries,
      .bypass_proxy = r_.options.bypass_proxy,
      .no_faults = r_.options.no_faults,
      .stop_at_finding = r_.options.stop_at_finding,
      .faults = r_.options.faults,
      .allow_disruptive = r_.options.allow_disruptive,
      .missing = MissingOfReleases(r_.expectations, *planned.target),
      .profile = r_.options.profile,
      .access = planned.target->access,
      .prefix = planned.target->server ? DrawKeyPrefix() : std::string(),
      .consumer_layers = consumer.layers,
      .consumer_can = consumer.can,
      .consumer_command = consumer.command,
      .consumer_missing = consumer.missing};
}

Status Runner::StartOne(const PlannedAttempt& planned) {
  WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                      r_.folder.MakeAttempt(*planned.target, planned.case_name, planned.attempt));
  const AttemptSpec spec = SpecOf(planned, folder);
  Result<std::unique_ptr<CaseProcess>> process =
      CaseProcess::Start({.executable = OwnExecutable(),
                          .spec = spec,
                          .folder = folder,
                          .timeout = r_.options.case_timeout});
  if (!process.has_value()) {
    const std::string why = process.error().WithContext("starting the case").message();
    return Finish(HarnessError(spec, folder.relative, why), folder, Clock::now());
  }
  running_.push_back(std::move(process).value());
  return {};
}

Status Runner::Collect() {
  for (const std::unique_ptr<CaseProcess>& process : TakeEnded(running_)) {
    DeleteRemainingKeys(*process);
    std::optional<AttemptResult> result = process->Conclude();
    if (result) {
      WP_RETURN_IF_ERROR(Finish(std::move(*result), process->folder(), process->started()));
    } else {
      const AttemptSpec& spec = process->spec();
      dropped_.push_back({spec.case_name, &TargetOf(spec.target), spec.attempt, spec.seed});
      r_.folder.FinishAttempt(process->folder().absolute, KeepFiles::kAll);
    }
  }
  GiveUpOnHeld();
  return {};
}

const TargetSpec& Runner::TargetOf(const std::string& text) const {
  return FirstWith(r_.record.targets, text, &TargetSpec::text);
}

// Only for a case that was killed or crashed; all others delete their keys themselves.
void Runner::DeleteRemainingKeys(const CaseProcess& process) {
  if (process.spec().prefix.empty() || process.ended_cleanly()) return;
  const std::string left = TakeAway(TargetOf(process.spec().target), process.spec().prefix);
  if (!left.empty()) r_.console.Note(left);
}

// An attempt with a consumer has a result on the target, and one on the consumer.
Status Runner::Finish(AttemptResult result, const AttemptFolder& folder, TimePoint started) {
  std::vector<AttemptResult> results{std::move(result)};
  bool wrong_below = false;
  if (AttemptResult& of_target = results.front(); !of_target.consumer.name.empty()) {
    ConsumerRecord consumer = std::exchange(of_target.consumer, {});
    wrong_below = consumer.wrong_below;
    AttemptResult own = of_target;
    own.verdict = consumer.verdict;
    own.reason = std::move(consumer.reason);
    own.findings = std::move(consumer.findings);
    own.counts = std::move(consumer.counts);
    own.notes.clear();
    own.upstream.clear();
    own.bugs.clear();
    own.exercise = {};
    own.lag = {};
    of_target.target = WithoutConsumer(TargetOf(of_target.target)).text;
    results.push_back(std::move(own));
  }
  KeepFiles keep = KeepFiles::kNone;
  Status appended;
  std::optional<AttemptResult> store;
  for (AttemptResult& one : results) {
    keep =
        std::max(keep, Report(std::move(one), store && wrong_below ? &*store : nullptr, started));
    store = r_.record.attempts.back().result;
    const Status line =
        r_.folder.AppendLine("results.jsonl", ToResultsLine(r_.record.attempts.back().result));
    if (appended.ok()) appended = line;
  }
  r_.folder.FinishAttempt(folder.absolute, keep);
  return appended;
}

KeepFiles Runner::Report(AttemptResult result, const AttemptResult* store, TimePoint started) {
  AttemptSummary note{
      .result = std::move(result), .expectation = ExpectationStatus::kAsExpected, .begin = 0};
  note.begin = std::chrono::duration<double>(started - r_.begun).count();
  note.expectation = r_.expectations.Apply(TargetOf(note.result.target), note.result, store);
  const DefectSummary* const planted = PlantedIn(r_.record, note.result.target);
  // What is known, looked for or compared is about the attempt as a whole.
  const bool may_set_apart = !r_.source && !r_.options.same_seed && planted == nullptr;
  if (may_set_apart && note.expectation == ExpectationStatus::kNewFailure &&
      SetApart(note.result)) {
    note.expectation = r_.expectations.Apply(TargetOf(note.result.target), note.result, store);
  }
  const bool shows_first = ShowsPromiseFirst(note.result);
  NoteStart(note.result);
  if (planted != nullptr && note.expectation == ExpectationStatus::kNewFailure)
    NoteCaught(*planted, note);
  const Outcome outcome = OutcomeOf(note);
  const bool failed = note.result.verdict == Verdict::kFail;
  const bool good = outcome == Outcome::kPass || outcome == Outcome::kUnsupported ||
                    outcome == Outcome::kDeclared;
  const std::string first = r_.options.verbose ? "" : causes_.FirstWith(RowOf(r_.record, note));
  const Keep keep = r_.options.keep;
  const bool kept = keep == Keep::kAll || (keep == Keep::kFailed && (!good || shows_first));
  if (r_.options.json) {
    r_.console.Result(ToResultsLine(note.result) + "\n");
  } else if (planted != nullptr && !r_.options.verbose) {
    // The table at the end shows it.
  } else if (!r_.options.quiet) {
    r_.console.OfAttempt(AttemptText(r_.record, note, r_.console.style(), first));
    if (r_.options.verbose) r_.console.Result(DetailsText(r_.record, note, r_.console.style()));
  }
  const bool wrong = outcome >= Outcome::kFixedEarly || shows_first;
  trouble_ = trouble_ || wrong;
  // A repeat looks for the failure, known or not; a bug that was fixed early does not end it.
  const bool ends = r_.options.same_seed ? failed || outcome > Outcome::kFixedEarly : wrong;
  // An attempt that could not take place is no failure: the rest may show one.
  const bool took_place = outcome != Outcome::kTargetFailed && outcome != Outcome::kHarnessError;
  if (ends && (r_.options.until_fail || (r_.options.fail_fast && took_place))) stopping_ = true;
  if (failed) LeaveOutIfCaught(note.result);
  r_.record.attempts.push_back(std::move(note));
  return kept ? KeepFiles::kAll : good && !shows_first ? KeepFiles::kNone : KeepFiles::kButHistory;
}

// Whether it is the first on its target to show one of the standing promises that it broke.
bool Runner::ShowsPromiseFirst(const AttemptResult& result) {
  bool first = false;
  for (const FindingRecord& finding : result.standing) {
    first = promises_shown_.insert({result.target, finding.standing}).second || first;
  }
  return first;
}

// Whether some of what waits is on a target that is given up.
bool Runner::DropGivenUp() {
  const auto is_in_vain = [this](const PlannedAttempt& one) {
    return Contains(given_up_, one.target->text, &GivenUp::target);
  };
  std::ranges::copy_if(waiting_, std::back_inserter(dropped_), is_in_vain);
  return std::erase_if(waiting_, is_in_vain) > 0;
}

bool Runner::IsHeld(const std::string& target) const {
  const auto found = starts_.find(target);
  if (r_.source || found == starts_.end()) return false;
  const Starts& starts = found->second;
  if (starts.failed < kStartsInVain) return false;
  if (starts.started == 0) return true;
  return starts.same && (starts.in_a_row >= kStartsInVain || starts.failed > starts.started);
}

void Runner::NoteStart(const AttemptResult& result) {
  Starts& starts = starts_[result.target];
  if (result.target_failed) {
    ++starts.in_a_row;
    if (starts.failed++ == 0) {
      starts.reason = result.reason;
      starts.example = result.case_name;
    }
    starts.same = starts.same && WithoutNumbers(result.reason) == WithoutNumbers(starts.reason);
    return;
  }
  // Those two may end before anything is started.
  const bool may_not_start =
      result.verdict == Verdict::kUnsupported || result.verdict == Verdict::kHarnessError;
  if (may_not_start && result.target_version.empty()) return;
  if (!IsHeld(result.target)) starts.in_a_row = 0;
  ++starts.started;
}

void Runner::GiveUpOnHeld() {
  for (const auto& [target, starts] : starts_) {
    const auto runs = [&target = target](const auto& one) { return one->spec().target == target; };
    if (!IsHeld(target) || Contains(given_up_, target, &GivenUp::target) ||
        std::ranges::any_of(running_, runs)) {
      continue;
    }
    const std::string label = TargetOf(target).Label();
    std::string why = fmt::format("{} did not start in {} ({}): {}", label,
                                  Count(static_cast<std::size_t>(starts.failed), "attempt"),
                                  starts.example, OnOneLine(starts.reason));
    if (starts.started > 0 && r_.options.jobs > 1) {
      why += fmt::format(
          "; it did in {}: copies side by side may take each other's port or file, try --jobs 1",
          Count(static_cast<std::size_t>(starts.started), "other"));
    }
    given_up_.push_back({target, std::move(why)});
    r_.console.Note(fmt::format("no more is begun on {}: it does not start", label));
  }
  DropGivenUp();
}

void Runner::LeaveOutIfCaught(const AttemptResult& result) {
  const auto uncaught = uncaught_.find(result.target);
  if (uncaught == uncaught_.end()) return;
  for (const FindingRecord& finding : result.findings) uncaught->second.erase(finding.guarantee);
  if (!uncaught->second.empty()) return;
  planned_ -= static_cast<int>(std::erase_if(waiting_, [&result](const PlannedAttempt& planned) {
    return planned.target->text == result.target;
  }));
}

void Runner::ObeySignals() {
  r_.signals.Drain();
  const int count = r_.signals.count();
  if (count == signals_obeyed_) return;
  stopping_ = true;
  const int number = r_.signals.first();
  r_.record.interrupted = number == SIGTERM ? "terminated" : "interrupted";
  for (const auto& process : running_) process->Interrupt(number);
  if (signals_obeyed_ == 0 && !running_.empty()) {
    r_.console.Note(fmt::format("{}: waiting for {} to heal and stop; a second signal kills them",
                                r_.record.interrupted, Count(running_.size(), "case")));
  }
  if (count > 1) {
    for (const auto& process : running_) process->Kill();
    r_.console.Note(fmt::format("killed; partial results are in {}", r_.folder.shown()));
  }
  signals_obeyed_ = count;
}

void Runner::ShowProgress() {
  if (running_.empty()) return;
  const auto slowest = std::ranges::min_element(
      running_, [](const auto& a, const auto& b) { return a->started() < b->started(); });
  const Tally tally = CountOutcomes(r_.record);
  const int failed = tally[Outcome::kFail] + tally[Outcome::kRegression] +
                     tally[Outcome::kHarnessError] + tally[Outcome::kTargetFailed] +
                     tally[Outcome::kFixedEarly];
  const auto age = std::chrono::duration<double>(Clock::now() - (*slowest)->started()).count();
  r_.console.Progress(fmt::format(
      "{}/{} done, {} failed; {} on {}, {:.0f} s", r_.record.attempts.size(), planned_, failed,
      (*slowest)->spec().case_name, TargetOf((*slowest)->spec().target).Label(), age));
}

void Runner::ListNotRun() {
  // A run that repeats until a failure has left nothing out when it ends with one.
  const bool open_ended = r_.options.repeat == 0 || r_.options.same_seed || r_.source;
  const bool endless = open_ended && r_.record.interrupted.empty();
  constexpr std::size_t kMostListed = 10'000;
  while (!open_ended && waiting_.size() < kMostListed && Refill()) {
  }
  if (!endless) dropped_.insert(dropped_.end(), waiting_.begin(), waiting_.end());
  for (const PlannedAttempt& planned : dropped_) {
    r_.record.not_run.push_back(
        {planned.case_name, planned.target->text, planned.attempt, FormatSeed(planned.seed)});
  }
}

}  // namespace watchproof
