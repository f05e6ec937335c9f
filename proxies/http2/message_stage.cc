// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/message_stage.h"

#include <algorithm>

namespace watchproof::proxy {
namespace {

const WatchMark* FindMark(const Unit& unit, WatchMark::Kind kind) {
  const auto it = std::find_if(unit.marks.begin(), unit.marks.end(),
                               [kind](const WatchMark& mark) { return mark.kind == kind; });
  return it == unit.marks.end() ? nullptr : &*it;
}

}  // namespace

void MessageStage::Push(Unit unit, TimePoint now, FrameOutlet& out) {
  const bool ours = unit.direction == Direction::kToClient && aim_.Hits(unit);
  between_ |= ours && unit.is(FrameType::kHeaders);
  if (ours &&
      (unit.is(FrameType::kReset) || (unit.is(FrameType::kHeaders) && unit.ends_stream()))) {
    OnStreamEnd(now, out);
  }
  if (!ours || !unit.divisible()) return out.Pass(std::move(unit));
  while (const WatchMark* end = FindMark(unit, WatchMark::Kind::kEnd)) {
    const std::size_t size = end->end;
    if (size >= unit.header.length) break;
    PushPart(SplitOff(unit, size), now, out);
  }
  PushPart(std::move(unit), now, out);
}

// Requires: no byte of a second response.
void MessageStage::PushPart(Unit part, TimePoint now, FrameOutlet& out) {
  const bool ends = FindMark(part, WatchMark::Kind::kEnd) != nullptr;
  if (!verdict_) {
    const WatchMark* head = FindMark(part, WatchMark::Kind::kHead);
    if (!head && between_ && !ends) {
      undecided_.push_back(std::move(part));
      return;
    }
    between_ |= ends;
    if (!head) return out.Pass(std::move(part));  // it had begun before this stage came
    verdict_ = head->facts.readable ? Judge(head->facts, now) : Verdict::kPass;
    for (Unit& earlier : std::exchange(undecided_, {})) Settle(std::move(earlier), now, out);
  }
  Settle(std::move(part), now, out);
  if (ends) verdict_.reset();
}

void MessageStage::Settle(Unit part, TimePoint now, FrameOutlet& out) {
  if (*verdict_ == Verdict::kTake) return Take(std::move(part), now, out);
  out.Pass(std::move(part));
}

void MessageStage::Release(TimePoint, FrameOutlet& out) {
  for (Unit& part : std::exchange(undecided_, {})) out.Pass(std::move(part));
}

}  // namespace watchproof::proxy
