// SPDX-License-Identifier: Apache-2.0
// Defect lease-expiry-split: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

const DefectRegistration kLeaseExpirySplit(
    {.name = "lease-expiry-split",
     .explain = "When a lease is revoked or expires, all keys attached to it are deleted "
                "together, in one revision. This store deletes them one after the other, each in "
                "its own revision. When a client holds a lock and announces itself with two keys "
                "on one lease, other clients see one key gone and the other still there. Trigger: "
                "a lease with two keys of one watch.",
     .upstream_issue = "",
     .guarantees = {"Atomic"}},
    [](Hooks& hooks) { hooks.lease_end = LeaseEnd::kInOneEach; });

}  // namespace
}  // namespace watchproof::store
