// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kProgressOvertakesEvents(
    {.name = "progress-overtakes-events",
     .explain = "A progress notification promises that every event up to its revision has been "
                "delivered, so that a client may resume from there. This store answers a progress "
                "request at once with the current revision, before the events that still wait in "
                "the stream's queue and before the history that a watcher has yet to receive. A "
                "client that keeps the revision and reconnects loses those events. etcd did this "
                "up to 3.4.24 and 3.5.7. Trigger: a watch with a past start revision and a "
                "progress request right after it, or a reader that has stopped reading.",
     .upstream_issue = "#15220",
     .guarantees = {"Bookmarkable"}},
    [](Hooks& hooks) { hooks.progress_timing = ProgressTiming::kAtOnce; });

}  // namespace watchproof::store
