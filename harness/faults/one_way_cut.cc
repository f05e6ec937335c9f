// SPDX-License-Identifier: Apache-2.0
// One member does not hear another one any more, and is heard all the same.
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
             .explain = "Swallows what one member of a cluster says to another one, until healed; "
                        "answers and everything else pass. Felt when a member says that it has no "
                        "leader any more, or another one, or that the term has risen: so the "
                        "leader must be the one who is not heard.",
             .parameters = {{"from", "1", "who is not heard"}, {"to", "2", "by whom"}},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      PeerFault::Link link;
      WP_ASSIGN_OR_RETURN(link.from, ParseMember(given.at("from")));
      WP_ASSIGN_OR_RETURN(link.to, ParseMember(given.at("to")));
      if (link.from != link.to) return std::make_unique<OneWayCut>(link);
      return Fail(StatusCode::kInvalidArgument, "one-way-cut: member {} always hears itself",
                  link.to);
    },
}};

}  // namespace
}  // namespace watchproof
