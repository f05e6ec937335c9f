// SPDX-License-Identifier: Apache-2.0
// A cluster is partitioned into a majority and a minority.
#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

class Split final : public PeerFault {
 public:
  explicit Split(bool leader_alone) : PeerFault("split", Swallow()), leader_alone_(leader_alone) {}

 private:
  // The first member leads at the start.
  Result<std::vector<Link>> LinksOf(int members) const override {
    const int majority = members / 2 + 1;
    std::vector<int> some;
    std::vector<int> others;
    for (int member = 1; member <= members; ++member) {
      const int place = leader_alone_ ? members + 1 - member : member;
      (place <= majority ? some : others).push_back(member);
    }
    return LinksBetween(some, others);
  }

  const bool leader_alone_;
};

const FaultRegistration kSplit{{
    .info =
        {.name = "split",
         .explain = "Partitions a cluster into a majority and a minority until healed; "
                    "clients still reach every member. Took effect if a member reports that "
                    "it has no leader, another leader, or a higher term.",
         .parameters = {{"leader", "majority",
                         "majority or minority: the part of the first member, which leads at the "
                         "start"}},
         .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      const std::string& where = given.at("leader");
      if (where == "majority" || where == "minority") {
        return std::make_unique<Split>(where == "minority");
      }
      return Fail(StatusCode::kInvalidArgument,
                  "split: leader is '{}'; expected majority or minority", where);
    },
}};

}  // namespace
}  // namespace watchproof
