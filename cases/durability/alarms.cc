// SPDX-License-Identifier: Apache-2.0
// An alarm is there until it is disarmed.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/maintenance.h"

namespace watchproof {
namespace {

WATCH_CASE(Answered, AlarmAcrossRestart,
           {.requirement = "an alarm is listed until it is disarmed, and with that for a full "
                           "backend a member takes no puts (etcd API, Maintenance service, Alarm; "
                           "etcd, space quota)",
            .explain = "The alarm for a full backend is raised, and the server killed and started "
                       "again. The alarm must still be listed and puts be refused, until it is "
                       "disarmed.",
            .needs = {Capability::kServerOfItsOwn, Capability::kMaintenance, Capability::kDurable},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string key = scenario.Key("full");
  scenario.Open({.group = "live", .range = OneKey(key)});
  scenario.PutSome(key, {2, 5});
  scenario.Inject("no-space");
  scenario.AwaitEffect("no-space");
  scenario.Add(ListAlarmsStep{.raised = true});
  scenario.KillAndRestart();
  scenario.Add(ListAlarmsStep{.raised = true});
  scenario.Heal("no-space");
  scenario.Add(ListAlarmsStep{.raised = false});
  scenario.PutSome(key, {2, 5});
}

}  // namespace
}  // namespace watchproof
