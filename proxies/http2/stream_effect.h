// SPDX-License-Identifier: Apache-2.0
// An effect on the frames of followed connections. To add one, add one file to this folder:
//
//   class Hold final : public StreamEffect { ... };
//   const EffectRegistration kHold{{.name = "hold-stream", ...}};
//
// Threads: the io thread only. Ownership: as Effect; it outlives its frame stages.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"
#include "proxies/http2/frame_stage.h"

namespace watchproof::proxy {

class StreamEffect : public Effect {
 public:
  using Effect::Effect;

  // Bytes are left alone.
  std::unique_ptr<Stage> MakeStage(const Placement&) final { return nullptr; }
  // The stage for one followed connection; `direction` is the effect's own, perhaps both.
  virtual std::unique_ptr<FrameStage> MakeFrameStage(ConnectionId connection,
                                                     Direction direction) = 0;
};

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
      {.name = "path",
       .kind = ParameterKind::kText,
       .default_value = std::string(kWatchPath),
       .explain = "The method of the streams to affect, as in the :path of HTTP/2."},
      {.name = "stream",
       .kind = ParameterKind::kNumber,
       .default_value = "1",
       .explain = "Which of them: 1 is the first that a connection opened.",
       .least = 1}};
  for (ParameterInfo& one : more) all.push_back(std::move(one));
  return all;
}

// What the frame stages of one stream have in common.
class AimedFrameStage : public FrameStage {
 public:
  AimedFrameStage(ConnectionId connection, StreamAim aim, Tally& tally)
      : connection_(connection), aim_(std::move(aim)), tally_(tally) {}

  void OnUnfollowed() override { tally_.Unfollowed(connection_); }

 protected:
  const ConnectionId connection_;
  const StreamAim aim_;
  Tally& tally_;
};

}  // namespace watchproof::proxy
