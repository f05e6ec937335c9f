// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kProgressBelowFutureStart(
    {.name = "progress-below-future-start",
     .explain = "A watch that starts in the future must receive nothing about revisions before "
                "its start. This store counts it as caught up and reports the current revision as "
                "its progress; a client that resumes from there moves its start below the one it "
                "had asked for. etcd did this up to 3.4.37, 3.5.21 and 3.6.1. Trigger: a watch "
                "with a future start revision and a progress request.",
     .upstream_issue = "#20221",
     .guarantees = {"Bookmarkable"}},
    [](Hooks& hooks) { hooks.early_progress = Early::kWhateverComes; });

}  // namespace watchproof::store
