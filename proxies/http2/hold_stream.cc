// SPDX-License-Identifier: Apache-2.0
// Hold-stream: one stream stands still while its neighbours on the same connection flow, as behind
// a client that has stopped reading this one stream.
#include <utility>

#include "proxies/http2/held_units.h"
#include "proxies/http2/stream_effect.h"
#include "proxies/http2/trigger.h"

namespace watchproof::proxy {
namespace {

class HoldStage final : public AimedFrameStage {
 public:
  explicit HoldStage(const StageSeed& seed)
      : AimedFrameStage(seed),
        direction_(seed.direction),
        duration_(seed.values.duration("duration")),
        trigger_(ReadTrigger(seed.values, TriggerSpec::Place::kBefore)),
        held_(seed.tally) {}

  void Push(Unit unit, TimePoint now, FrameOutlet& out) override {
    trigger_.Overhear(unit);
    if (state_ == State::kDone || !aim_.Hits(unit) || unit.is(FrameType::kWindowUpdate)) {
      return out.Pass(std::move(unit));
    }
    if (state_ == State::kWaiting) LookForMoment(unit, now, out);
    if (unit.bytes.empty()) return;
    const bool ours = state_ == State::kHolding && Covers(direction_, unit.direction);
    if (!ours) return out.Pass(std::move(unit));
    if (unit.is(FrameType::kHeaders)) {  // which cannot be held
      if (unit.ends_stream()) Release(now, out);
      return out.Pass(std::move(unit));
    }
    held_.Keep(std::move(unit), now);
  }
  void Tick(TimePoint now, FrameOutlet& out) override {
    if (now >= opens_at_) Release(now, out);
  }
  void Release(TimePoint now, FrameOutlet& out) override {
    state_ = State::kDone;
    opens_at_ = kNever;
    held_.LetGo(now, out);
  }
  TimePoint wake_at() const override { return opens_at_; }

 private:
  enum class State { kWaiting, kHolding, kDone };

  // What comes before the moment passes, and `unit` becomes the rest: without bytes if there is
  // none.
  void LookForMoment(Unit& unit, TimePoint now, FrameOutlet& out) {
    if (unit.is(FrameType::kHeaders)) return;
    const auto at = trigger_.Find(unit);
    if (!at) return;
    state_ = State::kHolding;
    tally_.Triggered();
    if (duration_ > Duration::zero()) opens_at_ = now + duration_;
    if (*at == 0 || !Covers(direction_, unit.direction)) return;
    if (*at < unit.header.length && unit.divisible()) {
      out.Pass(SplitOff(unit, *at));
    } else {
      out.Pass(std::exchange(unit, {}));
    }
  }

  const Direction direction_;
  const Duration duration_;
  StreamTrigger trigger_;
  HeldUnits held_;
  State state_ = State::kWaiting;
  TimePoint opens_at_ = kNever;
};

const EffectRegistration kHoldStream{{
    .name = "hold-stream",
    .explain =
        "Holds back the data of one stream, from a chosen moment on, while all other streams of "
        "the connection flow; then passes it on in order. The part of the connection's window "
        "that the held bytes take up is lent to the sender, so that only the stream's own "
        "window stops it. Headers are never held: when the stream ends, held data leaves first.",
    .parameters = StreamParameters(
        TriggerParameters({{"duration", ParameterKind::kDuration, "0s",
                            "Lets go by itself this long after it began; 0s: when healed."}})),
    .on_streams = true,
    .make = StreamEffectOf<HoldStage>,
}};

}  // namespace
}  // namespace watchproof::proxy
