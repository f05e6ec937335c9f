// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/virtual_run.h"

#include <algorithm>
#include <utility>

#include "harness/base/check.h"
#include "harness/explore/stepped/store_operations.h"

namespace watchproof::explore {
namespace {

store::WatchLimits LimitsOf(const Limits& limits) {
  return {.queued_replies = static_cast<std::size_t>(limits.queued_replies),
          .queued_bytes = static_cast<std::size_t>(limits.queued_bytes),
          .control_replies = static_cast<std::size_t>(limits.control_replies),
          .reply_bytes = static_cast<std::size_t>(limits.reply_bytes),
          .watchers_per_step = static_cast<std::size_t>(limits.watchers_per_step),
          .revisions_per_batch = limits.revisions_per_batch,
          .progress_interval = std::chrono::milliseconds(limits.progress_ms),
          .strict_previous = limits.strict_previous};
}

store::LeaseLimits LeaseLimitsOf(const Limits& limits) {
  using store::Checkpoints;
  return {.checkpoints = limits.checkpoints ? Checkpoints::kYes : Checkpoints::kNo,
          .checkpoint_interval = 1s};
}

// A lease may end, or a write may be lost, without an answer that says so: then only a control
// watch shows what the store did.
bool NeedsControl(const Script& script) { return Has<Grant, Crash>(script); }

// The judge cannot know that a write that was refused for want of room had no effect: it would see
// one in what a control watch shows.
std::size_t RoomOf(const Script& script) {
  const bool bounded = script.limits.disk && !NeedsControl(script);
  return bounded ? static_cast<std::size_t>(script.limits.room) : 0;
}

}  // namespace

VirtualRun::VirtualRun(const Script& script, const store::Hooks& hooks, Features& features,
                       Progress* progress)
    : script_(script),
      hooks_(hooks),
      features_(features),
      progress_(progress),
      watch_limits_(LimitsOf(script.limits)),
      lease_limits_(LeaseLimitsOf(script.limits)),
      disk_(RoomOf(script)),
      reference_(disk_),
      streams_(kMostStreams),
      leases_(Has<Grant>(script)),
      controlled_(NeedsControl(script)),
      known_{.at = [this](const Place& place) { return Resolve(place); },
             .key = [this](const std::string& key,
                           const std::string& end) { return KnownOf(key, end); }} {}

VirtualRun::~VirtualRun() = default;

void VirtualRun::Finish() {
  Start();
  const Step* before = nullptr;
  for (const Step& step : script_.steps) {
    if (before != nullptr) features_.Sequence(*before, step);
    before = &step;
    const bool nothing = std::holds_alternative<Crash>(step) && !script_.limits.disk;
    if (!nothing) features_.situations.Meanwhile(step);
    RunStep(step);
    if (lost_) return;
  }
  state_ = DescribeState();
  if (progress_ != nullptr) progress_->Step(script_.steps.size() + 1);
  AskAtTheEnd();
}

// Only those ids of ended watches matter that stay in use, and only changes that can be read.
std::string VirtualRun::DescribeState() const {
  std::string state = fmt::format("{} {} {}|", head_, floor_, written_);
  for (const Stream& stream : streams_) {
    std::vector<std::string> watches;
    for (const ClientWatch& watch : stream.watches) {
      if (watch.refused || (watch.ended && watch.compacted == 0)) continue;
      watches.push_back(fmt::format("{}:{}:{}:{}:{}", watch.id, watch.start, watch.next,
                                    watch.compacted, watch.cancel_asked));
    }
    std::ranges::sort(watches);
    state += fmt::format("{} {};", stream.open, fmt::join(watches, " "));
  }
  return state;
}

void VirtualRun::Start() {
  recording_.RunStarted(script_.limits);
  BuildStore();
  if (controlled_) OpenControl();
  RunStep(Get{.end = "*"});
}

void VirtualRun::RunStep(const Step& step) {
  if (lost_) return;
  // The read before the first step is none of the script.
  if (progress_ != nullptr) progress_->Step(steps_);
  ++steps_;
  recording_.Advance(1ms);
  std::visit([this](const auto& one) { Do(one); }, step);
  if (lost_) return;
  ReceiveControl();
  CompareBacklog();
  NoteMeetings();
}

// Watches that are behind are counted as long as there are any.
void VirtualRun::CompareBacklog() {
  const bool behind = hub_->has_unsynced() || hub_->has_victims();
  answers_.CompareTexts("watches that are behind to be counted", fmt::format("{}", behind),
                        fmt::format("{}", hub_->counters().slow_watchers > 0));
}

VirtualRun::Stream& VirtualRun::Open(int number) {
  Stream& stream = StreamOf(number);
  if (!stream.open) OpenIn(stream, watch_limits_, "proxied");
  stream.number = number;
  return stream;
}

void VirtualRun::OpenIn(Stream& stream, const store::WatchLimits& limits, const char* path) {
  stream = Stream();
  stream.recorded = StreamId(++last_stream_);
  stream.queue = std::make_shared<store::StreamQueue>(limits, hub_->counters());
  stream.in_hub = hub_->Open(stream.queue, stream.sink, Now());
  stream.open = true;
  stream.opened = Now();
  recording_.Opened(stream.recorded, path);
}

void VirtualRun::CloseAt(Stream& stream, StatusCode code) {
  stream.queue.reset();
  stream.waiting.clear();
  stream.open = false;
  recording_.Closed(stream.recorded, code);
}

KnownKey VirtualRun::KnownOf(const std::string& key, const std::string& end) const {
  const auto read = reference_.Range({.range = {key, end}, .limit = 1});
  if (!read.has_value() || read->kvs.empty()) return {};
  const store::KeyValue& kv = read->kvs.front();
  return {.create = kv.create.value,
          .mod = kv.mod.value,
          .version = kv.version,
          .lease = kv.lease,
          .value = kv.value};
}

std::int64_t VirtualRun::Resolve(const Place& place) const {
  if (place.from == Place::From::kHead) return head_ + place.plus;
  if (place.from == Place::From::kFloor) return std::max<std::int64_t>(floor_, 1) + place.plus;
  return place.plus;
}

WatchPhase VirtualRun::PhaseOf(ClientWatch& watch) const {
  if (watch.refused) return WatchPhase::kRefused;
  if (watch.compacted > 0) return WatchPhase::kCompacted;
  if (watch.ended) return WatchPhase::kEnded;
  if (!watch.created) return WatchPhase::kAsked;
  if (watch.start > head_) return WatchPhase::kFuture;
  const WatchOptions& options = watch.asked.options;
  const std::int64_t change =
      reference_.FirstChange(RangeOf(watch.asked.key, watch.asked.end),
                             {.puts = !options.no_put, .deletes = !options.no_delete},
                             std::max(watch.next, watch.quiet_through + 1), head_);
  watch.quiet_through = change == 0 ? head_ : change - 1;
  if (change == 0 && watch.start_kind != StartKind::kBelowFloor) return WatchPhase::kLive;
  return watch.next < floor_ ? WatchPhase::kBelowFloor : WatchPhase::kBehind;
}

void VirtualRun::NoteMeetings() {
  const Features::Backlog backlog{.unsynced = hub_->has_unsynced(), .victims = hub_->has_victims()};
  features_.situations.Look();
  for (Stream& stream : streams_) {
    if (!stream.open) continue;
    std::vector<Situations::Watch> watches;
    for (ClientWatch& watch : stream.watches) {
      watches.push_back({&watch.asked, watch.start_kind, PhaseOf(watch)});
      for (const Situations::Watch& met : watches) {
        if (&met != &watches.back()) features_.Met(watches.back().phase, met.phase, backlog);
      }
    }
    const bool stalled = !stream.queue->empty() || !stream.waiting.empty();
    features_.situations.See({.number = stream.number, .stalled = stalled}, watches);
  }
}

// A store that does not recover what it wrote itself is not used any further.
void VirtualRun::BuildStore() {
  const bool disk = script_.limits.disk;
  store_ = disk ? std::make_unique<store::MvccStore>(disk_, hooks_)
                : std::make_unique<store::MvccStore>(hooks_);
  lessor_ = std::make_unique<store::Lessor>(*store_, lease_limits_, Prng(1));
  Status recovered = disk ? store_->Recover() : Status();
  if (recovered.ok()) recovered = lessor_->Recover(Now());
  if (!recovered.ok()) {
    recording_.Annotate(NotRestarted{.client = kClient, .observed = recovered.ToString()});
    lost_ = true;
    return;
  }
  hub_ = std::make_unique<store::WatchHub>(*store_, hooks_, watch_limits_);
  store_->OnCommitsSafe([this] { commits_announced_ = true; });
  commits_announced_ = false;
  expiry_due_ = checkpoint_due_ = checkpoint_expected_ = progress_due_ = {};
}

// Its queue takes everything, so that the control watch never falls behind.
void VirtualRun::OpenControl() {
  store::WatchLimits limits;
  limits.queued_replies = 1 << 20;
  OpenIn(control_, limits, "control");
  const Create all{.key = "*", .end = "*"};
  const std::int64_t start = std::max(control_next_, floor_);
  recording_.Request(control_.recorded, ToWire(all, Placement(), start));
  hub_->Create(control_.in_hub, {.range = RangeOf(all.key, all.end), .start = Revision(start)});
  // There is no other watch yet that these passes could help.
  while (hub_->SyncStep(Now()) == Now()) continue;
  ReceiveControl();
}

// As the thread of the hub does: it sleeps until the store announces something.
void VirtualRun::CommitNews() {
  if (!commits_announced_) {
    answers_.CompareNumbers("commits that were not announced", 0, store_->waiting_commits());
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
      return CommitNews();
    case Loop::kSync:
      hub_->SyncStep(Now());
      break;
    case Loop::kVictims:
      hub_->VictimStep(Now());
      break;
    case Loop::kProgress:
      return ReportProgress();
    case Loop::kExpire:
      return ExpireLeases();
    case Loop::kCheckpoint:
      return CheckpointLeases();
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
  for (const Call& call : outstanding_) {
    recording_.Failed(call.id, call.method, Status(StatusCode::kUnavailable, "the store is gone"));
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
  if (lost_) return;
  ListLeases();
  if (controlled_) OpenControl();
}

}  // namespace watchproof::explore
