// SPDX-License-Identifier: Apache-2.0
// Each member of a cluster hears its two neighbours and nobody else.
#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

// With fewer, everybody is everybody's neighbour.
constexpr int kSmallest = 4;

class Ring final : public PeerFault {
 public:
  Ring() : PeerFault("ring", Swallow()) {}

 private:
  Result<std::vector<Link>> LinksOf(int members) const override {
    if (members < kSmallest) {
      return Fail(StatusCode::kFailedPrecondition, "ring: a cluster of {} has no ring; expected {}",
                  members, kSmallest);
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
             .explain = "Cuts all links of a cluster but those between neighbours, the last member "
                        "and the first one among them, until healed: everybody hears somebody, and "
                        "nobody all. Needs four members. Felt when a member says that it has no "
                        "leader any more, or another one, or that the term has risen.",
             .parameters = {},
             .parts_members = true},
    .make = [](const FaultParameters&) -> Result<std::unique_ptr<Fault>> {
      return std::make_unique<Ring>();
    },
}};

}  // namespace
}  // namespace watchproof
