// SPDX-License-Identifier: Apache-2.0
// Defect lease-expiry-split: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class LeaseExpirySplit final : public PassOn {
 public:
  using PassOn::PassOn;
  LeaseEnd OnLeaseEnd() override { return LeaseEnd::kInOneEach; }
};

const DefectRegistration kLeaseExpirySplit(
    {.name = "lease-expiry-split",
     .explain = "When a lease is revoked or its time is over, all keys that hang on it go "
                "together, in one revision. This store deletes them one after the other, each in "
                "a revision of its own. Who holds a lock and announces itself with two keys on "
                "one lease is seen by others with one of them gone and the other still there. It "
                "takes a lease with two keys of one watch.",
     .upstream_issue = "",
     .guarantees = {"Atomic"}},
    Wrap<LeaseExpirySplit>);

}  // namespace
}  // namespace watchproof::store
