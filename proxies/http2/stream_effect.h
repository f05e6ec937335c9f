// SPDX-License-Identifier: Apache-2.0
// Effects on the frames of followed connections. To add one, add one file to this folder:
//
//   class HoldStage final : public AimedFrameStage { ... };
//   const EffectRegistration kHold{{.name = "hold-stream", ..., .on_streams = true,
//                                   .make = StreamEffectOf<HoldStage>}};
//
// Threads: the io thread only. Ownership: as Effect; it outlives its frame stages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"
#include "proxies/http2/frame_stage.h"

namespace watchproof::proxy {

class StreamEffect final : public Effect {
 public:
  using MakeStageFunction = std::function<std::unique_ptr<FrameStage>(const StageSeed&)>;

  StreamEffect(const EffectSeed& seed, MakeStageFunction make_stage)
      : Effect(seed), make_stage_(std::move(make_stage)) {}

  // The stage for one followed connection; `direction` is the effect's own, perhaps both.
  std::unique_ptr<FrameStage> MakeFrameStage(ConnectionId connection, Direction direction) {
    return make_stage_({.connection = connection,
                        .direction = direction,
                        .prng = prng_,
                        .tally = {tally_, connection},
                        .values = values_});
  }

 private:
  const MakeStageFunction make_stage_;
};

// Its stages are made from their seeds alone.
template <typename StageType>
std::unique_ptr<Effect> StreamEffectOf(const EffectSeed& seed) {
  return std::make_unique<StreamEffect>(
      seed, [](const StageSeed& at) { return std::make_unique<StageType>(at); });
}

// The stream of a connection that an effect acts on.
struct StreamAim {
  std::string path;
  std::int64_t number = 1;

  explicit StreamAim(const ParameterValues& values)
      : path(values.text("path")), number(values.number("stream")) {}
  bool Hits(const Unit& unit) const {
    return unit.stream && unit.stream->number == number && unit.stream->path == path;
  }
};

// The parameters that StreamAim reads, and then `more`.
inline std::vector<ParameterInfo> StreamParameters(std::vector<ParameterInfo> more) {
  std::vector<ParameterInfo> all = {
      {"path", ParameterKind::kText, std::string(kWatchPath),
       "The method of the streams to affect, as in the :path of HTTP/2."},
      {"stream", ParameterKind::kNumber, "1",
       "Which of them: 1 is the first that a connection opened.", 1}};
  for (ParameterInfo& one : more) all.push_back(std::move(one));
  return all;
}

// What the frame stages of one stream have in common. Requires: the effect declares
// StreamParameters.
class AimedFrameStage : public FrameStage {
 public:
  explicit AimedFrameStage(const StageSeed& seed) : aim_(seed.values), tally_(seed.tally) {}

  void OnUnfollowed() override { tally_.Unfollowed(); }

 protected:
  const StreamAim aim_;
  ConnectionTally tally_;
};

}  // namespace watchproof::proxy
