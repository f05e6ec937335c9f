// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is ended and started again with the data it
// had: killed without warning, or stopped in order and perhaps started as another release.
//
// Took effect when the kernel has reported the end of the process, and the new process answers with
// a revision not below the last one seen before, if it had answered then: a server that came back
// empty would be another target. If another release was asked for, the new process must also report
// that release. If the stop had to fall into a compaction, the new process must report that it
// resumed one, if it publishes such a count.
#include "harness/faults/evidence.h"
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

using proxy::ParameterInfo;
using proxy::ParameterKind;
using proxy::ParameterValues;

constexpr Duration kGracefulLimit = 10s;
constexpr Duration kStatusLimit = 5s;
// Starts at 0 in a new process, and the harness requests no compaction from that process.
constexpr std::string_view kCompactions =
    "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds_count";

enum class StopWith { kKill, kTerminate };  // SIGKILL, SIGTERM

struct RestartOptions {
  StopWith stop = StopWith::kKill;
  std::int64_t member = 1;
  bool stay_down = false;
  std::string release = {};
  bool in_compaction = false;
};

class ServerRestart final : public Fault {
 public:
  explicit ServerRestart(RestartOptions options) : options_(std::move(options)) {}

  bool took_effect() const override {
    const bool kept =
        ended_ && !ignored_ && after_ && (!before_ || after_->revision >= before_->revision);
    if (options_.in_compaction && counts_ && compactions_ == 0) return false;
    return kept && (options_.release.empty() || after_->version == options_.release);
  }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, options_.member));
    const bool kill = options_.stop == StopWith::kKill;
    // A status call first would take so long that the compaction is over.
    if (!options_.in_compaction) {
      // One that does not say where it is can be killed all the same.
      if (auto before = server->target->Ask(Within(kStatusLimit))) before_ = *std::move(before);
    }
    const Status ended =
        kill ? server->target->Kill() : server->target->Terminate(Within(kGracefulLimit));
    ignored_ = !kill && ended.code() == StatusCode::kDeadlineExceeded;
    if (!ended.ok() && !ignored_) return ended;
    ended_ = true;
    // A second try to start it would hide that the first one failed.
    if (!options_.stay_down) WP_RETURN_IF_ERROR(Restart(*server->target, ports));
    acts_ = true;
    return {};
  }
  // Only compactions are observed here; Act and Undo collect all other evidence.
  void Look(FaultPorts& ports) override {
    if (!options_.in_compaction || !after_ || compactions_ > 0) return;
    const auto server = ServerOf(ports, options_.member);
    if (!server.has_value()) return;
    const auto compactions = (*server)->target->Metric(kCompactions);
    compactions_ = static_cast<std::int64_t>(compactions.value_or(0));
    counts_ = compactions.has_value() || !(*server)->target->Metric(kWatchers).has_value();
  }
  Status Undo(FaultPorts& ports) override {
    if (after_) return {};
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, options_.member));
    return Restart(*server->target, ports);
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"member", options_.member}, {"killed", ended_}};
    if (ignored_) {
      receipt.unsupported = fmt::format("to end within {} s of SIGTERM", kGracefulLimit / 1s);
    }
    if (!ended_) {
      receipt.text = fmt::format("the target was not {}", How());
      return;
    }
    if (!after_) {
      receipt.text = fmt::format("the target was {} and has not answered since", How());
      return;
    }
    receipt.measured["revision_after"] = after_->revision;
    receipt.measured["down_ms"] = Milliseconds(healed_at_ - armed_at());
    receipt.text = fmt::format("the target was {} and answered again after {} ms with revision {}",
                               How(), receipt.measured["down_ms"], after_->revision);
    if (!options_.in_compaction) {
      if (before_) receipt.measured["revision_before"] = before_->revision;
      receipt.text += before_ ? fmt::format(", it was {} before", before_->revision)
                              : ", it did not answer before";
    } else if (counts_) {
      receipt.measured["compactions_after"] = compactions_;
      receipt.text += compactions_ > 0 ? "; it resumed an interrupted compaction"
                                       : "; it had no interrupted compaction to resume";
    }
    if (!options_.release.empty() && before_ && before_->version != after_->version) {
      receipt.text += fmt::format("; it was {} and is {}", before_->version, after_->version);
    }
  }

  std::string_view How() const {
    if (ignored_) return "killed, since it ignored SIGTERM,";
    return options_.stop == StopWith::kKill ? "killed" : "stopped";
  }
  Status Restart(Target& target, FaultPorts& ports) {
    WP_ASSIGN_OR_RETURN(after_, StartAgain(target, options_.release));
    healed_at_ = ports.now();
    return {};
  }

  const RestartOptions options_;
  bool ended_ = false;
  bool ignored_ = false;                // SIGTERM, so that it had to be killed
  std::optional<ServerStatus> before_;  // none: it did not say
  std::optional<ServerStatus> after_;
  bool counts_ = true;  // it publishes a count of its compactions
  std::int64_t compactions_ = 0;
};

FaultKind Kill() {
  return {
      .info = {.name = "kill",
               .explain =
                   "Ends the process of the target, or of one member of a cluster, with SIGKILL "
                   "and starts it again with the same data folder. Took effect if the process "
                   "has ended and the new one answers with the same revision or a higher one. "
                   "With during=compaction, a target that counts its compactions must also "
                   "report one that was not requested from the new process. Not possible with a "
                   "target that keeps no data, or that the harness did not start.",
               .parameters = {MemberParameter(),
                              StayDownParameter(),
                              {.name = "during",
                               .kind = ParameterKind::kWord,
                               .default_value = "anything",
                               .explain = "Whether it must have interrupted a compaction.",
                               .words = {"anything", "compaction"}}},
               .ends_streams = EndsStreams::kEvery,
               .parts_members = true},
      .make = [](const ParameterValues& given) {
        return std::make_unique<ServerRestart>(
            RestartOptions{.stop = StopWith::kKill,
                           .member = given.number("member"),
                           .stay_down = given.yes("stay-down"),
                           .in_compaction = given.word("during") == 1});
      }};
}

FaultKind Restart() {
  return {
      .info = {.name = "restart",
               .explain =
                   "Stops the process of the target, or of one member of a cluster, with "
                   "SIGTERM, waits for its end, and starts it again with the same data folder: "
                   "as the same release, or as another one from the cache, which is an upgrade "
                   "or a downgrade. Took effect if the process has ended and the new one "
                   "answers with the same revision or a higher one, and reports the requested "
                   "release.",
               .parameters = {MemberParameter(),
                              StayDownParameter(),
                              {.name = "release",
                               .kind = ParameterKind::kText,
                               .explain = "Start this release instead, such as 3.5.30."}},
               .ends_streams = EndsStreams::kEvery,
               .parts_members = true},
      .make = [](const ParameterValues& given) {
        return std::make_unique<ServerRestart>(RestartOptions{.stop = StopWith::kTerminate,
                                                              .member = given.number("member"),
                                                              .stay_down = given.yes("stay-down"),
                                                              .release = given.text("release")});
      }};
}

const FaultRegistration kRestarts([] { return std::vector<FaultKind>{Kill(), Restart()}; });

}  // namespace
}  // namespace watchproof
