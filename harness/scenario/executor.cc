// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/executor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/model/key_range.h"
#include "harness/scenario/attempt_driver.h"
#include "harness/session/interrupt.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr Duration kMarginToConverge = 2s;
constexpr Duration kLeastForConsumer = 40s;
constexpr Duration kMarginToAnswer = 3s;
constexpr Duration kSilence = 3s;
// A name that no plan has.
const std::string kOpenWatches = "converging/all";
// What steps ask for, as Step::Request names it; sentinels.
constexpr std::string_view kOfFaults = "maintenance";
constexpr std::string_view kOfStreams = "a watch";
constexpr std::string_view kSentinel = "the put of a sentinel";

}  // namespace

Executor::Executor(AttemptSession& session, const Plan& plan, const AttemptSpec& spec)
    : session_(session), plan_(plan), spec_(spec), context_(session, spec) {}

Status Executor::Run() {
  session_.GrantTime(TimeForSteps(spec_));
  Ask("a linearizable read");
  WP_RETURN_IF_ERROR(context_.Begin());
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (Interrupted()) return Fail(StatusCode::kCancelled, "interrupted before step {}", i);
    if (session_.OutOfTime()) {
      context_.Inconclusive(
          fmt::format("out of time before step {}: the steps of a plan may take {} ms", i,
                      InMilliseconds(OnThisMachine(TimeForSteps(spec_)))));
      break;
    }
    if (Status done = RunStep(plan_.steps[i]); !done.ok()) {
      return std::move(done).WithContext("step {} of the plan", i);
    }
    context_.faults().Observe();
    session_.PumpAll();
    if (session_.environment().members() > 1) session_.RenewControlWatch();
    // What else that member does follows from it.
    if (session_.StopsEarly() || context_.member_stands_still()) break;
  }
  return {};
}

Status Executor::RunStep(const Step& step) {
  Ask(step.Request());
  Status done = step.Run(context_);
  if (done.ok()) answered_.insert(asked_);
  // A fault acts on proxies and processes, too, and its parameters may be wrong; a consumer is a
  // process of its own.
  const bool of_fault = step.Cost().faults > 0 || asked_ == kOfFaults;
  const bool refused = IsRefusal(done.code()) && done.code() != StatusCode::kInvalidArgument;
  const bool of_consumer = session_.consumer() != nullptr && asked_ == kOfStreams;
  // What is answered on streams comes later: this is what a wrong plan ends with.
  const bool of_plan = asked_ == kOfStreams && done.code() == StatusCode::kInternal;
  of_target_ = of_fault ? refused : !of_consumer && !of_plan;
  return done;
}

Trouble Executor::TroubleOf(const Status& done) const {
  if (session_.environment().StartedLate()) {
    return {.status = done,
            .asked = "a start with its data",
            .left = std::chrono::duration_cast<Duration>(TimeToConverge(spec_) - session_.age()),
            .hindered = faults().HinderStart(),
            .of_target = true};
  }
  const bool sentinel = asked_ == kSentinel && answered_.contains("a put");
  return {.status = done,
          .asked = asked_,
          .waited = Clock::now() - asked_at_,
          .undisturbed = !faults().Disturb(),
          .of_target = of_target_,
          .answered_before = sentinel || answered_.contains(asked_),
          .lease_may_have_ended = context_.has_leases()};
}

// Puts one key of each watched range, so that every watch is to receive something new. Repeats this
// until the head is past the start of every watch: a watch from a future revision is only complete
// when that revision exists.
Status Executor::WriteSentinels() {
  std::set<std::string> keys;
  Revision furthest{};
  const std::string followed(session_.consumer() == nullptr ? "" : kConsumerPrefix);
  if (!followed.empty()) keys.insert(followed + "sentinel");
  for (const WatchState& watch : session_.judge().watches()) {
    if (watch.end != WatchEnd::kOpen) continue;
    // To a consumer a prefix is no name of an object.
    if (followed.empty() || !followed.starts_with(watch.key)) {
      keys.insert(KeyRange(watch.key, watch.range_end).first());
    }
    furthest = std::max(furthest, watch.start);
  }
  int written = 0;
  do {
    for (const std::string& key : keys) {
      WP_ASSIGN_OR_RETURN(const Revision revision,
                          session_.kv().Put(key, ConsumerValue(key, "sentinel")));
      went_back_ = went_back_ || revision <= context_.head();
      context_.NoteHead(revision);
      ++written;
    }
  } while (!keys.empty() && context_.head() < furthest && written < kMostSentinels);
  return {};
}

// As it is granted: for a machine that has nothing else to do.
Duration Executor::LeftToConverge() const {
  return TimeToConverge(spec_) - std::chrono::duration_cast<Duration>(session_.age() / Slowdown());
}

