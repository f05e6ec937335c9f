// SPDX-License-Identifier: Apache-2.0
// Goaway: announces the end of the connection to the client, with the last of its streams that is
// still served.
#include <memory>
#include <set>
#include <utility>

#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {
namespace {

struct GoAwayOptions {
  StreamAim aim;
  TriggerSpec trigger;
  FrameStream last;
  std::uint32_t code;
};

class GoAwayStage final : public AimedFrameStage {
 public:
  GoAwayStage(ConnectionId connection, const GoAwayOptions& options, Budget& budget, Tally& tally)
      : AimedFrameStage(connection, options.aim, tally),
        options_(options),
        budget_(budget),
        trigger_(options.trigger) {}

  void Push(Unit unit, TimePoint, FrameOutlet& out) override {
    trigger_.Overhear(unit);
    if (said_) return PushAfter(std::move(unit), out);
    const bool came = !over_ && aim_.Hits(unit) && trigger_.Find(unit).has_value();
    over_ |= came;
    if (!came || !budget_.Take()) return out.Pass(std::move(unit));
    said_ = true;
    tally_.Triggered();
    out.Pass(std::move(unit));
    tally_.InjectedFrame(connection_);
    out.Inject(Direction::kToClient, MakeGoAway(options_.last, options_.code));
  }

 private:
  static constexpr std::uint32_t kRefusedStream = 7;

  // For the client the streams above the last one never existed, so they are reset towards the
  // target. Headers pass, to keep both ends' tables equal; frames of streams that were never opened
  // pass too, since these cannot be refused.
  void PushAfter(Unit unit, FrameOutlet& out) {
    const FrameStream stream = unit.header.stream;
    const bool opened = unit.stream || refused_.contains(stream);
    if (stream <= options_.last || !opened) return out.Pass(std::move(unit));
    if (unit.is(FrameType::kHeaders)) {
      out.Pass(std::move(unit));
    } else {
      tally_.SwallowedFrame(connection_, unit.size());
      out.Drop(std::move(unit));
    }
    if (!refused_.insert(stream).second) return;
    tally_.InjectedFrame(connection_);
    out.Inject(Direction::kToTarget, MakeReset(stream, kRefusedStream));
  }

  const GoAwayOptions options_;
  Budget& budget_;
  StreamTrigger trigger_;
  std::set<FrameStream> refused_;  // a client opens no more of them after the GOAWAY
  bool over_ = false;
  bool said_ = false;
};

class GoAway final : public StreamEffect {
 public:
  explicit GoAway(const EffectSeed& seed)
      : StreamEffect(seed.armed_at),
        options_{.aim = StreamAim(seed.values),
                 .trigger = ReadTrigger(seed.values, TriggerSpec::Place::kAfter),
                 .last = FrameStream(static_cast<std::uint32_t>(seed.values.number("last"))),
                 .code = ReadCode(seed.values)},
        budget_(seed.values.number("times")) {}

  std::unique_ptr<FrameStage> MakeFrameStage(ConnectionId connection, Direction) override {
    return std::make_unique<GoAwayStage>(connection, options_, budget_, tally_);
  }

 private:
  const GoAwayOptions options_;
  Budget budget_;
};

std::vector<ParameterInfo> GoAwayParameters() {
  std::vector<ParameterInfo> all = TriggerParameters("at-once");
  all.push_back({.name = "last",
                 .kind = ParameterKind::kNumber,
                 .default_value = "0",
                 .explain = "The last stream id that still counts; a client's are odd; 0: none.",
                 .most = 0x7fffffff});
  all.push_back(CodeParameter("no-error"));
  all.push_back(TimesParameter());
  return StreamParameters(std::move(all));
}

const EffectRegistration kGoAway{{
    .name = "goaway",
    .explain =
        "Announces the end of the connection to the client with a GOAWAY that names the last "
        "stream still served, after the frame that contains the chosen moment of a stream. "
        "Streams above the last are refused towards the target, the others continue.",
    .parameters = GoAwayParameters(),
    .on_streams = true,
    .make = [](const EffectSeed& seed) { return std::make_unique<GoAway>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
