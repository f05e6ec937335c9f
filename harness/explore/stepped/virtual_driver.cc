// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/virtual_driver.h"

namespace watchproof::explore {
namespace {

using State = DrivenWatch::State;

constexpr int kRequests = 3;
constexpr int kMostIntervals = 20;
const Placement kUnplaced;

State StateIn(const ClientWatch& watch) {
  if (watch.refused) return State::kOver;
  if (watch.compacted > 0) return State::kCompacted;
  if (watch.ended || watch.cancel_asked) return State::kCancelled;
  return watch.created ? State::kOpen : State::kAsked;
}

}  // namespace

VirtualRun::Stream* VirtualDriver::StreamOf(StreamId id) {
  for (VirtualRun::Stream& stream : run_.streams_) {
    if (stream.open && stream.recorded == id) return &stream;
  }
  return nullptr;
}

ClientWatch* VirtualDriver::Find(WatchRef watch) {
  VirtualRun::Stream* const stream = StreamOf(watch.stream);
  if (stream == nullptr || watch.ordinal >= stream->watches.size()) return nullptr;
  return &stream->watches[watch.ordinal];
}

std::vector<DrivenWatch> VirtualDriver::Watches() {
  std::vector<DrivenWatch> watches;
  for (const VirtualRun::Stream& stream : run_.streams_) {
    if (!stream.open) continue;
    for (const ClientWatch& watch : stream.watches) {
      watches.push_back(
          {.ref = {stream.recorded, watch.ordinal},
           .state = StateIn(watch),
           .id = WatchId(watch.id),
           .range = KeyRange(kUnplaced.Key(watch.asked.key), kUnplaced.End(watch.asked.end)),
           .start = Revision(watch.start),
           .progress_notify = watch.asked.options.progress_notify});
    }
  }
  return watches;
}

State VirtualDriver::StateOf(WatchRef watch) {
  const ClientWatch* const found = Find(watch);
  return found == nullptr ? State::kOver : StateIn(*found);
}

WatchRef VirtualDriver::Create(StreamId stream, const WatchCreate& watch) {
  VirtualRun::Stream& on = *StreamOf(stream);
  const auto ordinal = static_cast<std::uint32_t>(on.watches.size());
  run_.RunStep(CreateOf(on.number, watch, kUnplaced));
  return {stream, ordinal};
}

void VirtualDriver::Cancel(WatchRef watch) {
  const ClientWatch* const found = Find(watch);
  if (found != nullptr) run_.RunStep(explore::Cancel{StreamOf(watch.stream)->number, found->id});
}

void VirtualDriver::PutEach(const std::set<std::string>& keys) {
  for (const std::string& key : keys) run_.RunStep(Put{.key = kUnplaced.Word(key)});
}

// All in one revision.
void VirtualDriver::DeleteEach(const std::set<std::string>& keys) {
  Txn txn;
  for (const std::string& key : keys) {
    txn.then.push_back({.kind = TxnPart::Kind::kDelete, .key = kUnplaced.Word(key)});
  }
  run_.RunStep(txn);
}

// One store answers both kinds of reads alike.
void VirtualDriver::Read(Revision at, Reads reads) {
  if (reads == Reads::kSerializable) return;
  run_.RunStep(Get{.end = "*", .at = {Place::From::kNumber, at.value}});
}

void VirtualDriver::RequireProgress(StreamId id, Progress progress) {
  VirtualRun::Stream& stream = *StreamOf(id);
  const bool asked = progress == Progress::kRequested;
  run_.recording_.Annotate(ProgressDue{.stream = id, .asked = asked, .limit_ms = 1});
  const std::size_t before = stream.progress;
  for (int times = 0; asked && times < kRequests && stream.progress == before; ++times) {
    run_.RunStep(AskProgress{stream.number});
    run_.Quiet();
  }
  // An interval in which a lease ended reports nothing, and the first without a change only shows
  // that the watch is idle.
  for (int idle = 0, times = 0; !asked && idle < 2 && times < kMostIntervals; ++times) {
    const Revision head = run_.store_->current();
    run_.PassInterval();
    idle = run_.store_->current() == head ? idle + 1 : 0;
  }
  run_.recording_.Annotate(ProgressOver{id});
  if (!asked) run_.WriteBetweenNotices();
}

void VirtualDriver::RequireDelivery(const std::vector<WatchRef>& watches) {
  DeliveryDue due{.group = "probe", .streams = {}, .ordinals = {}, .through = run_.head_};
  for (const WatchRef watch : watches) {
    due.streams.push_back(watch.stream.value);
    due.ordinals.push_back(watch.ordinal);
  }
  run_.recording_.Annotate(due);
  run_.Quiet();
  run_.recording_.Annotate(DeliveryOver{"probe"});
}

}  // namespace watchproof::explore
