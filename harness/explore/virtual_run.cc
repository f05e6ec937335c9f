// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/virtual_run.h"

#include <algorithm>
#include <utility>

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
bool NeedsControl(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(), [](const Step& step) {
    return std::holds_alternative<Grant>(step) || std::holds_alternative<Crash>(step);
  });
}

// The judge cannot know that a write that was refused for want of room had no effect: it would see
// one in what a control watch shows.
std::size_t RoomOf(const Script& script) {
  const bool bounded = script.limits.disk && !NeedsControl(script);
  return bounded ? static_cast<std::size_t>(script.limits.room) : 0;
}

}  // namespace

VirtualRun::VirtualRun(const Script& script, const store::Hooks& hooks, Features& features)
    : script_(script),
      hooks_(hooks),
      features_(features),
      watch_limits_(LimitsOf(script.limits)),
      lease_limits_(LeaseLimitsOf(script.limits)),
      disk_(RoomOf(script)),
      reference_(disk_),
      streams_(kMostStreams),
      leases_(std::any_of(script.steps.begin(), script.steps.end(),
                          [](const Step& step) { return std::holds_alternative<Grant>(step); })),
      controlled_(NeedsControl(script)) {}

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
  }
  state_ = DescribeState();
  AskClosingQuestions();
}

// Of ended watches only the ids that stay in use matter, of the changes those that can be read.
std::string VirtualRun::DescribeState() const {
  std::string state = fmt::format("{} {} {}|", head_, floor_, written_);
  for (const Stream& stream : streams_) {
    std::vector<std::string> watches;
    for (const ClientWatch& watch : stream.watches) {
      if (watch.refused || (watch.ended && watch.compacted == 0)) continue;
      watches.push_back(fmt::format("{}:{}:{}:{}:{}", watch.id, watch.start, watch.next,
                                    watch.compacted, watch.cancel_asked));
    }
    std::sort(watches.begin(), watches.end());
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
  ++steps_;
  recording_.Advance(1ms);
  std::visit([this](const auto& one) { Do(one); }, step);
  ReceiveControl();
  CompareBacklog();
  NoteMeetings();
}

// Watches that are behind are counted as long as there are any.
void VirtualRun::CompareBacklog() {
  const bool behind = hub_->has_unsynced() || hub_->has_victims();
  promises_.CompareTexts("watches that are behind to be counted", fmt::format("{}", behind),
                         fmt::format("{}", hub_->counters().slow_watchers > 0));
}

VirtualRun::Stream& VirtualRun::Open(int number) {
  Stream& stream = streams_[static_cast<std::size_t>(number - 1)];
  if (stream.open) return stream;
  stream = Stream();
  stream.recorded = StreamId(++last_stream_);
  stream.queue = std::make_shared<store::StreamQueue>(watch_limits_, hub_->counters());
  stream.in_hub = hub_->Open(stream.queue, stream.sink, Now());
  stream.open = true;
  stream.opened = Now();
  recording_.Opened(stream.recorded, "proxied");
  return stream;
}

void VirtualRun::CloseAt(Stream& stream, StatusCode code) {
  stream.queue.reset();
  stream.waiting.clear();
  stream.open = false;
  recording_.Closed(stream.recorded, code);
}

std::int64_t VirtualRun::Resolve(const Place& place) const {
  switch (place.from) {
    case Place::From::kHead:
      return head_ + place.plus;
    case Place::From::kFloor:
      return std::max<std::int64_t>(floor_, 1) + place.plus;
    case Place::From::kNumber:
      break;
  }
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
      reference_.FirstChange(Placement().Range(watch.asked.key, watch.asked.end),
                             {.puts = !options.no_put, .deletes = !options.no_delete},
                             std::max(watch.next, watch.quiet_through + 1), head_);
  watch.quiet_through = change == 0 ? head_ : change - 1;
  if (change == 0 && watch.start_kind != StartKind::kBelowFloor) return WatchPhase::kLive;
  return watch.next < floor_ ? WatchPhase::kBelowFloor : WatchPhase::kBehind;
}

void VirtualRun::NoteMeetings() {
  const Features::Backlog backlog{.unsynced = hub_->has_unsynced(), .victims = hub_->has_victims()};
  features_.situations.Look();
  int number = 0;
  for (Stream& stream : streams_) {
    ++number;
    if (!stream.open) continue;
    std::vector<Situations::Watch> watches;
    for (ClientWatch& watch : stream.watches) {
      watches.push_back({&watch.asked, watch.start_kind, PhaseOf(watch)});
      for (const Situations::Watch& met : watches) {
        if (&met != &watches.back()) features_.Met(watches.back().phase, met.phase, backlog);
      }
    }
    const bool stalled = !stream.queue->empty() || !stream.waiting.empty();
    features_.situations.See({.number = number, .stalled = stalled}, watches);
  }
}

}  // namespace watchproof::explore
