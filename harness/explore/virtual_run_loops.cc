// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/base/check.h"
#include "harness/explore/virtual_run.h"

namespace watchproof::explore {

void VirtualRun::BuildStore() {
  const bool disk = script_.limits.disk;
  store_ = disk ? std::make_unique<store::MvccStore>(disk_, hooks_)
                : std::make_unique<store::MvccStore>(hooks_);
  if (disk) WP_CHECK(store_->Recover().ok(), "the disk holds what the store wrote");
  lessor_ = std::make_unique<store::Lessor>(*store_, lease_limits_, Prng(1));
  WP_CHECK(lessor_->Recover(Now()).ok(), "the disk holds what the store wrote");
  hub_ = std::make_unique<store::WatchHub>(*store_, hooks_, watch_limits_);
  store_->OnCommitsSafe([this] { commits_announced_ = true; });
  commits_announced_ = false;
  expiry_due_ = checkpoint_due_ = checkpoint_expected_ = progress_due_ = {};
}

// Its queue takes everything, so that the control watch never falls behind.
void VirtualRun::OpenControl() {
  store::WatchLimits limits;
  limits.queued_replies = 1 << 20;
  control_ = Stream();
  control_.recorded = StreamId(++last_stream_);
  control_.queue = std::make_shared<store::StreamQueue>(limits, hub_->counters());
  control_.in_hub = hub_->Open(control_.queue, control_.sink, Now());
  control_.open = true;
  recording_.Opened(control_.recorded, "control");
  const Create all{.key = "*", .end = "*"};
  const std::int64_t start = std::max(control_next_, floor_);
  recording_.Request(control_.recorded, ToWire(all, Placement(), start));
  hub_->Create(control_.in_hub,
               {.range = Placement().Range(all.key, all.end), .start = Revision(start)});
  // There is no other watch yet that these passes could help.
  while (hub_->SyncStep(Now()) == Now()) continue;
  ReceiveControl();
}

// As the thread of the hub does: it sleeps until the store announces something.
void VirtualRun::CommitNews() {
  if (!commits_announced_) {
    promises_.CompareNumbers("commits that were not announced", 0,
                             static_cast<std::int64_t>(store_->waiting_commits()));
  }
  if (std::exchange(commits_announced_, false)) hub_->CommitStep();
}

// As the thread of the leases does: no sooner than the step before has said.
void VirtualRun::ExpireLeases() {
  reference_.Expire(Now());
  if (Now() >= expiry_due_) expiry_due_ = lessor_->ExpireStep(Now());
}

void VirtualRun::CheckpointLeases() {
  if (script_.limits.checkpoints && Now() >= checkpoint_expected_) {
    reference_.Checkpoint(Now());
    checkpoint_expected_ = Now() + lease_limits_.checkpoint_interval;
  }
  if (Now() >= checkpoint_due_) checkpoint_due_ = lessor_->CheckpointStep(Now());
}

// As the thread of the hub does.
void VirtualRun::ReportProgress() {
  if (progress_due_ == store::kNever) progress_due_ = Now();
  if (Now() >= progress_due_) progress_due_ = hub_->ProgressStep(Now());
}

void VirtualRun::Do(const Advance& advance) {
  recording_.Advance(std::chrono::milliseconds(advance.ms));
}

void VirtualRun::Do(const Turn& turn) {
  switch (turn.loop) {
    case Loop::kCommit:
      CommitNews();
      break;
    case Loop::kSync:
      hub_->SyncStep(Now());
      break;
    case Loop::kVictims:
      hub_->VictimStep(Now());
      break;
    case Loop::kProgress:
      ReportProgress();
      break;
    case Loop::kExpire:
      ExpireLeases();
      break;
    case Loop::kCheckpoint:
      CheckpointLeases();
      break;
    case Loop::kErase:
      store_->CompactStep();
      break;
  }
}

void VirtualRun::Do(const SyncDisk& sync) {
  disk_.Sync(static_cast<std::size_t>(std::max<std::int64_t>(sync.writes, 0)));
}

// Without a disk everything would be lost, which no store promises to survive.
void VirtualRun::Do(const Crash& crash) {
  if (!script_.limits.disk) return;
  // The end of a lease has no call of its own: beside writes of unknown outcome the judge would
  // take it for the effect of one of them. Scripts without leases lose writes.
  if (leases_) disk_.Sync(SIZE_MAX);
  recording_.Killed();
  for (const Outstanding& one : outstanding_) {
    recording_.Failed(one.call, one.method, Status(StatusCode::kUnavailable, "the store is gone"));
  }
  outstanding_.clear();
  for (Stream& stream : streams_) {
    if (stream.open) CloseAt(stream, StatusCode::kUnavailable);
  }
  if (control_.open) CloseAt(control_, StatusCode::kUnavailable);
  hub_.reset();
  lessor_.reset();
  store_.reset();
  const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(crash.kept, 0));
  // Where nothing is lost, what the store forgot to write is missed, too.
  const store::Ticket there = disk_.Crash(kept);
  reference_.Restart(there == disk_.last() ? store::Ticket(UINT64_MAX) : there, Now());
  BuildStore();
  ListLeases();
  if (controlled_) OpenControl();
}

}  // namespace watchproof::explore
