// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/fault.h"

#include "harness/base/escape.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

constexpr Duration kPatience = 3s;

const StepRegistration<InjectStep, AwaitEffectStep, HealStep> kFaultSteps;

}  // namespace

Status InjectStep::Check() const {
  const auto made = MakeFault(fault, parameters);
  return made.has_value() ? Status()
                          : Status(StatusCode::kInvalidArgument, Escaped(made.error().message()));
}

std::string_view InjectStep::Request() const {
  return KindOf(fault) == "no-space" ? "an alarm" : "maintenance";
}

Status InjectStep::Run(StepContext& context) const {
  return context.faults().Inject(fault, parameters, optional);
}

Status AwaitEffectStep::Run(StepContext& context) const {
  const bool must = must_within > Duration::zero();
  if (context.faults().AwaitEffect(fault, must ? must_within : kPatience) || !must) return {};
  context.Inconclusive(
      fmt::format("fault {} took no effect within {} ms, and what follows is about that", fault,
                  InMilliseconds(OnThisMachine(must_within))));
  return {};
}

Status HealStep::Run(StepContext& context) const {
  WP_RETURN_IF_ERROR(context.faults().Heal(fault));
  if (!context.faults().DisturbServer()) context.session().RenewControlWatch();
  return {};
}

}  // namespace watchproof
