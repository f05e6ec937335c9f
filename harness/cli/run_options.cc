// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_options.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "harness/cli/run_targets.h"
#include "harness/cli/sharding.h"
#include "harness/results/attempt_spec.h"
#include "harness/scenario/plan.h"
#include "harness/session/profile.h"

namespace watchproof {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Adds the flag to an error.
template <typename T>
Status Into(const char* flag, Result<T> parsed, T& value) {
  if (!parsed.has_value()) return std::move(parsed).error().WithContext("{}", flag);
  value = std::move(parsed).value();
  return {};
}

template <typename T>
Status Choose(const char* flag, const std::string& word,
              std::initializer_list<std::pair<const char*, T>> choices, T& value) {
  if (word.empty()) return {};
  std::vector<std::string> known;
  for (const auto& [name, choice] : choices) {
    known.emplace_back(name);
    if (word == name) {
      value = choice;
      return {};
    }
  }
  return Fail(StatusCode::kInvalidArgument, "{}: '{}' is none of {}", flag, word,
              fmt::join(known, ", "));
}

// One of GoogleTest's variables, as in its own tests.
std::string TakeAlias(const char* variable, const char* flag, RunOptions& options) {
  std::string value = Variable(variable);
  if (!value.empty()) options.origins[flag] = {value, "environment of GoogleTest"};
  return value;
}

// GoogleTest counts shards from 0 and in two variables.
Status ShardOfGoogleTest(RunOptions& options) {
  const std::string total = Variable("GTEST_TOTAL_SHARDS");
  const std::string index = Variable("GTEST_SHARD_INDEX");
  if (total.empty() && index.empty()) return {};
  int from_zero = 0;
  WP_RETURN_IF_ERROR(Into("GTEST_SHARD_INDEX", ParseCount(index, 0), from_zero));
  const std::string text = fmt::format("{}/{}", from_zero + 1, total);
  WP_RETURN_IF_ERROR(Into("GTEST_TOTAL_SHARDS", ParseShard(text), options.shard.emplace()));
  options.origins["--shard"] = {text, "environment of GoogleTest"};
  return {};
}

Status CheckSelection(const RunOptions& options) {
  const std::vector<CaseInfo> cases = AllCases();
  for (const std::string& wanted : options.selection.guarantees) {
    std::vector<std::string> known;
    for (const CaseInfo& info : cases) {
      known.insert(known.end(), info.guarantees.begin(), info.guarantees.end());
    }
    if (std::find(known.begin(), known.end(), wanted) == known.end()) {
      return Fail(StatusCode::kInvalidArgument, "--guarantee: no case judges '{}'{}", wanted,
                  DidYouMean(wanted, known));
    }
  }
  const std::vector<std::string> levels = {"must", "should", "may"};
  for (const std::string& level : options.selection.levels) {
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) {
      return Fail(StatusCode::kInvalidArgument, "--level: '{}' is none of must, should, may",
                  level);
    }
  }
  return {};
}

// A permission for a server that is not a target has a mistyped address.
Status CheckAllowed(const RunOptions& options, const char* flag,
                    const std::vector<std::string>& allowed) {
  for (const std::string& text : allowed) {
    ServerAddress address;
    WP_RETURN_IF_ERROR(Into(flag, ParseServerAddress(text), address));
    const bool is_target =
        std::any_of(options.targets.begin(), options.targets.end(),
                    [&](const TargetSpec& target) { return target.IsAmong({text}); });
    if (!is_target) {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: there is no --target endpoint:{}; name the same address", flag, text);
    }
  }
  return {};
}

