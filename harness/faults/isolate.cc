// SPDX-License-Identifier: Apache-2.0
// One member of a cluster is cut off from all others.
#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

class Isolate final : public PeerFault {
 public:
  explicit Isolate(int member) : PeerFault("isolate", Swallow()), member_(member) {}

 private:
  Result<std::vector<Link>> LinksOf(int members) const override {
    return LinksOfOne(member_, members);
  }

  const int member_;
};

const FaultRegistration kIsolate{{
    .info = {.name = "isolate",
             .explain = "Swallows every message between one member of a cluster and the others, "
                        "in both directions, until healed; its clients still reach it. Took "
                        "effect if a member reports that it has no leader, another leader, or a "
                        "higher term.",
             .parameters = {kMemberParameter},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const int member, ParseMember(given.at("member")));
      return std::make_unique<Isolate>(member);
    },
}};

}  // namespace
}  // namespace watchproof
