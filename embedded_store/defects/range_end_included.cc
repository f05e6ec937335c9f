// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"
#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

const DefectRegistration kRangeEndIncluded(
    {.name = "range-end-included",
     .explain = "The end of a watched range is the first key that no longer belongs to it; the "
                "prefix a/ ends at a0. This store counts the end as part of the range, so that "
                "the watch of one tenant's prefix receives a key of the neighbour. Trigger: a "
                "range and a change of exactly the key at its end.",
     .guarantees = {"Filtered"}},
    [](Hooks& hooks) {
      hooks.on_create = [before = hooks.on_create](WatchSpec& spec) {
        before(spec);
        KeyRange& range = spec.range;
        // The key that follows the end directly is the end and a zero byte.
        if (!range.single() && !range.open_ended() && !range.empty()) range.end.push_back('\0');
      };
    });

}  // namespace watchproof::store
