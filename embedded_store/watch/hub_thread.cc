// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/hub_thread.h"

#include <algorithm>
#include <utility>

namespace watchproof::store {
namespace {

// A reply costs its sender and its reader about a microsecond each, whatever is in it. At ten per
// watcher the rounds leave most of a processor to others.
constexpr Duration kPausePerWatcher = 10us;
constexpr Duration kLongestPause = 8ms;
// What a timer can be trusted with.
constexpr Duration kShortestPause = 200us;

}  // namespace

Duration RoundPause(std::size_t watchers) {
  if (watchers >= static_cast<std::size_t>(kLongestPause / kPausePerWatcher)) return kLongestPause;
  const Duration pause = static_cast<int>(watchers) * kPausePerWatcher;
  return pause < kShortestPause ? Duration::zero() : pause;
}

HubThread::HubThread(MvccStore& store, const Hooks& hooks, const WatchLimits& limits)
    : store_(store), hooks_(hooks), hub_(store, hooks, limits), thread_([this] { Run(); }) {}

void HubThread::Post(Task task) {
  MutexLock lock(mu_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  work_.NotifyOne();
}

void HubThread::CommitMade() {
  const bool far_behind = store_.waiting_commits() > kMostWaitingCommits;
  MutexLock lock(mu_);
  if (!std::exchange(commits_, true) && !pausing_) work_.NotifyOne();
  while (far_behind && commits_ && !stopping_) drained_.Wait(mu_);
}

void HubThread::RoomMade() {
  MutexLock lock(mu_);
  if (!std::exchange(room_, true)) work_.NotifyOne();
}

void HubThread::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    work_.NotifyOne();
    drained_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void HubThread::Run() {
  while (std::optional<Work> work = AwaitWork()) {
    for (Task& task : work->tasks) task(hub_, Clock::now());
    const TimePoint now = Clock::now();
    if (work->commits) next_round_ = now + RoundPause(hub_.CommitStep());
    if (work->room) {
      due_.victims = now;
      if (hub_.has_unsynced()) due_.sync = now;
    }
    RunDueSteps();
  }
}

std::optional<HubThread::Work> HubThread::AwaitWork() {
  MutexLock lock(mu_);
  for (;;) {
    const TimePoint now = Clock::now();
    pausing_ = now < next_round_;
    const TimePoint due = pausing_ ? std::min(due_.first(), next_round_) : due_.first();
    if (stopping_ || !tasks_.empty() || room_ || now >= due || (commits_ && !pausing_)) break;
    if (due == kNever) {
      work_.Wait(mu_);
    } else {
      work_.WaitUntil(mu_, due);
    }
  }
  if (stopping_) return std::nullopt;
  Work work{.tasks = std::exchange(tasks_, {}), .room = std::exchange(room_, false)};
  if (!std::exchange(pausing_, false)) {
    // Writers that come from here on wake the thread again; what the earlier ones wrote is fed now.
    work.commits = std::exchange(commits_, false);
    if (work.commits) drained_.NotifyAll();
  }
  return work;
}

void HubThread::RunDueSteps() {
  const TimePoint now = Clock::now();
  const WatchLimits& limits = hub_.limits();
  if (now >= due_.victims) due_.victims = hub_.VictimStep(now);
  if (now >= due_.sync) due_.sync = hub_.SyncStep(now);
  if (now >= due_.progress) due_.progress = hub_.ProgressStep(now);
  // A step that had nothing to do sleeps until the other operations give it something.
  if (due_.sync == kNever && hub_.has_unsynced()) due_.sync = now + limits.sync_interval;
  if (due_.victims == kNever && hub_.has_victims()) due_.victims = now + limits.victim_interval;
  if (due_.progress == kNever && hub_.has_streams()) due_.progress = now;
}

}  // namespace watchproof::store
