// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/maintenance.h"

#include <algorithm>

#include "harness/history/wire.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<HashStep, ListAlarmsStep> kMaintenanceSteps;

}  // namespace

Status HashStep::Run(StepContext& context) const {
  context.MustHash(member, context.Resolve(at));
  return {};
}

Status ListAlarmsStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(const Bytes alarms, session.kv().Record(Method::kAlarm, Message()));
  AlarmResponseView answer;
  WP_RETURN_IF_ERROR(Parse(alarms.view(), answer));
  const bool listed = std::ranges::count(answer.alarms, kSpaceAlarm, &AlarmView::kind) > 0;
  // One kind, and of one member; and what the member reports of them.
  for (const Message& request :
       {Message().Number(3, kSpaceAlarm), Message().Number(3, kSpaceAlarm + 1),
        Message().Number(2, 1).Number(3, kSpaceAlarm)}) {
    WP_RETURN_IF_ERROR(StatusOf(session.kv().Record(Method::kAlarm, request)));
  }
  WP_RETURN_IF_ERROR(StatusOf(session.kv().Record(Method::kStatus, Message())));
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
