// SPDX-License-Identifier: Apache-2.0
// A cluster falls apart into a majority and a minority.
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
    .info = {.name = "split",
             .explain = "Cuts a cluster into a majority and a minority that do not hear each "
                        "other, until healed; clients still reach all. Felt when a member says "
                        "that it has no leader any more, or another one, or that the term has "
                        "risen.",
             .parameters = {{"leader", "majority",
                             "majority or minority: where the first member is, which leads at the "
                             "start"}},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      const std::string& where = given.at("leader");
      if (where == "majority" || where == "minority") {
        return std::make_unique<Split>(where == "minority");
      }
      return Fail(StatusCode::kInvalidArgument,
                  "split: the leader is in the majority or in the minority, not in '{}'", where);
    },
}};

}  // namespace
}  // namespace watchproof
