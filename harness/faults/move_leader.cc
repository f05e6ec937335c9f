// SPDX-License-Identifier: Apache-2.0
// The leader of a cluster transfers its leadership to another member: a planned election.
#include <algorithm>
#include <future>

#include "harness/faults/fault.h"
#include "harness/targets/probe.h"

namespace watchproof {
namespace {

constexpr Duration kHeirAnswerLimit = 1s;
constexpr Duration kMoveLimit = 5s;

class LeadershipMove final : public Fault {
 public:
  LeadershipMove(std::int64_t to, bool seen_by_all) : to_(to), seen_by_all_(seen_by_all) {}
  bool took_effect() const override { return took_effect_; }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const next, ServerOf(ports, to_));
    const Result<ServerStatus> heir = next->target->Ask(Within(kHeirAnswerLimit));
    refusal_ = heir.has_value() ? Status() : heir.error();
    if (!heir.has_value()) return {};  // another fault may hold it
    heir_ = next->target;
    before_ = heir->leader;
    wanted_ = heir->member;
    // A cluster may elect at any time: then there is nothing to move, and nothing wrong.
    refusal_ = Fail(StatusCode::kFailedPrecondition, "no member reports that it is the leader");
    for (const ServerPorts& server : ports.servers) {
      const auto word = server.target->Ask(Within(kHeirAnswerLimit));
      if (!word.has_value() || word->member != word->leader) continue;
      // The transfer fails if the other members cannot reach the new leader; see the receipt.
      refusal_ = word->member == wanted_
                     ? Fail(StatusCode::kFailedPrecondition, "member {} is the leader already", to_)
                     : Ask(*server.target);
      acts_ = moved_ = refusal_.ok();
      break;
    }
    return {};
  }
  // A leader that does not learn of the election has no answer until the call is given up.
  Status Ask(const Target& leader) {
    const auto ask = [at = leader.endpoint(), token = leader.token(), wanted = wanted_] {
      return MoveLeader(at, wanted, Within(kMoveLimit), token);
    };
    if (seen_by_all_) return ask();
    answer_ = std::async(std::launch::async, ask);
    return {};
  }

  // Only the old leader answered the call, so every member is asked for its leader.
  void Look(FaultPorts& ports) override {
    if (took_effect_) return;
    took_effect_ =
        std::all_of(ports.servers.begin(), ports.servers.end(), [&](const ServerPorts& server) {
          if (!seen_by_all_ && server.target != heir_) return true;
          const auto word = server.target->Ask(Within(kHeirAnswerLimit));
          const bool must_answer = server.target == heir_;  // a disk that hangs may silence others
          return word.has_value() ? word->leader == wanted_ : !must_answer;
        });
    if (took_effect_) healed_at_ = ports.now();  // there is nothing to heal
  }
  Status Undo(FaultPorts& /*ports*/) override {
    if (answer_.valid()) answer_.wait();
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"to", to_}, {"handed_over", moved_}};
    receipt.text = fmt::format("{:x} was asked to move the leadership to member {} ({:x}); {}",
                               before_, to_, wanted_, Outcome());
  }
  std::string Outcome() const {
    if (!moved_) return "it failed: " + refusal_.message();
    if (!seen_by_all_) return took_effect_ ? "it reports that it leads" : "it does not lead";
    return took_effect_ ? "every member that answers follows it" : "not all members follow it";
  }

  const std::int64_t to_;
  const bool seen_by_all_;
  std::future<Status> answer_;
  Status refusal_;
  bool moved_ = false;
  bool took_effect_ = false;
  const Target* heir_ = nullptr;
  std::uint64_t before_ = 0;
  std::uint64_t wanted_ = 0;
};

const FaultRegistration kMoveLeader([] {
  return std::vector<FaultKind>{
      {.info = {.name = "move-leader",
                .explain = "Asks the leader of a cluster to transfer its leadership to another "
                           "member. Took effect if that one reports that it leads, and no other "
                           "member reports another leader, over the direct path.",
                .parameters = {MemberParameter("to", "2"),
                               {.name = "seen-by",
                                .kind = proxy::ParameterKind::kWord,
                                .default_value = "all",
                                .explain = "By which members it must be reported; itself: others "
                                           "may be cut off, and none is waited for.",
                                .words = {"all", "itself"}}},
                .parts_members = true},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<LeadershipMove>(given.number("to"), given.word("seen-by") == 0);
       }}};
});

}  // namespace
}  // namespace watchproof
