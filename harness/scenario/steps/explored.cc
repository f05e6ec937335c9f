// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/explored.h"

#include "harness/base/prng.h"
#include "harness/results/attempt_spec.h"

namespace watchproof {
namespace {

template <typename Steps>
struct EachKind;
template <typename... Kinds>
struct EachKind<std::variant<Kinds...>> : StepRegistration<ExploredStep<Kinds>...> {};
const EachKind<explore::Step> kExplored;

}  // namespace

Step Explored(const explore::Step& step) {
  return std::visit([]<typename Kind>(const Kind& one) { return Step(ExploredStep<Kind>{one}); },
                    step);
}

Plan PlanOf(const explore::Script& script) {
  Plan plan{.limits = script.limits, .settings = script.server};
  for (const explore::Step& step : script.steps) plan.steps.push_back(Explored(step));
  return plan;
}

PlanFile PlanOfFound(const explore::Script& script, const Finding& shown, std::string_view target,
                     std::uint64_t seed) {
  Plan plan = PlanOf(script);
  if (target != kVirtualTime) plan.limits = {};  // a real server has its own
  return PlanOfFound(std::move(plan), Name(shown.guarantee), shown.signature, target, seed);
}

PlanFile PlanOfFound(Plan plan, std::string_view guarantee, std::string_view signature,
                     std::string_view target, std::uint64_t seed) {
  PlanFile file{.header = {.target = std::string(target), .seed = FormatSeed(seed)},
                .plan = std::move(plan)};
  file.plan.shows = guarantee;
  file.plan.looks_like = signature;
  std::uint64_t hash = Fnv1a(guarantee);
  for (const std::string& line : StepLines(file.plan)) hash = Fnv1a(line, hash);
  file.header.case_name = fmt::format("{}{}_{:06x}", kExploredSuite, guarantee, hash & 0xffffff);
  return file;
}

}  // namespace watchproof
