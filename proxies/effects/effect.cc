// SPDX-License-Identifier: Apache-2.0
#include "proxies/effects/effect.h"

#include <algorithm>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

// Built while static objects are constructed, read only afterwards.
std::vector<EffectInfo>& Registry() {
  static std::vector<EffectInfo> effects;
  return effects;
}

class PipeEffect final : public Effect {
 public:
  PipeEffect(const EffectSeed& seed,
             std::function<std::unique_ptr<Stage>(const StageSeed&)> make_stage,
             PipeEffectOptions options)
      : Effect(seed), make_stage_(std::move(make_stage)), options_(options) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    if (placement.age == Placement::Age::kFuture && !options_.future) return nullptr;
    const std::string purpose =
        fmt::format("connection/{}/{}", placement.connection, Name(placement.direction));
    return make_stage_({.connection = placement.connection,
                        .direction = placement.direction,
                        .prng = prng_.Fork(purpose),
                        .tally = {tally_, placement.connection},
                        .values = values_});
  }
  TimePoint ends_at() const override { return options_.ends_at; }

 private:
  const std::function<std::unique_ptr<Stage>(const StageSeed&)> make_stage_;
  const PipeEffectOptions options_;
};

}  // namespace

std::unique_ptr<Effect> MakePipeEffect(
    const EffectSeed& seed, std::function<std::unique_ptr<Stage>(const StageSeed&)> make_stage,
    PipeEffectOptions options) {
  return std::make_unique<PipeEffect>(seed, std::move(make_stage), options);
}

EffectRegistration::EffectRegistration(EffectInfo info) {
  std::vector<EffectInfo>& effects = Registry();
  const auto at =
      std::lower_bound(effects.begin(), effects.end(), info,
                       [](const EffectInfo& a, const EffectInfo& b) { return a.name < b.name; });
  WP_CHECK(at == effects.end() || at->name != info.name, "two effects of one name");
  effects.insert(at, std::move(info));
}

Result<Direction> ParseDirection(std::string_view word) {
  for (const Direction direction : {Direction::kToClient, Direction::kToTarget, Direction::kBoth}) {
    if (word == Name(direction)) return direction;
  }
  return Fail(StatusCode::kInvalidArgument, "'{}' is none of to-client, to-target, both", word);
}

const std::vector<EffectInfo>& KnownEffects() { return Registry(); }

Result<const EffectInfo*> FindEffect(std::string_view name) {
  std::string names;
  for (const EffectInfo& effect : KnownEffects()) {
    if (effect.name == name) return &effect;
    names += (names.empty() ? "" : ", ") + effect.name;
  }
  return Fail(StatusCode::kNotFound, "there is no effect '{}'; there are: {}", name, names);
}

Result<std::unique_ptr<Effect>> MakeEffect(const EffectInfo& kind, const Parameters& parameters,
                                           const Prng& prng, TimePoint armed_at) {
  WP_ASSIGN_OR_RETURN(const ParameterValues values,
                      ParseParameters(kind.name, kind.parameters, parameters));
  return kind.make({.values = values, .prng = prng, .armed_at = armed_at});
}

}  // namespace watchproof::proxy
