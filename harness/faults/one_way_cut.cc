// SPDX-License-Identifier: Apache-2.0
// One member no longer receives another one's messages; its own still arrive there.
#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

class OneWayCut final : public PeerFault {
 public:
  explicit OneWayCut(Link link) : PeerFault("one-way-cut", Swallow()), link_(link) {}

 private:
  Result<std::vector<Link>> LinksOf(int /*members*/) const override {
    return std::vector<Link>{link_};
  }

  const Link link_;
};

const FaultRegistration kOneWayCut{{
    .info = {.name = "one-way-cut",
             .explain = "Swallows the messages from one member of a cluster to another until "
                        "healed; the other direction and all other links still work. Took effect "
                        "if a member reports that it has no leader, another leader, or a higher "
                        "term. So `from` must be the leader.",
             .parameters = {{"from", "1", "the sender of the lost messages"},
                            {"to", "2", "their receiver"}},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      PeerFault::Link link;
      WP_ASSIGN_OR_RETURN(link.from, ParseMember(given.at("from")));
      WP_ASSIGN_OR_RETURN(link.to, ParseMember(given.at("to")));
      if (link.from != link.to) return std::make_unique<OneWayCut>(link);
      return Fail(StatusCode::kInvalidArgument,
                  "one-way-cut: from and to are both member {}; expected two members", link.to);
    },
}};

}  // namespace
}  // namespace watchproof
