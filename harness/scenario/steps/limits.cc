// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/limits.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<LimitsStep> kLimits;

}  // namespace

Status LimitsStep::Run(StepContext& context) const {
  context.session().Annotate(
      StoreLimits{.space = space, .operations = operations, .request = request});
  return {};
}

}  // namespace watchproof
