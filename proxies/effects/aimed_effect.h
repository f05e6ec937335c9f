// SPDX-License-Identifier: Apache-2.0
// An effect that hits a connection once, at a place: those that exist when it is armed, and later
// ones only if asked; at once, or behind so many further bytes.
//
//   class HalfClose final : public AimedEffect {
//     std::unique_ptr<Stage> Hit(ConnectionId connection) override;
//   };
//
// Threads: the io thread only. Ownership: as Effect.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {

// The two parameters of every aimed effect, each as this effect explains it.
struct AimExplained {
  std::string future;
  std::string after_bytes;
};
inline std::vector<ParameterInfo> AimParameters(AimExplained explained) {
  return {{.name = "future",
           .kind = ParameterKind::kYesNo,
           .default_value = "no",
           .explain = std::move(explained.future)},
          {.name = "after-bytes",
           .kind = ParameterKind::kBytes,
           .default_value = "0B",
           .explain = std::move(explained.after_bytes)}};
}

class AimedEffect : public Effect {
 public:
  std::unique_ptr<Stage> MakeStage(const Placement& placement) final {
    if (placement.age == Placement::Age::kFuture && !future_) return nullptr;
    return Hit(placement.connection);
  }

 protected:
  // Requires: the effect declares AimParameters.
  explicit AimedEffect(const EffectSeed& seed)
      : Effect(seed.armed_at),
        after_bytes_(seed.values.bytes("after-bytes")),
        future_(seed.values.yes("future")) {}

  // The stage for one direction of a connection that is aimed at.
  virtual std::unique_ptr<Stage> Hit(ConnectionId connection) = 0;

  const std::int64_t after_bytes_;  // 0: at once

 private:
  const bool future_;
};

}  // namespace watchproof::proxy
