// SPDX-License-Identifier: Apache-2.0
// The leader of a cluster transfers its leadership to another member: a planned election.
#include <algorithm>

#include "harness/faults/server_number.h"

namespace watchproof {
namespace {

constexpr Duration kAnswerLimit = 1s;

class MoveLeader final : public Fault {
 public:
  explicit MoveLeader(int to) : to_(to) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    WP_ASSIGN_OR_RETURN(ServerPorts* const next, ServerOf(ports, to_));
    WP_ASSIGN_OR_RETURN(const ServerWord heir, next->ask(Within(kAnswerLimit)));
    before_ = heir.leader;
    wanted_ = heir.member;
    for (const ServerPorts& server : ports.servers) {
      WP_ASSIGN_OR_RETURN(const ServerWord word, server.ask(Within(kAnswerLimit)));
      if (word.member != word.leader) continue;
      if (word.member == wanted_) {
        return Fail(StatusCode::kFailedPrecondition, "move-leader: member {} is the leader already",
                    to_);
      }
      // The transfer fails if the other members cannot reach the new leader; see the receipt.
      refusal_ = server.hand_over(wanted_);
      moved_ = refusal_.ok();
      return {};
    }
    return Fail(StatusCode::kFailedPrecondition,
                "move-leader: no member reports that it is the leader");
  }

  // Only the old leader answered the call, so every member is asked for its leader.
  void Observe(FaultPorts& ports) override {
    if (!moved_ || took_effect_) return;
    took_effect_ =
        std::all_of(ports.servers.begin(), ports.servers.end(), [&](const ServerPorts& server) {
          const auto word = server.ask(Within(kAnswerLimit));
          return word.has_value() && word->leader == wanted_;
        });
    if (took_effect_) healed_at_ = ports.now();
  }

  Status Heal(FaultPorts& ports) override {
    Observe(ports);
    return {};
  }

  bool took_effect() const override { return took_effect_; }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = took_effect_, .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {{"to", to_}, {"handed_over", moved_}};
    receipt.text = fmt::format("{:x} was asked to move the leadership to member {} ({:x}); {}",
                               before_, to_, wanted_, Outcome());
    return receipt;
  }

 private:
  std::string Outcome() const {
    if (!moved_) return refusal_.ok() ? "it was not asked" : "it failed: " + refusal_.message();
    return took_effect_ ? "all members follow it" : "not all members follow it";
  }

  const int to_;
  Status refusal_;
  bool moved_ = false;
  bool took_effect_ = false;
  std::uint64_t before_ = 0;
  std::uint64_t wanted_ = 0;
  Duration armed_at_{};
  Duration healed_at_{};  // when the leader had changed; there is nothing to heal
};

const FaultRegistration kMoveLeader{{
    .info = {.name = "move-leader",
             .explain = "Asks the leader of a cluster to transfer its leadership to another "
                        "member. Took effect if every member reports the new leader over the "
                        "direct path.",
             .parameters = {{"to", "2", "which member becomes the leader"}},
             .parts_members = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const int to, ParseMember(given.at("to")));
      return std::make_unique<MoveLeader>(to);
    },
}};

}  // namespace
}  // namespace watchproof
