// SPDX-License-Identifier: Apache-2.0
// Goaway: announces the end of the connection to the client, with the last of its streams that is
// still served.
#include <set>
#include <utility>

#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {
namespace {

class GoAwayStage final : public AimedFrameStage {
 public:
  explicit GoAwayStage(const StageSeed& seed)
      : AimedFrameStage(seed),
        last_(static_cast<std::uint32_t>(seed.values.number("last"))),
        code_(ReadCode(seed.values)),
        times_(seed.values.number("times")),
        trigger_(ReadTrigger(seed.values, TriggerSpec::Place::kAfter)) {}

  void Push(Unit unit, TimePoint, FrameOutlet& out) override {
    trigger_.Overhear(unit);
    if (said_) return PushAfter(std::move(unit), out);
    const bool came = !over_ && aim_.Hits(unit) && trigger_.Find(unit).has_value();
    over_ |= came;
    if (!came || !tally_.TriggeredAtMost(times_)) return out.Pass(std::move(unit));
    said_ = true;
    out.Pass(std::move(unit));
    tally_.Add(&Receipt::frames_injected, 1);
    out.Inject(Direction::kToClient, MakeGoAway(last_, code_));
  }

 private:
  static constexpr std::uint32_t kRefusedStream = 7;

  // For the client the streams above the last one never existed, so they are reset towards the
  // target. Headers pass, to keep both ends' tables equal; frames of streams that were never opened
  // pass too, since these cannot be refused.
  void PushAfter(Unit unit, FrameOutlet& out) {
    const FrameStream stream = unit.header.stream;
    const bool opened = unit.stream || refused_.contains(stream);
    if (stream <= last_ || !opened) return out.Pass(std::move(unit));
    if (unit.is(FrameType::kHeaders)) {
      out.Pass(std::move(unit));
    } else {
      tally_.SwallowedFrame(unit.size());
      out.Drop(std::move(unit));
    }
    if (!refused_.insert(stream).second) return;
    tally_.Add(&Receipt::streams_refused, 1);
    tally_.Add(&Receipt::frames_injected, 1);
    out.Inject(Direction::kToTarget, MakeReset(stream, kRefusedStream));
  }

  const FrameStream last_;
  const std::uint32_t code_;
  const std::int64_t times_;
  StreamTrigger trigger_;
  std::set<FrameStream> refused_;  // a client opens no more of them after the GOAWAY
  bool over_ = false;
  bool said_ = false;
};

const EffectRegistration kGoAway{{
    .name = "goaway",
    .explain =
        "Announces the end of the connection to the client with a GOAWAY that names the last "
        "stream still served, after the frame that contains the chosen moment of a stream. "
        "Streams above the last are refused towards the target, the others continue.",
    .parameters = StreamParameters(TriggerParameters(
        {{.name = "last",
          .kind = ParameterKind::kNumber,
          .default_value = "0",
          .explain = "The last stream id that still counts; a client's are odd; 0: none.",
          .most = 0x7fffffff},
         CodeParameter("no-error"),
         TimesParameter()})),
    .on_streams = true,
    .make = StreamEffectOf<GoAwayStage>,
}};

}  // namespace
}  // namespace watchproof::proxy
