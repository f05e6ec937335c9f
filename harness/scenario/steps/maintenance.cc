// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/maintenance.h"

#include "harness/scenario/step_context.h"
#include "harness/targets/probe.h"

namespace watchproof {
namespace {

const StepRegistration<HashStep, ListAlarmsStep> kMaintenanceSteps;

constexpr Duration kAnswers = 10s;

}  // namespace

Status HashStep::Run(StepContext& context) const {
  context.MustHash(member, context.Resolve(at));
  return {};
}

Status ListAlarmsStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(const bool listed,
                      HasSpaceAlarm(context.environment().target(session.member()).endpoint(),
                                    Within(kAnswers), session.kv().token()));
  const auto differs = [&](std::string expected, std::string observed) {
    session.Annotate(AnswerDiffers{
        .client = "operator", .expected = std::move(expected), .observed = std::move(observed)});
  };
  if (listed != raised) {
    differs(raised ? "the alarm for a full backend to be listed: it was raised, and not disarmed"
                   : "no alarm for a full backend: none was raised, or it was disarmed",
            listed ? "it is listed" : "it is not");
  }
  const auto put = session.kv().Put(session.Placed("alarmed"), "v");
  const bool refused =
      put.has_value() ? false : put.error().code() == StatusCode::kResourceExhausted;
  if (!put.has_value() && !refused) return put.error();
  if (refused != raised) {
    differs(raised ? "a put to be refused while the backend is full"
                   : "a put to be answered once the alarm is disarmed",
            put.has_value() ? "it was answered" : put.error().ToString());
  }
  return put.has_value() ? context.NoteHead(put) : Status();
}

}  // namespace watchproof