// A sentinel would wake what a lost wake-up has left asleep.
void Executor::AwaitWhatWasWritten() {
  auto& open = context_.groups()[kOpenWatches];
  open.clear();
  for (const WatchState& watch : session_.judge().watches()) {
    if (watch.end == WatchEnd::kOpen) open.push_back({watch.stream, watch.ordinal});
  }
  if (!open.empty()) context_.MustArrive(kOpenWatches, kSilence);
}

void Executor::Ask(std::string_view what) {
  asked_ = what;
  of_target_ = true;
  asked_at_ = Clock::now();
}

// Until every watch has settled, the control watch among them, or none of them received anything
// for the limit: slow delivery breaks no guarantee.
bool Executor::AwaitSettled() {
  const Judge& judge = session_.judge();
  std::uint64_t latest = 0;
  TimePoint since = Clock::now();
  const auto silent = [&] {
    const std::uint64_t given = judge.given();
    if (std::exchange(latest, given) != given) since = Clock::now();
    return Clock::now() - since >= OnThisMachine(plan_.converge_limit);
  };
  bool settled = false;
  session_.PumpUntil(
      [&] {
        settled = judge.known_through() >= context_.head() && judge.Unsettled().empty() &&
                  !judge.ControlWatchWaits();
        return settled || silent();
      },
      Within(TimeToConverge(spec_)));
  return settled;
}

// The judge reports what watches lack that have not settled. A store that gives out
// revisions twice has broken what every question builds on.
Status Executor::AskStandingPromises() {
  if (went_back_) {
    session_.Annotate(
        QuestionLeft{.question = "all", .why = "the revision of the store went back"});
    return {};
  }
  Ask("a standing promise of the API");
  session_.Annotate(StageReached{Stage::kQuestions});
  return AskPromisesOfAttempt(context_, plan_);
}

// Its watches need not settle before: a consumer may open one after the other until it gives up.
Status Executor::AskConsumer() {
  WP_RETURN_IF_ERROR(WriteSentinels());
  session_.Annotate(StageReached{Stage::kSentinels});
  session_.Annotate(QuestionLeft{.question = "all", .why = "the streams are a consumer's"});
  Ask(kSentinel);
  const std::string sentinel = std::string(kConsumerPrefix) + "sentinel";
  WP_ASSIGN_OR_RETURN(const Revision last,
                      session_.kv().Put(sentinel, ConsumerValue(sentinel, "last")));
  context_.NoteHead(last);
  // As long as the attempt may take: some layers try again for half a minute before they list.
  // With less time an attempt on a busy machine would find that they never come there.
  const Duration limit = std::max(kLeastForConsumer, LeftToConverge() - kMarginToAnswer);
  session_.GrantTime(limit + 2 * kMarginToAnswer);
  const ConsumerDue due{.revision = last.value, .limit_ms = InMilliseconds(OnThisMachine(limit))};
  session_.Annotate(due);
  ConsumerLink& consumer = *session_.consumer();
  const Status asked =
      consumer.Ask({.what = "snapshot", .revision = due.revision, .within_ms = due.limit_ms});
  if (!asked.ok() || !session_.PumpUntil([&consumer] { return consumer.asked_and_answered(); },
                                         Within(limit + kMarginToAnswer))) {
    context_.Inconclusive("the consumer did not report what it holds");
  }
  context_.CheckExpectedReports();
  if (const std::string why = consumer.unread(); !why.empty()) {
    context_.Inconclusive("what the consumer received was not recorded to the end: " + why);
  }
  AwaitSettled();
  session_.Annotate(StageReached{Stage::kConverged});
  return {};
}

Status Executor::Converge() {
  Ask(kSentinel);
  HealAll();
  if (session_.StopsEarly()) return {};
  session_.GrantTime(std::max(LeftToConverge(), plan_.converge_limit + kMarginToConverge));
  session_.RenewControlWatch();
  session_.Annotate(StageReached{Stage::kHealed});
  if (session_.consumer() != nullptr) return AskConsumer();
  AwaitWhatWasWritten();
  bool settled = false;
  // Twice: whatever was still queued for a watch when it received its first sentinel arrives before
  // the second one.
  for (int round = 0; round < 2; ++round) {
    WP_RETURN_IF_ERROR(WriteSentinels());
    session_.Annotate(StageReached{Stage::kSentinels});
    settled = AwaitSettled();
    if (settled) continue;
    if (session_.OutOfTime()) {
      context_.Inconclusive("out of time while watches still received what was expected");
      return {};
    }
    break;  // the judge reports what is missing
  }
  if (settled) {
    WP_RETURN_IF_ERROR(AskStandingPromises());
    AwaitSettled();  // the control watch may be behind the watches that were asked
  }
  session_.Annotate(StageReached{Stage::kConverged});
  return {};
}

}  // namespace watchproof
