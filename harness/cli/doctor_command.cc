// SPDX-License-Identifier: Apache-2.0
// `doctor`: what this machine and the targets can do, what is unsupported because of it, and what
// to do about it.
#include <unistd.h>

#include "cases/support/case_registry.h"
#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/machine_checks.h"
#include "harness/cli/run_flags.h"
#include "harness/environment/loopback.h"
#include "harness/report/run_json.h"
#include "harness/report/text.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/running_servers.h"
#include "harness/runs/selection.h"
#include "harness/runs/signals.h"
#include "harness/session/offer.h"
#include "harness/targets/probe_endpoint.h"
#include "harness/targets/target.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::string AdviceFor(Capability capability, const TargetSpec& target) {
  if (capability == Capability::kCompaction && target.server) {
    return fmt::format("--allow-disruptive {}:{}, if its history may be lost", target.server->host,
                       target.server->port);
  }
  if (target.server && capability >= Capability::kDurable) {
    return "let watchproof start the server: --target etcd:PATH or command:TEMPLATE";
  }
  if (capability == Capability::kCluster) return "--target etcd@VERSION can be a cluster";
  if (capability == Capability::kDurable) return "give its command line {data}";
  return "nothing, where the store leaves it out on purpose; a profile (--target-profile) that "
         "states it as offered makes it a failure";
}

// Among the cases of conformance that `run` would select for the target.
std::vector<std::string> CasesThatNeed(Capability capability, const TargetSpec& spec) {
  std::vector<std::string> names;
  for (const CaseInfo& info : AllCases()) {
    const auto needs = [&info](Capability one) { return Contains(info.needs, one); };
    if (info.expect == Verdict::kPass && needs(capability) && !needs(Capability::kOurs) &&
        info.of_consumers == !spec.consumer.empty()) {
      names.push_back(info.name);
    }
  }
  return names;
}

struct Probing {
  const RunOptions& options;
  const Expectations& expectations;
  const fs::path& scratch;
};

// One capability at a time, so that each has an answer of its own.
Status ProbeEach(const Probing& probing, const TargetSpec& spec, Target& target,
                 TargetCheck& check) {
  WP_ASSIGN_OR_RETURN(const Profile profile, ProfileFor(probing.options.profile, spec));
  const auto missing = MissingOfReleases(probing.expectations, spec);
  const std::string prefix = spec.server ? DrawKeyPrefix() : "";
  Status trouble;
  for (int i = 1; i <= static_cast<int>(kLastCapability) && trouble.ok(); ++i) {
    const auto capability = static_cast<Capability>(i);
    std::vector<std::string> cases = CasesThatNeed(capability, spec);
    if (capability == Capability::kOurs || cases.empty()) continue;
    TargetOffer offer;
    trouble = ProbeOffer(target, {.needs = {capability}, .faults = {}, .beyond_requests = {}},
                         profile, missing, prefix, offer);
    if (offer.missing.empty()) {
      check.offered.emplace_back(Name(capability));
    } else {
      check.missing.push_back(
          {std::string(Name(capability)), std::move(cases), AdviceFor(capability, spec)});
    }
  }
  if (spec.server) {
    const std::string left = TakeAway(spec, prefix);
    if (!left.empty() && trouble.ok()) trouble = Status(StatusCode::kUnavailable, left);
  }
  return trouble;
}

Status Examine(const Probing& probing, const TargetSpec& spec, TargetCheck& check) {
  WP_ASSIGN_OR_RETURN(const std::unique_ptr<Target> target, MakeTarget(spec));
  WP_ASSIGN_OR_RETURN(const LoopbackAddress address, LoopbackAddress::Reserve());
  const TimePoint began = Clock::now();
  WP_RETURN_IF_ERROR(target->Start({.host = address.host(),
                                    .folder = probing.scratch,
                                    .durable = true,
                                    // As cases that need it ask for it.
                                    .progress_interval = 100ms}));
  check.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  check.version = spec.Label(target->version());
  Status probed = ProbeEach(probing, spec, *target, check);
  target->Stop();
  return probed;
}

TargetCheck CheckTarget(const Probing& probing, const TargetSpec& spec) {
  TargetCheck check{.target = spec.text};
  if (const Status examined = Examine(probing, spec, check); !examined.ok()) {
    check.trouble = examined.message();
  }
  return check;
}

// Those of the command line, or of the file; the run would use them.
CommandEnd Examine(const RunOptions& options) {
  WP_ASSIGN_OR_RETURN(const Expectations expectations, LoadExpectations(options.manifest));
  ExitCode code = ExitCode::kOk;
  if (const auto servers = RunningServers::LookAt(options); !servers.has_value()) {
    const bool usage = servers.error().code() == StatusCode::kInvalidArgument;
    return {servers.error(), usage ? ExitCode::kUsage : ExitCode::kTarget};
  }
  Signals& signals = Signals::Install();
  std::error_code error;
  const fs::path scratch =
      fs::temp_directory_path(error) / fmt::format("watchproof-doctor-{}", getpid());
  fs::create_directories(scratch, error);
  DoctorReport report{.checks = CheckMachine(
                          {.run_dir = options.run_dir, .jobs = options.jobs, .scratch = scratch})};
  for (const TargetSpec& target : options.targets) {
    if (signals.count() > 0) break;
    const fs::path own = scratch / std::to_string(report.targets.size());
    fs::create_directories(own / "tmp", error);
    report.targets.push_back(
        CheckTarget({.options = options, .expectations = expectations, .scratch = own}, target));
    if (!report.targets.back().trouble.empty()) code = ExitCode::kTarget;
  }
  fs::remove_all(scratch, error);
  if (const auto interrupted = signals.exit_code()) return *interrupted;
  report.exit_code = static_cast<int>(code);
  fmt::print("{}", options.json ? ToJson(report) + "\n" : ToText(report));
  return code;
}

void PrintSettings(const std::vector<Setting>& settings, bool json) {
  Table table{.head = {"flag", "value", "origin"}, .rows = {}};
  for (const Setting& setting : settings) {
    table.rows.push_back({setting.name, Escaped(setting.value), setting.origin});
    if (json) {
      fmt::print("{}\n", ToJsonObject({{"name", setting.name},
                                       {"value", setting.value},
                                       {"origin", setting.origin}}));
    }
  }
  if (!json) fmt::print("{}", PlainTable(table));
}

}  // namespace

CommandBody AddDoctor(const Command& command) {
  const auto flags = std::make_shared<RunFlags>(command.parser);
  const auto config = std::make_shared<bool>(false);
  command.Switch("--config", *config,
                 "Print every setting of `run` instead, and where it comes from");
  return [flags, config, &words = command.words]() -> CommandEnd {
    WP_ASSIGN_OR_RETURN(const RunOptions options, flags->Resolve(words));
    if (!*config) return Examine(options);
    PrintSettings(flags->Settings(), options.json);
    return ExitCode::kOk;
  };
}

}  // namespace watchproof
