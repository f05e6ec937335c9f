// SPDX-License-Identifier: Apache-2.0
// Every message to and from one member of a cluster is delayed.
#include <algorithm>

#include "harness/faults/peer_fault.h"

namespace watchproof {
namespace {

// Healthy members are a few milliseconds apart.
constexpr Duration kLeastLag = 25ms;

class SlowPeer final : public PeerFault {
 public:
  SlowPeer(int member, Duration delay)
      : PeerFault(
            "slow-peer",
            {.kind = "latency", .parameters = {{"delay", fmt::format("{}ns", delay.count())}}},
            Lag{.member = member, .at_least = std::max(delay / 2, kLeastLag)}),
        member_(member) {}

 private:
  Result<std::vector<Link>> LinksOf(int members) const override {
    return LinksOfOne(member_, members);
  }

  const int member_;
};

FaultParameterInfo WhichMember() {
  FaultParameterInfo which = kMemberParameter;
  which.default_value = "2";
  return which;
}

const FaultRegistration kSlowPeer{{
    .info = {.name = "slow-peer",
             .explain = "Delays every message between one member of a cluster and the others, in "
                        "both directions. Took effect if, after half the delay and at least 25 "
                        "ms, the member still lacks a revision that another member had. So there "
                        "must be writes.",
             .parameters = {WhichMember(),
                            {"delay", "150ms",
                             "each way; above the election timeout it acts as a cut"}},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const int member, ParseMember(given.at("member")));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      return std::make_unique<SlowPeer>(member, delay);
    },
}};

}  // namespace
}  // namespace watchproof
