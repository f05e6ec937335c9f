// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/message_stage.h"

#include <utility>

namespace watchproof::proxy {

void MessageStage::Push(Unit unit, TimePoint now, FrameOutlet& out) {
  if (unit.direction != Direction::kToClient || !aim_.Hits(unit)) return out.Pass(std::move(unit));
  between_ |= unit.is(FrameType::kHeaders);
  const bool over = unit.is(FrameType::kReset) || unit.ends_stream();
  if (unit.is(FrameType::kData)) {
    if (unit.header.has(kFlagPadded)) DropPadding(unit, out);
    if (!over) return PushData(std::move(unit), now, out);
    Unit end = SplitEnd(unit);
    PushData(std::move(unit), now, out);
    unit = std::move(end);
  }
  if (over) {
    OnStreamEnd(now, out);
    for (Unit& part : std::exchange(undecided_, {})) Emit(std::move(part), out);
  }
  out.Pass(std::move(unit));
}

void MessageStage::PushData(Unit unit, TimePoint now, FrameOutlet& out) {
  while (const WatchOffset* end = FindOffset(unit, WatchOffset::Kind::kEnd)) {
    const std::size_t size = end->end;
    if (size >= unit.header.length) break;
    PushPart(SplitOff(unit, size), now, out);
  }
  if (unit.header.length > 0) return PushPart(std::move(unit), now, out);
  out.Drop(std::move(unit));  // it is empty
}

// Requires: no byte of a second response.
void MessageStage::PushPart(Unit part, TimePoint now, FrameOutlet& out) {
  const bool ends = FindOffset(part, WatchOffset::Kind::kEnd) != nullptr;
  if (!verdict_) {
    const WatchOffset* head = FindOffset(part, WatchOffset::Kind::kHead);
    if (!head && between_ && !ends) {
      undecided_.push_back(std::move(part));
      return;
    }
    const bool whole = between_ || (head && !head->began_before);
    if (!head || !whole) {  // it had begun before this stage came
      between_ |= ends;
      return Emit(std::move(part), out);
    }
    OnBoundary(now, out);
    verdict_ = head->facts.readable ? Judge(head->facts, now) : Verdict::kPass;
    for (Unit& earlier : std::exchange(undecided_, {})) Settle(std::move(earlier), now, out);
  }
  Settle(std::move(part), now, out);
  if (!ends) return;
  verdict_.reset();
  between_ = true;
  if (!midway_) OnBoundary(now, out);
}

void MessageStage::Settle(Unit part, TimePoint now, FrameOutlet& out) {
  if (*verdict_ == Verdict::kTake) return Take(std::move(part), now, out);
  Emit(std::move(part), out);
}

void MessageStage::Emit(Unit part, FrameOutlet& out) {
  midway_ = FindOffset(part, WatchOffset::Kind::kEnd) == nullptr;
  out.Pass(std::move(part));
}

void MessageStage::Release(TimePoint, FrameOutlet& out) {
  for (Unit& part : std::exchange(undecided_, {})) Emit(std::move(part), out);
}

void HoldingStage::Tick(TimePoint now, FrameOutlet& out) {
  while (!midway() && !held_.empty() && DueAt(held_.oldest()) <= now) LetGoOldest(now, out);
}

// In the middle of a response nothing can be done, whatever is due.
TimePoint HoldingStage::wake_at() const {
  return midway() || held_.empty() ? kNever : DueAt(held_.oldest());
}

void HoldingStage::Release(TimePoint now, FrameOutlet& out) {
  while (!held_.empty() && !midway()) LetGoOldest(now, out);
  while (!held_.empty()) out.PassBehindResponse(held_.TakeOldest(now));
  MessageStage::Release(now, out);
}

void HoldingStage::Take(Unit part, TimePoint now, FrameOutlet&) {
  held_.Keep(std::move(part), now);
}

void HoldingStage::OnStreamEnd(TimePoint now, FrameOutlet& out) {
  while (!held_.empty()) LetGoOldest(now, out);
}

void HoldingStage::LetGoOldest(TimePoint now, FrameOutlet& out) {
  do {
    Emit(held_.TakeOldest(now), out);
  } while (midway() && !held_.empty());
  // The receiver may have to read its beginning before the rest can be sent.
  if (midway()) LetArrivingPass();
}

}  // namespace watchproof::proxy
