// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/executor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/driver/interrupt.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr std::string_view kWatcherGauge = "etcd_debugging_mvcc_watcher_total";
constexpr Duration kMarginToConverge = 2s;
constexpr int kMostSentinels = 200;  // to lift the head over the start of a watch on the future

// What a step asks the target for.
struct RequestOf {
  std::string_view operator()(const PutStep&) const { return "a put"; }
  std::string_view operator()(const DeleteStep&) const { return "a deletion"; }
  std::string_view operator()(const TxnStep&) const { return "a transaction"; }
  std::string_view operator()(const RefusedTxnStep&) const { return "a transaction"; }
  std::string_view operator()(const CompactStep&) const { return "a compaction"; }
  std::string_view operator()(const LeaseStep&) const { return "a lease"; }
  std::string_view operator()(const RevokeStep&) const { return "the revocation of a lease"; }
  std::string_view operator()(const AwaitExpiredStep&) const { return "the list of leases"; }
  std::string_view operator()(const AuthStep&) const { return "users"; }
  std::string_view operator()(const InjectStep& step) const {
    return KindOf(step.fault) == "no-space" ? "an alarm" : "maintenance";
  }
  std::string_view operator()(const HealStep&) const { return "maintenance"; }
  template <typename Other>
  std::string_view operator()(const Other&) const {
    return "a watch";
  }
};

}  // namespace

Executor::Executor(Environment& environment, const Plan& plan, const AttemptSpec& spec)
    : environment_(environment), plan_(plan), spec_(spec) {}

Status Executor::Run() {
  environment_.GrantTime(TimeForSteps(spec_));
  Ask("a linearizable read");
  WP_ASSIGN_OR_RETURN(head_, environment_.Head());
  gauge_before_ = WatcherGauge();
  // Watchers left by probing may still be counted. A target that only the harness uses has one
  // watcher now, the control watch.
  if (gauge_before_ && !environment_.target().shared()) gauge_before_ = 1;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (Interrupted()) return Fail(StatusCode::kCancelled, "interrupted before step {}", i);
    if (environment_.OutOfTime()) {
      inconclusive_.push_back(
          fmt::format("out of time before step {}: the steps of a plan may take {} ms", i,
                      InMilliseconds(TimeForSteps(spec_))));
      break;
    }
    Ask(std::string(std::visit(RequestOf(), plan_.steps[i])));
    Status done = std::visit([this](const auto& step) { return Do(step); }, plan_.steps[i]);
    // An injection may also fail because its parameters are wrong: that is not the target's
    // refusal.
    const bool ours = done.code() == StatusCode::kInvalidArgument &&
                      std::holds_alternative<InjectStep>(plan_.steps[i]);
    refused_ = IsRefusal(done.code()) && !ours;
    if (!done.ok()) return std::move(done).WithContext("step {} of the plan", i);
    for (const auto& [name, fault] : faults_) fault->Observe(environment_.ports());
    environment_.PumpAll();
    if (environment_.StopsEarly()) break;
  }
  return {};
}

Status Executor::Do(const HoldStep& step) {
  environment_.PumpUntil([] { return false; }, Within(step.duration));
  return {};
}

void Executor::Await(const std::string& what, Duration limit, const std::function<bool()>& done) {
  const Deadline deadline = Within(limit);
  if (environment_.PumpUntil(done, deadline) || environment_.GivesUp()) return;
  inconclusive_.push_back(fmt::format("waited {} ms for {}", deadline.budget().count(), what));
}

bool Executor::EveryMember(const std::string& group,
                           const std::function<bool(const WatchState&)>& fact) {
  const auto& members = groups_.at(group);
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    const auto index = environment_.judge().Find(member.stream, member.ordinal);
    return index && fact(environment_.judge().watches()[*index]);
  });
}

Revision Executor::Resolve(const RevisionRef& ref) const {
  switch (ref.base) {
    case RevisionRef::Base::kAbsolute:
      return Revision(ref.number);
    case RevisionRef::Base::kHead:
      return head_.plus(ref.number);
    case RevisionRef::Base::kWrite:
      return writes_.at(static_cast<std::size_t>(ref.number));
  }
  return {};
}

std::optional<double> Executor::WatcherGauge() {
  return environment_.ports().metric(kWatcherGauge);
}

// Puts one key of each watched range, so that every watch is to receive something new. Repeats this
// until the head is past the start of every watch: a watch from a future revision is only complete
// when that revision exists.
Status Executor::WriteSentinels() {
  std::set<std::string> keys;
  Revision furthest{};
  for (const WatchState& watch : environment_.judge().watches()) {
    if (watch.end != WatchEnd::kOpen) continue;
    keys.insert(watch.key);
    furthest = std::max(furthest, watch.start);
  }
  int written = 0;
  do {
    for (const std::string& key : keys) {
      WP_ASSIGN_OR_RETURN(const Revision revision, environment_.kv().Put(key, "sentinel"));
      head_ = std::max(head_, revision);
      ++written;
    }
  } while (!keys.empty() && head_ < furthest && written < kMostSentinels);
  return {};
}

void Executor::Ask(std::string what) {
  asked_ = std::move(what);
  asked_at_ = Clock::now();
}

// Until every watch has settled, the control watch among them, or none of them received anything
// for the limit: slow delivery breaks no guarantee.
bool Executor::AwaitSettled() {
  const Judge& judge = environment_.judge();
  std::uint64_t latest = 0;
  TimePoint since = Clock::now();
  const auto silent = [&] {
    const std::uint64_t given = judge.given();
    if (std::exchange(latest, given) != given) since = Clock::now();
    return Clock::now() - since >= plan_.converge_limit;
  };
  bool settled = false;
  environment_.PumpUntil(
      [&] {
        settled = judge.known_through() >= head_ && judge.Unsettled().empty() &&
                  !judge.ControlWatchWaits();
        return settled || silent();
      },
      Within(TimeToConverge(spec_)));
  return settled;
}

// A server may drop progress requests while watches are behind, but not now; and watches may have
// been resumed on other streams.
Status Executor::AskForProgressAgain() {
  if (!progress_asked_) return {};
  for (const std::string& name : environment_.StreamNames()) {
    WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(name));
    if (environment_.HasEnded(stream->id())) continue;
    const auto& watches = environment_.judge().watches();
    const bool any_open = std::any_of(watches.begin(), watches.end(), [&](const WatchState& one) {
      return one.stream == stream->id() && one.end == WatchEnd::kOpen;
    });
    if (any_open) WP_RETURN_IF_ERROR(Do(MustReportProgressStep{.stream = name}));
  }
  return {};
}

Status Executor::Converge() {
  Ask("the put of a sentinel");
  HealAll();
  if (environment_.StopsEarly()) return {};
  environment_.GrantTime(std::max(TimeToConverge(spec_) - environment_.age(),
                                  plan_.converge_limit + kMarginToConverge));
  environment_.Annotate(StageReached{Stage::kHealed});
  bool settled = false;
  // Twice: whatever was still queued for a watch when it received its first sentinel arrives before
  // the second one.
  for (int round = 0; round < 2; ++round) {
    WP_RETURN_IF_ERROR(WriteSentinels());
    environment_.Annotate(StageReached{Stage::kSentinels});
    settled = AwaitSettled();
    if (settled) continue;
    if (environment_.OutOfTime()) {
      inconclusive_.push_back("out of time while watches still received what was expected");
      return {};
    }
    break;  // the judge reports what is missing
  }
  if (settled) WP_RETURN_IF_ERROR(AskForProgressAgain());
  environment_.Annotate(StageReached{Stage::kConverged});
  return {};
}

}  // namespace watchproof
