// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is stopped and later continued: as on a
// machine that swaps, or a virtual machine that is migrated.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

// A running server answers a status call sooner than this.
constexpr Duration kSilence = 250ms;
constexpr Duration kLimitBefore = 2s;
constexpr Duration kPausedAnswerLimit = 10s;

class Pause final : public Fault {
 public:
  explicit Pause(std::int64_t member) : member_(member) {}
  bool took_effect() const override { return stopped_ && silent_; }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
    // If the server did not answer before the fault, its silence is no evidence.
    if (!server->target->Ask(Within(kLimitBefore)).has_value()) return {};
    WP_RETURN_IF_ERROR(server->target->Pause());
    paused_ = true;
    acts_ = true;
    return {};
  }
  void Look(FaultPorts& ports) override {
    if (took_effect()) return;
    const auto server = ServerOf(ports, member_);
    if (!server.has_value()) return;
    stopped_ = (*server)->target->process_state() == 'T';
    silent_ = !(*server)->target->Ask(Within(kSilence)).has_value();
  }
  Status Undo(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
    WP_RETURN_IF_ERROR(server->target->Continue());
    const auto after = server->target->Ask(Within(kPausedAnswerLimit));
    // It may have gone on to its crash point.
    return after.has_value() || AtCrashPoint(*server) ? Status() : after.error();
  }
  void Describe(FaultReceipt& receipt) const override {
    const std::int64_t ms =
        Milliseconds(std::max(Duration::zero(), Duration(healed_at_ - armed_at())));
    receipt.measured = {
        {"member", member_}, {"stopped", stopped_}, {"silent", silent_}, {"paused_ms", ms}};
    receipt.text = !paused_ ? std::string("the process was not paused: it was silent before")
                            : fmt::format(
                                  "member {} was paused for {} ms: the kernel {} the "
                                  "process as stopped, a status call to it {}",
                                  member_, ms, stopped_ ? "reported" : "did not report",
                                  silent_ ? "got no answer" : "was answered");
  }

  const std::int64_t member_;
  bool paused_ = false;
  bool stopped_ = false;
  bool silent_ = false;
};

const FaultRegistration kPause([] {
  return std::vector<FaultKind>{
      {.info = {.name = "pause",
                .explain = "Stops the process of the target, or of one member of a cluster, and "
                           "continues it when healed (SIGSTOP, SIGCONT). Connections stay open, "
                           "and no call is answered. Took effect if the kernel reports the process "
                           "as stopped and a status call over the direct path gets no answer for "
                           "250 ms.",
                .parameters = {MemberParameter()},
                .parts_members = true},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Pause>(given.number("member"));
       }}};
});

}  // namespace
}  // namespace watchproof