// Of the path from here, since the cases run in another folder.
Status CheckFile(const char* flag, std::string& file) {
  if (file.empty()) return {};
  if (!std::ifstream(file) || !std::filesystem::is_regular_file(file)) {
    return Fail(StatusCode::kInvalidArgument, "{} {}: no such file, or no permission to read it",
                flag, file);
  }
  file = std::filesystem::absolute(file).string();
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

int DefaultJobs() { return 6 * std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Result<RunOptions> RunFlags::Resolve(const std::vector<std::string>& on_command_line) {
  if (sources_ == Sources::kAll) WP_RETURN_IF_ERROR(TakeConfigFile());
  RunOptions options = switches_;
  options.origins = Origins(on_command_line);
  options.strict = no_strict_ ? Strict::kNo : Strict::kYes;
  options.run_dir = run_dir_;
  options.manifest = manifest_;
  options.baselines.assign(baselines_.begin(), baselines_.end());
  WP_RETURN_IF_ERROR(ResolveSelection(options));
  WP_RETURN_IF_ERROR(ResolveExploration(options));
  WP_RETURN_IF_ERROR(ResolveOutput(options));
  WP_RETURN_IF_ERROR(CheckSelection(options));
  origins_ = options.origins;
  options.repeat_flags = GivenAgain(options.origins);
  if (!options.defects.empty() && case_timeout_.empty()) {
    options.repeat_flags.insert(options.repeat_flags.end(),
                                {"--case-timeout", fmt::format("{}s", options.case_timeout / 1s)});
  }
  return options;
}

Status RunFlags::ResolveSelection(RunOptions& options) const {
  const auto words = [&](const char* name, const std::vector<std::string>& values) {
    return Words(values, command_.get_option(name), options.origins);
  };
  WP_RETURN_IF_ERROR(Into("--target", ParseTargets(words("--target", targets_)), options.targets));
  options.consumers = words("--consumer", consumers_);
  WP_RETURN_IF_ERROR(Choose<Releases>(
      "--releases", releases_,
      {{"all", Releases::kAll}, {"cached", Releases::kCached}, {"none", Releases::kNone}},
      options.releases));
  const bool with_releases = options.releases != Releases::kNone;
  for (const std::string& word : words("--defects", defects_)) {
    std::istringstream names(word);
    for (std::string name; std::getline(names, name, ',');) options.defects.push_back(name);
  }
  if (!options.defects.empty() && (!options.targets.empty() || with_releases)) {
    return Fail(StatusCode::kInvalidArgument,
                "--defects: these are planted in the embedded store; leave --target and "
                "--releases out");
  }
  if (!options.defects.empty() && !(shard_.empty() && shards_.empty())) {
    return Fail(StatusCode::kInvalidArgument,
                "--defects: such a run is judged as a whole; leave --shard out");
  }
  WP_RETURN_IF_ERROR(ResolvePlan(options));
  if (options.targets.empty() && !with_releases) {
    WP_ASSIGN_OR_RETURN(options.targets, ParseTargets({"embedded"}));
  }
  options.selection.guarantees = words("--guarantee", guarantees_);
  options.selection.levels = words("--level", levels_);
  options.selection.exclude = exclude_;
  WP_RETURN_IF_ERROR(Choose<RunProfile>(
      "--profile", run_profile_, {{"full", RunProfile::kFull}, {"quick", RunProfile::kQuick}},
      options.selection.profile));
  std::string filter = filter_;
  if (filter.empty() && plan_.empty()) filter = TakeAlias("GTEST_FILTER", "--filter", options);
  if (!filter.empty()) options.selection.filter = filter;
  const std::vector<std::string> faults = words("--fault", faults_);
  for (const std::string& text : faults) {
    NamedParameters fault;
    WP_RETURN_IF_ERROR(Into("--fault", ParseNamedParameters(text), fault));
    auto& parameters = options.faults[fault.name];  // an unknown name is an error, too
    for (const auto& [name, value] : fault.parameters) parameters[name] = value;
  }
  WP_RETURN_IF_ERROR(ResolveEndpoints(options));
  WP_RETURN_IF_ERROR(ResolveProfile(options));
  return ResolveShard(options);
}

// The first that is there: the flag, GoogleTest's pair, the index of a pod.
Status RunFlags::ResolveShard(RunOptions& options) const {
  if (!shard_by_.empty()) {
    WP_RETURN_IF_ERROR(Into("--shard-by", ReadDurations(shard_by_), options.durations));
  }
  if (!shard_.empty()) return Into("--shard", ParseShard(shard_), options.shard.emplace());
  WP_RETURN_IF_ERROR(ShardOfGoogleTest(options));
  if (options.shard || shards_.empty()) return {};
  Shard& shard = options.shard.emplace();
  WP_RETURN_IF_ERROR(Into("--shards", ShardOfJob(shards_), shard));
  options.origins["--shard"] = {fmt::format("{}/{}", shard.index, shard.count),
                                "environment of Kubernetes"};
  return {};
}

Status RunFlags::ResolveProfile(RunOptions& options) const {
  if (profile_.empty()) return {};
  WP_RETURN_IF_ERROR(Into("--target-profile", ProfileText(profile_), options.profile));
  Profile profile;
  WP_RETURN_IF_ERROR(
      Into(("--target-profile " + profile_).c_str(), ParseProfile(options.profile), profile));
  return {};
}

Status RunFlags::ResolveEndpoints(RunOptions& options) const {
  const auto words = [&](const char* name, const std::vector<std::string>& values) {
    return Words(values, command_.get_option(name), options.origins);
  };
  options.allow_disruptive = words("--allow-disruptive", allow_disruptive_);
  options.allow_kubernetes = words("--allow-kubernetes", allow_kubernetes_);
  WP_RETURN_IF_ERROR(CheckAllowed(options, "--allow-disruptive", options.allow_disruptive));
  WP_RETURN_IF_ERROR(CheckAllowed(options, "--allow-kubernetes", options.allow_kubernetes));
  ServerAccess access = access_;
  WP_RETURN_IF_ERROR(CheckAccess(access));
  for (TargetSpec& target : options.targets) {
    target.access = access;
    target.allow_disruptive = options.allow_disruptive;
  }
  return {};
}

// A plan determines its case and, unless flags name others, its target and seed.
Status RunFlags::ResolvePlan(RunOptions& options) const {
  if (plan_.empty()) return {};
  Result<PlanFile> file = ReadPlan(plan_);
  if (!file.has_value()) return std::move(file).error().WithContext("--plan");
  if (!filter_.empty() && !MatchesFilter(filter_, file->header.case_name)) {
    return Fail(StatusCode::kInvalidArgument, "--plan is one of {}, which --filter {} leaves out",
                file->header.case_name, filter_);
  }
  std::uint64_t seed = 0;
  WP_RETURN_IF_ERROR(Into("--plan", ParseSeed(file->header.seed), seed));
  options.seed = seed;
  // Not through the link `latest`, which this run will move.
  std::error_code error;
  options.plan = std::filesystem::canonical(plan_, error);
  if (error) return FromErrorCode(error).WithContext("--plan {}", plan_);
  options.selection.filter = file->header.case_name;
  if (options.targets.empty() && options.defects.empty() && options.releases == Releases::kNone) {
    WP_RETURN_IF_ERROR(Into("--target", ParseTargets({file->header.target}), options.targets));
  }
  return {};
}

Status RunFlags::ResolveSeed(RunOptions& options) const {
  std::string seed = seed_;
  if (seed.empty() && !seed_from_.empty()) seed = FormatSeed(SeedFrom(seed_from_));
  // GoogleTest's 0 stands for "draw one".
  if (seed.empty() && Variable("GTEST_RANDOM_SEED") != "0") {
    seed = TakeAlias("GTEST_RANDOM_SEED", "--seed", options);
  }
  if (!seed.empty()) {
    std::uint64_t number = 0;
    WP_RETURN_IF_ERROR(Into("--seed", ParseSeed(seed), number));
    options.seed = number;
  }
  // GoogleTest draws one in each process, too.
  const bool divided = options.shard && options.shard->count > 1;
  if (options.seed || !divided || !Variable("GTEST_TOTAL_SHARDS").empty()) return {};
  return Fail(StatusCode::kInvalidArgument,
              "--shard {}/{}: expected --seed, or --seed-from, the same for all shards, which are "
              "parts of one run",
              options.shard->index, options.shard->count);
}

Status RunFlags::ResolveExploration(RunOptions& options) const {
  WP_RETURN_IF_ERROR(ResolveSeed(options));
  if (options.until_fail) options.repeat = 0;
  if (!repeat_.empty()) {
    WP_RETURN_IF_ERROR(Into("--repeat", ParseCount(repeat_, 1), options.repeat));
  }
  if (!jobs_.empty()) WP_RETURN_IF_ERROR(Into("--jobs", ParseCount(jobs_, 1), options.jobs));
  // On a broken store every wait takes its full time.
  if (!options.defects.empty()) options.case_timeout = 3min;
  if (case_timeout_.empty()) return {};
  WP_RETURN_IF_ERROR(Into("--case-timeout", ParseDuration(case_timeout_), options.case_timeout));
  if (options.case_timeout > Duration::zero() && options.case_timeout <= 24h) return {};
  return Fail(StatusCode::kInvalidArgument, "--case-timeout: expected between 1us and 24h");
}

Status RunFlags::ResolveOutput(RunOptions& options) const {
  WP_RETURN_IF_ERROR(Choose<Keep>(
      "--keep", keep_, {{"failed", Keep::kFailed}, {"all", Keep::kAll}, {"none", Keep::kNone}},
      options.keep));
  if (!keep_runs_.empty()) {
    WP_RETURN_IF_ERROR(Into("--keep-runs", ParseCount(keep_runs_, 0), options.keep_runs));
  }
  WP_RETURN_IF_ERROR(Choose<When>(
      "--color", color_,
      {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}}, options.color));
  options.github = Variable("GITHUB_ACTIONS") == "true";
  WP_RETURN_IF_ERROR(
      Choose<bool>("--ci", ci_, {{"auto", options.github}, {"off", false}}, options.github));
  return Choose<When>("--progress", progress_,
                      {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}},
                      options.progress);
}

}  // namespace watchproof
