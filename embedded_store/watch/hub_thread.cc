// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/hub_thread.h"

#include <algorithm>
#include <utility>

namespace watchproof::store {

HubThread::HubThread(MvccStore& store, Hooks& hooks, const WatchLimits& limits)
    : store_(store), hub_(store, hooks, limits), thread_([this] { Run(); }) {}

void HubThread::Post(Task task) {
  MutexLock lock(mu_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  work_.NotifyOne();
}

void HubThread::CommitMade() {
  const bool far_behind = store_.waiting_commits() > kMostWaitingCommits;
  MutexLock lock(mu_);
  if (!std::exchange(commits_, true)) work_.NotifyOne();
  while (far_behind && commits_ && !stopping_) drained_.Wait(mu_);
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
  std::vector<Task> tasks;
  while (AwaitWork(due_.first(), tasks)) {
    for (Task& task : std::exchange(tasks, {})) task(hub_, Clock::now());
    hub_.CommitStep();
    RunDueSteps();
  }
}

bool HubThread::AwaitWork(TimePoint due, std::vector<Task>& tasks) {
  MutexLock lock(mu_);
  while (!stopping_ && tasks_.empty() && !commits_ && Clock::now() < due) {
    if (due == kNever) {
      work_.Wait(mu_);
    } else {
      work_.WaitUntil(mu_, due);
    }
  }
  tasks.swap(tasks_);
  // Writers that come from here on wake the thread again; what the earlier ones wrote is fed now.
  if (std::exchange(commits_, false)) drained_.NotifyAll();
  return !stopping_;
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
