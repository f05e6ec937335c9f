// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/plan_attempts.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "harness/targets/child_process.h"

namespace watchproof {
namespace {

// A case that closed its pipe ends a moment later.
constexpr Duration kSoon = 5ms;
constexpr Duration kTick = 100ms;

}  // namespace

Status PlanAttempts::Start(const Plan& plan, std::size_t index) {
  AttemptSpec spec = o_.spec;
  spec.attempt = ++attempts_;
  WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                      o_.folder.MakeAttempt(spec.target, spec.case_name, spec.attempt));
  spec.folder = folder.absolute.string();
  spec.given_plan = (folder.absolute / "plan.jsonl").string();
  WP_RETURN_IF_ERROR(WritePlan(spec.given_plan, plan,
                               {.case_name = spec.case_name,
                                .target = spec.target,
                                .seed = FormatSeed(spec.seed),
                                .attempt = spec.attempt}));
  WP_ASSIGN_OR_RETURN(
      auto process,
      CaseProcess::Start(
          {.executable = OwnExecutable(), .spec = spec, .folder = folder, .timeout = o_.timeout}));
  running_.push_back({index, std::move(process)});
  return {};
}

bool PlanAttempts::Shows(const AttemptResult& result) const {
  return result.verdict == Verdict::kFail &&
         std::any_of(result.findings.begin(), result.findings.end(),
                     [this](const FindingRecord& f) { return f.guarantee == o_.guarantee; });
}

std::size_t PlanAttempts::Collect(std::vector<std::size_t>& failed) {
  std::vector<pollfd> wanted{{.fd = o_.signals.descriptor(), .events = POLLIN, .revents = 0}};
  TimePoint until = Clock::now() + kTick;
  for (const Judged& trial : running_) {
    if (trial.process->descriptor() < 0) until = std::min(until, Clock::now() + kSoon);
    wanted.push_back({.fd = trial.process->descriptor(), .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  poll(wanted.data(), wanted.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())));
  std::size_t ended = 0;
  for (std::size_t i = 0; i < running_.size();) {
    running_[i].process->Read();
    running_[i].process->Tick();
    if (!running_[i].process->ended()) {
      ++i;
      continue;
    }
    const Judged trial = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto result = trial.process->Conclude();
    if (result && Shows(*result)) failed.push_back(trial.plan);
    o_.folder.FinishAttempt(trial.process->folder(), KeepHistory::kNo);
    std::error_code ignored;
    std::filesystem::remove_all(trial.process->folder().absolute, ignored);
    ++ended;
  }
  return ended;
}

// By signal first, so that each case stops its target.
void PlanAttempts::StopAll() {
  for (const Judged& trial : running_) trial.process->Interrupt(SIGTERM);
  std::vector<std::size_t> ignored;
  while (!running_.empty()) Collect(ignored);
}

Result<std::optional<std::size_t>> PlanAttempts::FirstFailing(const std::vector<Plan>& plans,
                                                              int tries, Deadline deadline) {
  std::vector<std::size_t> failed;
  const std::size_t total = plans.size() * static_cast<std::size_t>(tries);
  std::size_t started = 0;
  while (failed.empty() && !interrupted() && !deadline.expired()) {
    if (started == total && running_.empty()) break;
    if (started < total && running_.size() < static_cast<std::size_t>(o_.jobs)) {
      const std::size_t plan = started++ % plans.size();
      if (Status begun = Start(plans[plan], plan); !begun.ok()) {
        StopAll();
        return begun;
      }
      continue;
    }
    Collect(failed);
  }
  StopAll();
  if (failed.empty()) return std::optional<std::size_t>();
  return std::optional<std::size_t>(failed.front());
}

Result<AttemptCount> PlanAttempts::Count(const Plan& plan, int attempts) {
  AttemptCount count;
  std::vector<std::size_t> failed;
  int started = 0;
  while (!interrupted() && (started < attempts || !running_.empty())) {
    if (started < attempts && running_.size() < static_cast<std::size_t>(o_.jobs)) {
      ++started;
      if (Status begun = Start(plan, 0); !begun.ok()) {
        StopAll();
        return begun;
      }
      continue;
    }
    count.tried += static_cast<int>(Collect(failed));
  }
  StopAll();
  count.failed = static_cast<int>(failed.size());
  return count;
}

}  // namespace watchproof
