// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kVictimSkipsWhatPassed(
    {.name = "victim-skips-what-passed",
     .explain = "While a watch waits for room in the queue of its stream the store goes on. This "
                "store then continues the watch at its newest revision, as if it had been fed all "
                "along: everything written while it waited is lost, without any notice. Trigger: "
                "a reader that stops reading, and some writes meanwhile.",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.after_victim = [](Revision, Revision newest) { return newest; }; });

}  // namespace watchproof::store
