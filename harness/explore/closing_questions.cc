// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/explore/virtual_run.h"

namespace watchproof::explore {
namespace {

constexpr int kTurnsAtOnce = 3000;
constexpr int kRounds = 300;
constexpr const char* kProbes[] = {"a/1", "a/2", "a0", "b"};

}  // namespace

void VirtualRun::AskClosingQuestions() {
  Quiet();
  recording_.Annotate(StageReached{Stage::kHealed});
  AskForProgress();
  Probe();
  CancelFuture();
  AskForProgress();
  AwaitPeriodicProgress();
  CreateNew();
  Probe();
  recording_.Annotate(StageReached{Stage::kSentinels});
  ReadBack();
  ListLeases();
  CancelAll();
  Quiet();
  RunStep(Put{.key = kProbes[0]});
  Quiet();
  recording_.Annotate(StageReached{Stage::kConverged});
  recording_.Annotate(StageReached{Stage::kEnd});
}

// Until the store and its clients have nothing more to do; a store that never gets there is stopped
// at some point.
void VirtualRun::Quiet() {
  const std::int64_t most = kRounds + head_;
  for (std::int64_t round = 0; round < most && QuietRound(); ++round) continue;
}

bool VirtualRun::QuietRound() {
  recording_.Advance(1ms);
  for (int i = 0; i < kTurnsAtOnce && lessor_->ExpireStep(Now()) == Now(); ++i) continue;
  for (int i = 0; i < kTurnsAtOnce && store_->CompactStep(); ++i) continue;
  disk_.Sync(SIZE_MAX);
  hub_->CommitStep();
  ReceiveControl();
  for (int i = 0; i < kTurnsAtOnce && hub_->SyncStep(Now()) == Now(); ++i) continue;
  for (int i = 0; i < kTurnsAtOnce && hub_->VictimStep(Now()) == Now(); ++i) continue;
  ReceiveControl();
  std::size_t taken = 0;
  for (Stream& stream : streams_) {
    if (stream.open) taken += ReceiveFrom(stream, SIZE_MAX);
  }
  return taken > 0 || hub_->has_unsynced() || hub_->has_victims() || !disk_.idle();
}

// A stream with a watch that starts in the future receives no progress until then.
void VirtualRun::AskForProgress() {
  for (int number = 1; number <= kMostStreams; ++number) {
    Stream& stream = streams_[static_cast<std::size_t>(number - 1)];
    const auto live = [](const ClientWatch& watch) { return watch.live(); };
    const auto future = [this](const ClientWatch& watch) {
      return watch.live() && watch.start > head_;
    };
    if (!stream.open || std::none_of(stream.watches.begin(), stream.watches.end(), live) ||
        std::any_of(stream.watches.begin(), stream.watches.end(), future)) {
      continue;
    }
    recording_.Annotate(ProgressDue{.stream = stream.recorded, .asked = true, .limit_ms = 1});
    const std::size_t before = stream.progress;
    for (int times = 0; times < 3 && stream.progress == before; ++times) {
      RunStep(AskProgress{number});
      Quiet();
    }
    recording_.Annotate(ProgressOver{stream.recorded});
  }
}

// The first interval only shows that the watch is idle.
void VirtualRun::AwaitPeriodicProgress() {
  std::vector<StreamId> due;
  for (const Stream& stream : streams_) {
    const auto asked = [this](const ClientWatch& watch) {
      return watch.live() && watch.asked.options.progress_notify && watch.start <= head_;
    };
    if (!stream.open || std::none_of(stream.watches.begin(), stream.watches.end(), asked)) continue;
    due.push_back(stream.recorded);
    recording_.Annotate(ProgressDue{.stream = stream.recorded, .limit_ms = 1});
  }
  for (int times = 0; times < 2 && !due.empty(); ++times) {
    RunStep(Advance{script_.limits.progress_ms});
    RunStep(Turn{Loop::kProgress});
    Quiet();
  }
  for (const StreamId stream : due) recording_.Annotate(ProgressOver{stream});
}

// A write of each kind to each key: whatever is live receives it.
void VirtualRun::Probe() {
  DeliveryDue due{.group = "probe", .streams = {}, .ordinals = {}, .through = head_ + 1};
  for (const Stream& stream : streams_) {
    if (!stream.open) continue;
    for (const ClientWatch& watch : stream.watches) {
      if (!watch.live()) continue;
      due.streams.push_back(stream.recorded.value);
      due.ordinals.push_back(watch.ordinal);
    }
  }
  recording_.Annotate(due);
  for (const char* key : kProbes) RunStep(Put{.key = key});
  RunStep(Delete{.key = kProbes[0], .end = kProbes[2]});
  Quiet();
  recording_.Annotate(DeliveryOver{"probe"});
}

// With a fresh id, with one that was used, from now, from the floor, below it and in the future.
void VirtualRun::CreateNew() {
  int number = 1;
  for (int i = 1; i <= kMostStreams; ++i) {
    if (streams_[static_cast<std::size_t>(i - 1)].open) number = i;
  }
  RunStep(Create{.stream = number, .key = "*", .end = "*"});
  Quiet();
  Stream& stream = streams_[static_cast<std::size_t>(number - 1)];
  std::int64_t id = 1;
  const auto taken = [&](const ClientWatch& watch) {
    return watch.created && watch.id == id && (!watch.ended || watch.compacted > 0);
  };
  while (std::any_of(stream.watches.begin(), stream.watches.end(), taken)) ++id;
  RunStep(Create{.stream = number,
                 .key = "a/",
                 .end = "a0",
                 .start = {Place::From::kFloor, 0},
                 .id = id,
                 .options = {.prev_kv = true}});
  if (floor_ > 1) {
    RunStep(Create{.stream = number, .key = "*", .end = "*", .start = {Place::From::kFloor, -1}});
  }
  RunStep(Create{.stream = number, .key = "b", .start = {Place::From::kHead, 1}});
  Quiet();
}

void VirtualRun::ReadBack() {
  RunStep(Get{.end = "*"});
  RunStep(Get{.end = "*", .at = {Place::From::kHead, -1}});
  RunStep(Get{.end = "*", .at = {Place::From::kFloor, 0}});
  if (floor_ > 1) RunStep(Get{.end = "*", .at = {Place::From::kFloor, -1}});
  RunStep(Get{.end = "*", .at = {Place::From::kHead, 1}});
}

void VirtualRun::ListLeases() {
  if (!controlled_) return;
  const std::vector<std::int64_t> listed = lessor_->List();
  promises_.Listed(listed, Now());
  if (listed.empty()) return;
  const auto all = Read({.range = Placement().Range("*", "*")});
  for (const std::int64_t lease : listed) {
    const auto state = lessor_->Find(lease, Now());
    promises_.Answered("a question for a lease that is listed", state ? Status() : state.error());
    if (state && all) promises_.Described(lease, *state, all->kvs, Now());
  }
}

void VirtualRun::CancelFuture() {
  for (int number = 1; number <= kMostStreams; ++number) {
    Stream& stream = streams_[static_cast<std::size_t>(number - 1)];
    for (std::size_t i = 0; stream.open && i < stream.watches.size(); ++i) {
      const ClientWatch& watch = stream.watches[i];
      if (watch.live() && watch.start > head_) RunStep(Cancel{number, watch.id});
    }
  }
  Quiet();
}

void VirtualRun::CancelAll() {
  for (int number = 1; number <= kMostStreams; ++number) {
    Stream& stream = streams_[static_cast<std::size_t>(number - 1)];
    for (std::size_t i = 0; stream.open && i < stream.watches.size(); ++i) {
      if (stream.watches[i].live()) RunStep(Cancel{number, stream.watches[i].id});
    }
  }
}

}  // namespace watchproof::explore
