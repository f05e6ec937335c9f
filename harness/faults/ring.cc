// SPDX-License-Identifier: Apache-2.0
// Each member of a cluster is connected with its two neighbours only.
#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

// In a smaller cluster all members are neighbours.
constexpr int kSmallest = 4;

class Ring final : public PeerFault {
 public:
  Ring() : PeerFault("ring", Swallow()) {}

 private:
  Result<std::vector<Link>> LinksOf(int members) const override {
    if (members < kSmallest) {
      return Fail(StatusCode::kFailedPrecondition,
                  "ring: a cluster of {} has no ring; expected at least {}", members, kSmallest);
    }
    std::vector<Link> links;
    for (int from = 1; from <= members; ++from) {
      for (int to = 1; to <= members; ++to) {
        const int apart = (to - from + members) % members;
        if (apart > 1 && apart < members - 1) links.push_back({from, to});
      }
    }
    return links;
  }
};

const FaultRegistration kRing{{
    .info = {.name = "ring",
             .explain = "Cuts all links of a cluster except those between neighbours (the last "
                        "member and the first are neighbours), until healed: each member reaches "
                        "two others and none reaches all. Needs at least four members. Took "
                        "effect if a member reports that it has no leader, another leader, or a "
                        "higher term.",
             .parameters = {},
             .parts_members = true},
    .make = [](const FaultParameters&) -> Result<std::unique_ptr<Fault>> {
      return std::make_unique<Ring>();
    },
}};

}  // namespace
}  // namespace watchproof
