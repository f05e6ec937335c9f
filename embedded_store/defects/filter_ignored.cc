// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"
#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

const DefectRegistration kFilterIgnored(
    {.name = "filter-ignored",
     .explain = "A watch may ask to leave out puts, or to leave out deletes. This store obeys the "
                "first filter and ignores the second. A client that reads every event as a put, "
                "because it asked for nothing else, stores empty objects. Trigger: a watch "
                "without deletes, and a delete.",
     .guarantees = {"Filtered"}},
    [](Hooks& hooks) {
      hooks.on_create = [before = hooks.on_create](WatchSpec& spec) {
        before(spec);
        spec.no_deletes = false;
      };
    });

}  // namespace watchproof::store
