// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/fault.h"

#include "harness/base/escape.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<InjectStep> kInject;
const StepRegistration<AwaitEffectStep> kAwaitEffect;
const StepRegistration<HealStep> kHeal;

}  // namespace

void InjectStep::Fields(FieldList& field) {
  field("fault", fault).Defines(Subject::kFault);
  field("parameters", parameters);
  field("optional", optional);
}

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

void AwaitEffectStep::Fields(FieldList& field) { field("fault", fault).Uses(Subject::kFault); }

Status AwaitEffectStep::Run(StepContext& context) const {
  context.faults().AwaitEffect(fault);
  return {};
}

void HealStep::Fields(FieldList& field) { field("fault", fault).Uses(Subject::kFault); }

Status HealStep::Run(StepContext& context) const {
  WP_RETURN_IF_ERROR(context.faults().Heal(fault));
  if (!context.faults().DisturbServer()) context.session().RenewControlWatch();
  return {};
}

}  // namespace watchproof
