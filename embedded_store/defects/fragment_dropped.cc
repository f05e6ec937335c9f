// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kFragmentDropped(
    {.name = "fragment-dropped",
     .explain = "A client that asks for fragments receives a large response in parts, and all "
                "parts but the last are flagged as fragments. This store loses the last part. The "
                "client has put together the parts it received and waits for an end that never "
                "comes. Trigger: a watch with fragments and some megabytes of history.",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.last_part = LastPart::kDropped; });

}  // namespace watchproof::store
