// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/cli/commands.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/sharding.h"
#include "harness/scenario/plan.h"
#include "harness/scenario/steps/explored.h"
#include "harness/session/profile.h"

namespace watchproof {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// GoogleTest counts shards from 0 and in two variables.
Status ShardOfGoogleTest(RunOptions& options) {
  const std::string total = Variable("GTEST_TOTAL_SHARDS");
  const std::string index = Variable("GTEST_SHARD_INDEX");
  if (total.empty() && index.empty()) return {};
  WP_ASSIGN_OR_RETURN(const int from_zero, InContext("GTEST_SHARD_INDEX", ParseCount(index, 0)));
  const std::string text = fmt::format("{}/{}", from_zero + 1, total);
  WP_ASSIGN_OR_RETURN(options.shard, InContext("GTEST_TOTAL_SHARDS", ParseShard(text)));
  options.origins["--shard"] = {text, "environment of GoogleTest"};
  return {};
}

Status CheckSelection(const RunOptions& options) {
  std::vector<std::string> known;
  for (const CaseInfo& info : AllCases()) {
    known.insert(known.end(), info.guarantees.begin(), info.guarantees.end());
  }
  for (const std::string& wanted : options.selection.guarantees) {
    if (!Contains(known, wanted)) {
      return Fail(StatusCode::kInvalidArgument, "--guarantee: no case judges '{}'{}", wanted,
                  DidYouMean(wanted, known));
    }
  }
  constexpr std::string_view kLevels[] = {"must", "should", "may"};
  for (const std::string& level : options.selection.levels) {
    if (!Contains(kLevels, level)) {
      return Fail(StatusCode::kInvalidArgument, "--level: '{}' is none of must, should, may",
                  level);
    }
  }
  return {};
}

Status CheckAccess(ServerAccess& access) {
  WP_RETURN_IF_ERROR(CheckFile("--tls-ca", access.ca));
  WP_RETURN_IF_ERROR(CheckFile("--tls-cert", access.certificate));
  WP_RETURN_IF_ERROR(CheckFile("--tls-key", access.key));
  WP_RETURN_IF_ERROR(CheckFile("--password-file", access.password_file));
  if (access.certificate.empty() != access.key.empty()) {
    return Fail(StatusCode::kInvalidArgument, "--tls-cert and --tls-key go together");
  }
  if (access.user.empty() != access.password_file.empty()) {
    return Fail(StatusCode::kInvalidArgument, "--user and --password-file go together");
  }
  return {};
}

}  // namespace

std::string RunFlags::TakeAlias(const char* variable, const char* flag) {
  std::string value = Variable(variable);
  if (!value.empty()) options_.origins[flag] = {value, "environment of GoogleTest"};
  return value;
}

Result<RunOptions> RunFlags::Resolve(const std::vector<std::string>& on_command_line) {
  if (sources_ == Sources::kAll) WP_RETURN_IF_ERROR(TakeConfigFile());
  NoteOrigins(on_command_line);
  for (const std::string& word : Words("--defects")) {
    std::istringstream names(word);
    for (std::string name; std::getline(names, name, ',');) options_.defects.push_back(name);
  }
  // It starts within the time, perhaps as two API servers.
  if (!Words("--consumer").empty()) options_.case_timeout = 2min;
  // On a broken store every wait takes its full time.
  if (!options_.defects.empty()) options_.case_timeout = 3min;
  if (options_.until_fail) options_.repeat = 0;
  for (const auto& parse : parsers_) WP_RETURN_IF_ERROR(parse());
  options_.strict = no_strict_ ? Strict::kNo : Strict::kYes;
  options_.run_dir = Given("--run-dir");
  options_.manifest = Given("--manifest");
  const std::vector<std::string>& baselines = lists_.at("--baseline");
  options_.baselines.assign(baselines.begin(), baselines.end());
  WP_RETURN_IF_ERROR(ResolveTargets());
  WP_RETURN_IF_ERROR(ResolveSelection());
  WP_RETURN_IF_ERROR(ResolveEndpoints());
  WP_RETURN_IF_ERROR(ResolveShard());
  WP_RETURN_IF_ERROR(ResolveSeed());
  WP_RETURN_IF_ERROR(CheckSelection(options_));
  options_.repeat_flags = GivenAgain();
  if (!options_.defects.empty() && Given("--case-timeout").empty()) {
    options_.repeat_flags.insert(
        options_.repeat_flags.end(),
        {"--case-timeout", fmt::format("{}s", options_.case_timeout / 1s)});
  }
  return options_;
}

Status RunFlags::ResolveTargets() {
  WP_RETURN_IF_ERROR(SetTargets(Words("--target"), options_));
  options_.consumers = Words("--consumer");
  if (!options_.defects.empty() && !(Given("--shard").empty() && Given("--shards").empty())) {
    return Fail(StatusCode::kInvalidArgument,
                "--defects: such a run is judged as a whole; leave --shard out");
  }
  WP_RETURN_IF_ERROR(ResolvePlan());
  if (options_.targets.empty() && options_.releases == Releases::kNone) {
    WP_ASSIGN_OR_RETURN(options_.targets, ParseTargets({"embedded"}));
  }
  if (options_.profile.empty()) return {};
  const Result<Profile> profile = ParseProfile(options_.profile);
  if (profile.has_value()) return {};
  return profile.error().WithContext("--target-profile {}", Given("--target-profile"));
}

