// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kVersionSurvivesDelete(
    {.name = "version-survives-delete",
     .explain = "The version of a key counts its puts and starts at 1 again after a delete. This "
                "store continues the count. A transaction that creates a key only if it does not "
                "exist is safe, but a client that takes version 1 for the sign of a new key "
                "misses a key that was deleted and created again. Trigger: a put, a delete and a "
                "put.",
     .guarantees = {"Fields"}},
    [](Hooks& hooks) { hooks.recreation = Recreation::kItsVersion; });

}  // namespace watchproof::store
