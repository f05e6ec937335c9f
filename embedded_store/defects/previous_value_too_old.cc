// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kPreviousValueTooOld(
    {.name = "previous-value-too-old",
     .explain = "An event may carry what the key held right before the change. This store looks "
                "one revision too far back, so that two changes in a row give the second one the "
                "value before both. A cache that compares old and new object to decide whether it "
                "left a selection decides wrongly. Trigger: a watch with previous values and a "
                "key that changes in two revisions in a row.",
     .guarantees = {"PreviousValue"}},
    [](Hooks& hooks) {
      hooks.previous_sought = [](Revision mod) { return mod.previous().previous(); };
    });

}  // namespace watchproof::store
