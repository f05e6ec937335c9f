// SPDX-License-Identifier: Apache-2.0
// Faults on the links between the members of a cluster: messages from one member to another are
// swallowed or delayed.
//
//   class Ring final : public PeerFault {
//     std::vector<Link> LinksOf(int members) const override;
//   };
//
// A link has a direction, that of the messages. A member dials another member both to receive its
// messages as a response stream and to send its own messages as requests. So one link is one
// direction each of two kinds of connections. They are identified by the name of the dialling
// member.
//
// A cut took effect when a member's own status has changed: it has no leader any more, another
// leader than before, or a higher term. A delay took effect when a member still lacks, after the
// required time, a revision that another member had. Not thread-safe. Ownership: as Fault.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/faults/server_number.h"

namespace watchproof {

class PeerFault : public Fault {
 public:
  // The messages that `from` sends to `to`.
  struct Link {
    int from = 1;
    int to = 1;
  };

  Status Arm(FaultPorts& ports) final;
  void Observe(FaultPorts& ports) final;
  Status Heal(FaultPorts& ports) final;
  bool took_effect() const final;
  FaultReceipt receipt() const final;

 protected:
  // Which member must be seen to be behind, and for how long: the evidence for a delay.
  struct Lag {
    int member = 1;
    Duration at_least{};
  };
  // The effect gets its direction and its caller from each link. Without a lag the evidence is an
  // election.
  PeerFault(std::string name, proxy::EffectSpec effect, std::optional<Lag> lag = {})
      : name_(std::move(name)), effect_(std::move(effect)), wanted_lag_(lag) {}

  // Requires: at least two members.
  virtual Result<std::vector<Link>> LinksOf(int members) const = 0;

 private:
  Status ArmLink(FaultPorts& ports, const Link& link);
  Status ArmOn(FaultPorts& ports, proxy::ProxyId path, proxy::Direction direction,
               const std::string& caller);
  void Note(const proxy::Receipt& receipt);
  void LookForElection(FaultPorts& ports);
  void LookForLag(FaultPorts& ports);

  const std::string name_;
  const proxy::EffectSpec effect_;
  const std::optional<Lag> wanted_lag_;
  std::vector<proxy::EffectId> armed_;
  std::size_t links_ = 0;
  bool healed_ = false;
  Duration armed_at_{};
  Duration healed_at_{};
  Duration asked_at_{};
  std::uint64_t leader_before_ = 0;
  std::uint64_t term_before_ = 0;
  std::uint64_t term_ = 0;
  std::int64_t leaderless_ = 0;  // members, at most
  bool other_leader_ = false;
  // A revision that another member had, and when; the slow member has not got it yet.
  struct Ahead {
    std::int64_t revision = 0;
    Duration at{};
  };
  std::optional<Ahead> ahead_;
  Duration lag_{};  // the longest
  std::int64_t bytes_ = 0;
};

// Every link between members of the two groups, both ways.
std::vector<PeerFault::Link> LinksBetween(const std::vector<int>& some,
                                          const std::vector<int>& others);
// The same between one member and all others.
std::vector<PeerFault::Link> LinksOfOne(int member, int members);

// The effect of a network that drops packets: nothing passes, no connection is closed meanwhile,
// and connections that lost bytes are closed when the network heals.
inline proxy::EffectSpec Swallow() {
  return {.kind = "black-hole", .parameters = {{"close", "yes"}}};
}

}  // namespace watchproof
