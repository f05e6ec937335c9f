// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kLeaseExpirySplit(
    {.name = "lease-expiry-split",
     .explain = "When a lease is revoked or expires, all keys attached to it are deleted "
                "together, in one revision. This store deletes them one after the other, each in "
                "its own revision. When a client holds a lock and announces itself with two keys "
                "on one lease, other clients see one key gone and the other still there. Trigger: "
                "a lease with two keys of one watch.",
     .guarantees = {"Atomic"}},
    [](Hooks& hooks) { hooks.lease_end = LeaseEnd::kInOneEach; });

}  // namespace watchproof::store
