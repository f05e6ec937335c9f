// SPDX-License-Identifier: Apache-2.0
// A member of a cluster is lost with its data: it is removed, added again, and joins without any.
#include <thread>

#include "harness/faults/fault.h"
#include "harness/targets/probe_members.h"

namespace watchproof {
namespace {

constexpr Duration kCallLimit = 5s;
constexpr Duration kStepLimit = 15s;  // of one that is refused until the others are healthy
constexpr Duration kBetweenTries = 250ms;

class Replacement final : public Fault {
 public:
  Replacement(std::int64_t member, bool learner) : number_(member), learner_(learner) {}

  bool took_effect() const override { return after_ && after_->member != before_.member; }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, number_));
    Target& target = *server->target;
    if (target.peer_url().empty()) {
      return Fail(StatusCode::kUnimplemented, "it is no member of a cluster");
    }
    const auto before = target.Ask(Within(kCallLimit));
    if (!before.has_value()) return {};  // another fault holds it: see the receipt
    before_ = *before;
    WP_RETURN_IF_ERROR(target.Kill());
    acts_ = true;
    WP_RETURN_IF_ERROR(
        Ask(ports, [&](const MemberCall& call) { return RemoveMember(call, before_.member); }));
    WP_RETURN_IF_ERROR(Ask(ports, [&](const MemberCall& call) {
      return AddMember(call, target.peer_url(), learner_ ? Vote::kNone : Vote::kOne);
    }));
    WP_RETURN_IF_ERROR(target.BeginAnew());
    WP_ASSIGN_OR_RETURN(const ServerStatus joined, StartAgain(target));
    server->caller = fmt::format("{:x}", joined.member);
    Status promoted;
    if (learner_) {
      promoted =
          Ask(ports, [&](const MemberCall& call) { return PromoteMember(call, joined.member); });
    }
    // One that knows no learners has it as an ordinary member by now.
    no_learners_ = promoted.code() == StatusCode::kUnimplemented;
    if (!promoted.ok() && !no_learners_) return promoted;
    after_ = joined;
    healed_at_ = ports.now();
    return {};
  }

  // Asks another member, again as long as it is refused: the leader may have to be elected first,
  // and the others must have been connected for a while.
  template <typename Question>
  Status Ask(FaultPorts& ports, Question question) {
    Status done;
    const Deadline deadline = Within(kStepLimit);
    do {
      for (const ServerPorts& server : ports.servers) {
        if (&server == &ports.servers[static_cast<std::size_t>(number_ - 1)]) continue;
        done = StatusOf(question(MemberCall{.endpoint = server.target->endpoint(),
                                            .deadline = Within(kCallLimit),
                                            .token = server.target->token()}));
        if (done.ok() || done.code() == StatusCode::kUnimplemented) return done;
      }
      std::this_thread::sleep_for(kBetweenTries);
    } while (!deadline.expired());
    return done;
  }

  void Describe(FaultReceipt& receipt) const override {
    if (no_learners_) receipt.unsupported = "members that are learners first";
    receipt.measured = {{"member", number_}, {"removed", acts_}, {"joined", after_.has_value()}};
    receipt.text =
        acts_ ? fmt::format("member {} ({:x}) was removed with its data", number_, before_.member)
              : fmt::format("member {} did not answer, and was not removed", number_);
    if (after_) {
      receipt.text += fmt::format("; it joined again{} as {:x}",
                                  learner_ ? ", first as a learner," : "", after_->member);
    }
  }

  const std::int64_t number_;
  const bool learner_;
  bool no_learners_ = false;
  ServerStatus before_;
  std::optional<ServerStatus> after_;
};

const FaultRegistration kReplace([] {
  return std::vector<FaultKind>{
      {.info = {.name = "replace",
                .explain = "Kills one member of a cluster, removes it, adds it again, and starts "
                           "it without its data: it receives everything from the others. Took "
                           "effect if it answers with a new id.",
                .parameters = {MemberParameter("member", "2"),
                               {.name = "learner",
                                .kind = proxy::ParameterKind::kYesNo,
                                .default_value = "no",
                                .explain = "Whether it joins as one without a vote, and gets that "
                                           "once it has caught up."}},
                .ends_streams = EndsStreams::kEvery,
                .parts_members = true},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Replacement>(given.number("member"), given.yes("learner"));
       }}};
});

}  // namespace
}  // namespace watchproof