Status RunFlags::ResolveSelection() {
  options_.selection.guarantees = Words("--guarantee");
  options_.selection.levels = Words("--level");
  options_.selection.exclude = Given("--exclude");
  std::string filter = Given("--filter");
  if (filter.empty() && Given("--plan").empty()) filter = TakeAlias("GTEST_FILTER", "--filter");
  if (!filter.empty()) options_.selection.filter = filter;
  for (const std::string& text : Words("--fault")) {
    WP_ASSIGN_OR_RETURN(const NamedParameters fault,
                        InContext("--fault", ParseNamedParameters(text)));
    auto& parameters = options_.faults[fault.name];  // an unknown name is an error, too
    for (const auto& [name, value] : fault.parameters) parameters[name] = value;
  }
  return {};
}

// The first that is there: the flag, GoogleTest's pair, the index of a pod.
Status RunFlags::ResolveShard() {
  if (!options_.shard) WP_RETURN_IF_ERROR(ShardOfGoogleTest(options_));
  if (options_.shard || Given("--shards").empty()) return {};
  WP_ASSIGN_OR_RETURN(const Shard shard, InContext("--shards", ShardOfJob(Given("--shards"))));
  options_.shard = shard;
  options_.origins["--shard"] = {fmt::format("{}/{}", shard.index, shard.count),
                                 "environment of Kubernetes"};
  return {};
}

Status RunFlags::ResolveEndpoints() {
  options_.allow_disruptive = Words("--allow-disruptive");
  options_.allow_kubernetes = Words("--allow-kubernetes");
  options_.access = {.ca = Given("--tls-ca"),
                     .certificate = Given("--tls-cert"),
                     .key = Given("--tls-key"),
                     .user = Given("--user"),
                     .password_file = Given("--password-file")};
  WP_RETURN_IF_ERROR(CheckAccess(options_.access));
  // Whoever sets the targets gives them access then.
  return own_.contains("--target") ? Status() : GiveAccess(options_);
}

// A plan determines its case and, unless flags name others, its target and seed.
Status RunFlags::ResolvePlan() {
  const std::string& plan = Given("--plan");
  if (plan.empty()) return {};
  WP_ASSIGN_OR_RETURN(const PlanFile file, InContext("--plan", ReadPlan(plan)));
  const PlanHeader& header = file.header;
  AddCaseOf(file);
  if (options_.targets.empty() && (header.target.empty() || header.target == kVirtualTime)) {
    return Fail(StatusCode::kInvalidArgument,
                "--plan {}: it names no target to run on; expected --target, or, where it was "
                "found under virtual time, watchproof explore --virtual --replay {}",
                plan, plan);
  }
  if (!Given("--filter").empty() && !MatchesFilter(Given("--filter"), header.case_name)) {
    return Fail(StatusCode::kInvalidArgument, "--plan is one of {}, which --filter {} leaves out",
                header.case_name, Given("--filter"));
  }
  WP_ASSIGN_OR_RETURN(options_.seed, InContext("--plan", ParseSeed(header.seed)));
  // Not through the link `latest`, which this run will move.
  std::error_code error;
  options_.plan = std::filesystem::canonical(plan, error);
  if (error) return FromErrorCode(error).WithContext("--plan {}", plan);
  options_.selection.filter = header.case_name;
  if (options_.targets.empty() && options_.defects.empty() &&
      options_.releases == Releases::kNone && !own_.contains("--target")) {
    WP_ASSIGN_OR_RETURN(options_.targets, InContext("--target", ParseTargets({header.target})));
  }
  return {};
}

Status RunFlags::ResolveSeed() {
  std::string seed = Given("--seed");
  const std::string& seed_from = Given("--seed-from");
  if (seed.empty() && !seed_from.empty()) seed = FormatSeed(SeedFrom(seed_from));
  // GoogleTest's 0 stands for "draw one".
  if (seed.empty() && Variable("GTEST_RANDOM_SEED") != "0") {
    seed = TakeAlias("GTEST_RANDOM_SEED", "--seed");
  }
  if (!seed.empty()) {
    WP_ASSIGN_OR_RETURN(options_.seed, InContext("--seed", ParseSeed(seed)));
  }
  // GoogleTest draws one in each process, too.
  const bool divided = options_.shard && options_.shard->count > 1;
  const bool drawn = !options_.seed && !own_.contains("--seed");
  if (!drawn || !divided || !Variable("GTEST_TOTAL_SHARDS").empty()) return {};
  return Fail(StatusCode::kInvalidArgument,
              "--shard {}/{}: expected --seed, or --seed-from, the same for all shards, which are "
              "parts of one run",
              options_.shard->index, options_.shard->count);
}

}  // namespace watchproof
