// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/stream_cut.h"

#include <iterator>
#include <utility>

namespace watchproof::proxy {
namespace {

// RFC 9113, section 7; the position is the number.
constexpr const char* kCodes[] = {"no-error",
                                  "protocol-error",
                                  "internal-error",
                                  "flow-control-error",
                                  "settings-timeout",
                                  "stream-closed",
                                  "frame-size-error",
                                  "refused-stream",
                                  "cancel",
                                  "compression-error",
                                  "connect-error",
                                  "enhance-your-calm",
                                  "inadequate-security",
                                  "http-1-1-required"};

class CutStage final : public AimedFrameStage {
 public:
  CutStage(const StageSeed& seed, const CutOptions& options)
      : AimedFrameStage(seed),
        how_(options.how),
        code_(ReadCode(seed.values)),
        times_(seed.values.number("times")),
        trigger_(options.trigger) {}

  void Push(Unit unit, TimePoint, FrameOutlet& out) override {
    trigger_.Overhear(unit);
    if (over_) return PushAfter(std::move(unit), out);
    if (!aim_.Hits(unit) || unit.is(FrameType::kHeaders)) return out.Pass(std::move(unit));
    const auto at = trigger_.Find(unit);
    if (!at) return out.Pass(std::move(unit));
    over_ = true;
    if (!tally_.TriggeredAtMost(times_)) return out.Pass(std::move(unit));
    Cut(std::move(unit), *at, out);
  }

 private:
  void Cut(Unit unit, std::size_t at, FrameOutlet& out) {
    dead_ = unit.header.stream;
    if (at >= unit.header.length || (at > 0 && !unit.divisible())) {
      out.Pass(std::move(unit));
    } else {
      if (at > 0) out.Pass(SplitOff(unit, at));
      Swallow(std::move(unit), out);
    }
    if (how_ == CutOptions::How::kConnection) {
      tally_.AddOnce(&Receipt::connections_cut);
      return out.Abort();
    }
    for (const Direction direction : {Direction::kToClient, Direction::kToTarget}) {
      tally_.Add(&Receipt::frames_injected, 1);
      out.Inject(direction, MakeReset(dead_, code_));
    }
  }
  // Bytes that were under way at the reset. Headers pass, to keep both ends' tables equal.
  void PushAfter(Unit unit, FrameOutlet& out) {
    const bool dead = dead_.value != 0 && unit.header.stream == dead_;
    if (!dead || unit.is(FrameType::kHeaders)) return out.Pass(std::move(unit));
    Swallow(std::move(unit), out);
  }
  void Swallow(Unit unit, FrameOutlet& out) {
    tally_.SwallowedFrame(unit.size());
    out.Drop(std::move(unit));
  }

  const CutOptions::How how_;
  const std::uint32_t code_;
  const std::int64_t times_;
  StreamTrigger trigger_;
  FrameStream dead_;
  bool over_ = false;
};

}  // namespace

ParameterInfo CodeParameter(std::string default_code) {
  return {.name = "code",
          .kind = ParameterKind::kWord,
          .default_value = std::move(default_code),
          .explain = "What the frame gives as its reason (RFC 9113, section 7).",
          .words = {std::begin(kCodes), std::end(kCodes)}};
}

std::uint32_t ReadCode(const ParameterValues& values) {
  return static_cast<std::uint32_t>(values.word("code"));
}

ParameterInfo TimesParameter() {
  return {"times", ParameterKind::kNumber, "1",
          "How often it acts, once at most for each connection; 0: until healed."};
}

ParameterInfo HowParameter() {
  return {.name = "how",
          .kind = ParameterKind::kWord,
          .default_value = "stream",
          .explain =
              "What is cut: the stream (RST_STREAM towards both sides) or the connection "
              "with everything on it (RST).",
          .words = {"stream", "connection"}};
}

CutOptions::How ReadHow(const ParameterValues& values) {
  return values.word("how") == 0 ? CutOptions::How::kStream : CutOptions::How::kConnection;
}

std::vector<ParameterInfo> CutParameters(std::vector<ParameterInfo> more) {
  more.push_back(CodeParameter("internal-error"));
  more.push_back(TimesParameter());
  return StreamParameters(std::move(more));
}

std::unique_ptr<Effect> MakeStreamCut(const EffectSeed& seed, const CutOptions& options) {
  return std::make_unique<StreamEffect>(
      seed, [options](const StageSeed& at) { return std::make_unique<CutStage>(at, options); });
}

}  // namespace watchproof::proxy
