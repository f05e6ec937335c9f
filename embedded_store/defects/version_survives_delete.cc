// SPDX-License-Identifier: Apache-2.0
// Defect version-survives-delete: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

const DefectRegistration kVersionSurvivesDelete(
    {.name = "version-survives-delete",
     .explain = "The version of a key counts its puts and starts at 1 again after a delete. This "
                "store continues the count. A transaction that creates a key only if it does not "
                "exist is safe, but a client that takes version 1 for the sign of a new key "
                "misses a key that was deleted and created again. Trigger: a put, a delete and a "
                "put.",
     .upstream_issue = "",
     .guarantees = {"Fields"}},
    [](Hooks& hooks) { hooks.recreation = Recreation::kItsVersion; });

}  // namespace
}  // namespace watchproof::store
