// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kAnsweredBeforeSync(
    {.name = "answered-before-sync",
     .explain = "A write is answered when it is in memory, and synced afterwards: if the power "
                "fails in between, a write that was answered is gone. etcd 3.5.0 to 3.5.4 do so as "
                "a single member. Trigger: a write, and a power failure at its answer, or a kill "
                "before the store has given it to its disk.",
     .upstream_issue = "#14370",
     .guarantees = {"Durable"}},
    [](Hooks& hooks) { hooks.write_answer = WriteAnswer::kAtOnce; });

}  // namespace watchproof::store
