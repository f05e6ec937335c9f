// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kEventsBelowFutureStart(
    {.name = "events-below-future-start",
     .explain = "A watch may start at a revision that does not exist yet, and receives nothing "
                "from before that revision. This store feeds it from the moment it is created. "
                "etcd did this up to 3.4.37, 3.5.21 and 3.6.1 when a member had been restored "
                "from a snapshot. Trigger: a watch with a future start revision and a write below "
                "it.",
     .upstream_issue = "#20221",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.early_events = Early::kWhateverComes; });

}  // namespace watchproof::store
