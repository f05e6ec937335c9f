// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/server_restart.h"

#include "harness/faults/server_number.h"

namespace watchproof {
namespace {

// More than any release needs, since the machine may be busy.
constexpr Duration kRestartLimit = 20s;
constexpr Duration kGracefulLimit = 10s;
constexpr Duration kAnswerLimit = 5s;
// Starts at 0 in a new process, and the harness requests no compaction from that process.
constexpr std::string_view kCompactions =
    "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds_count";
constexpr std::string_view kWatchers = "etcd_debugging_mvcc_watcher_total";

class ServerRestart final : public Fault {
 public:
  struct RestartParameters {
    int member = 1;
    bool stay_down = false;
    std::string release;
    bool in_compaction = false;
  };
  ServerRestart(ServerRestartOptions options, RestartParameters parameters)
      : options_(std::move(options)), parameters_(std::move(parameters)) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, parameters_.member));
    if (!server->kill || !server->restart) {
      return Fail(StatusCode::kUnimplemented,
                  "{}: this target is not a process that the harness started", options_.name);
    }
    // A status call first would take so long that the compaction is over.
    if (!parameters_.in_compaction) {
      WP_ASSIGN_OR_RETURN(before_, server->ask(Within(kAnswerLimit)));
    }
    const Status ended = options_.stop == StopWith::kNone
                             ? server->kill()
                             : server->terminate(Within(kGracefulLimit));
    ignored_ = options_.stop != StopWith::kNone && ended.code() == StatusCode::kDeadlineExceeded;
    if (!ended.ok() && !ignored_) return ended;
    ended_ = true;
    return parameters_.stay_down ? Status() : Restart(*server, ports.now);
  }

  // Only compactions are observed here; Arm and Heal collect all other evidence.
  void Observe(FaultPorts& ports) override {
    if (!parameters_.in_compaction || !after_ || compactions_ > 0) return;
    const auto server = ServerOf(ports, parameters_.member);
    if (!server.has_value()) return;
    const auto compactions = (*server)->metric(kCompactions);
    compactions_ = static_cast<std::int64_t>(compactions.value_or(0));
    counts_ = compactions.has_value() || !(*server)->metric(kWatchers).has_value();
  }

  Status Heal(FaultPorts& ports) override {
    Observe(ports);
    if (!ended_ || tried_) return {};
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, parameters_.member));
    return Restart(*server, ports.now);
  }

  bool took_effect() const override {
    const bool kept = ended_ && !ignored_ && after_ && after_->revision >= before_.revision;
    if (parameters_.in_compaction && counts_ && compactions_ == 0) return false;
    return kept && (parameters_.release.empty() || after_->version == parameters_.release);
  }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {{"member", parameters_.member}, {"killed", ended_}};
    if (ignored_) {
      receipt.unsupported = fmt::format("to end within {} s of SIGTERM", kGracefulLimit / 1s);
    }
    if (!ended_) {
      receipt.text = fmt::format("the target was not {}", How());
      return receipt;
    }
    if (!after_) {
      receipt.text = fmt::format("the target was {} and has not answered since", How());
      return receipt;
    }
    receipt.measured["revision_after"] = after_->revision;
    receipt.measured["down_ms"] =
        std::chrono::duration_cast<std::chrono::milliseconds>(healed_at_ - armed_at_).count();
    receipt.text = fmt::format("the target was {} and answered again after {} ms with revision {}",
                               How(), receipt.measured["down_ms"], after_->revision);
    if (!parameters_.in_compaction) {
      receipt.measured["revision_before"] = before_.revision;
      receipt.text += fmt::format(", it was {} before", before_.revision);
    } else if (counts_) {
      receipt.measured["compactions_after"] = compactions_;
      receipt.text += compactions_ > 0 ? "; it resumed an interrupted compaction"
                                       : "; it had no interrupted compaction to resume";
    }
    if (!parameters_.release.empty() && before_.version != after_->version) {
      receipt.text += fmt::format("; it was {} and is {}", before_.version, after_->version);
    }
    return receipt;
  }

 private:
  std::string_view How() const {
    if (ignored_) return "killed, since it ignored SIGTERM,";
    return options_.stop == StopWith::kNone ? "killed" : "stopped";
  }
  Status Restart(ServerPorts& server, const std::function<Duration()>& now) {
    tried_ = true;
    WP_RETURN_IF_ERROR(server.restart(Within(kRestartLimit), parameters_.release));
    WP_ASSIGN_OR_RETURN(after_, server.ask(Within(kAnswerLimit)));
    healed_at_ = now();
    return {};
  }

  const ServerRestartOptions options_;
  const RestartParameters parameters_;
  bool ended_ = false;
  bool ignored_ = false;  // SIGTERM, so that it had to be killed
  bool tried_ = false;    // to start it again; a second try would hide that the first one failed
  Duration armed_at_{};
  Duration healed_at_{};
  ServerWord before_;
  std::optional<ServerWord> after_;
  bool counts_ = true;  // it publishes a count of its compactions
  std::int64_t compactions_ = 0;
};

}  // namespace

std::vector<FaultParameterInfo> RestartParameters() {
  return {kMemberParameter, {"stay-down", "no", "yes: start it again only when healed"}};
}

Result<std::unique_ptr<Fault>> MakeServerRestart(const ServerRestartOptions& options,
                                                 const FaultParameters& given) {
  ServerRestart::RestartParameters parameters;
  WP_ASSIGN_OR_RETURN(parameters.member, ParseMember(given.at("member")));
  WP_ASSIGN_OR_RETURN(parameters.stay_down, proxy::ParseYesNo(given.at("stay-down")));
  if (const auto release = given.find("release"); release != given.end()) {
    parameters.release = release->second;
  }
  if (const auto during = given.find("during"); during != given.end() && !during->second.empty()) {
    if (during->second != "compaction") {
      return Fail(StatusCode::kInvalidArgument, "{}: during is \"{}\"; expected compaction",
                  options.name, during->second);
    }
    parameters.in_compaction = true;
  }
  return std::make_unique<ServerRestart>(options, std::move(parameters));
}

}  // namespace watchproof
