// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_options.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "harness/base/shell_words.h"
#include "harness/driver/attempt_spec.h"
#include "harness/driver/plan.h"
#include "harness/driver/profile.h"
#include "harness/targets/target_info.h"

namespace watchproof {
namespace {

std::string VariableOf(const std::string& flag) {
  std::string name = "WATCHPROOF_";
  for (const char c : flag.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return name;
}

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

// One variable may have several values, separated by spaces; quotes group a command line.
std::vector<std::string> Words(const std::vector<std::string>& values, const CLI::Option* option,
                               const std::map<std::string, FlagSummary>& origins) {
  const auto origin = origins.find(option->get_name());
  if (origin == origins.end() || origin->second.origin == "flag") return values;
  std::vector<std::string> words;
  for (const std::string& value : values) {
    const Result<std::vector<std::string>> quoted = SplitShellWords(value);
    if (!quoted.has_value()) {
      words.push_back(value);  // parsed later, with an error that says what is wrong
      continue;
    }
    words.insert(words.end(), quoted->begin(), quoted->end());
  }
  return words;
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
  WP_RETURN_IF_ERROR(Into("GTEST_TOTAL_SHARDS", ParseShard(text), options.shard));
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
        std::any_of(options.targets.begin(), options.targets.end(), [&](const std::string& target) {
          const auto spec = ParseTargetSpec(target);
          return spec.has_value() && spec->kind == "endpoint" && spec->host == address.host &&
                 spec->port == address.port;
        });
    if (!is_target) {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: there is no --target endpoint:{}; name the same address", flag, text);
    }
  }
  return {};
}

// What a repeat command sets itself, or sets more narrowly.
constexpr std::string_view kSaidAnyway[] = {"--target",  "--releases",  "--defects",   "--filter",
                                            "--exclude", "--guarantee", "--level",     "--shard",
                                            "--seed",    "--repeat",    "--until-fail"};
// What changes no verdict: order and number of attempts, and the output.
constexpr std::string_view kNeutral[] = {"--help", "--fail-fast", "--shuffle", "--jobs",
                                         "--keep", "--dry-run",   "--quiet",   "--verbose",
                                         "--json", "--color",     "--progress"};

template <typename Names>
bool Contains(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
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

CLI::Option* RunFlags::Text(const std::string& name, std::string& value, const std::string& help) {
  return command_.add_option(name, value, help)->envname(VariableOf(name));
}
CLI::Option* RunFlags::Texts(const std::string& name, std::vector<std::string>& values,
                             const std::string& help) {
  return command_.add_option(name, values, help + " (repeatable)")
      ->allow_extra_args(false)
      ->envname(VariableOf(name));
}
CLI::Option* RunFlags::Switch(const std::string& name, bool& value, const std::string& help) {
  return command_.add_flag(name, value, help)->envname(VariableOf(name));
}

RunFlags::RunFlags(CLI::App& command) : command_(command) {
  AddSelection();
  AddEndpoints();
  AddExploration();
  AddOutput();
}

void RunFlags::AddSelection() {
  Texts("--target", targets_,
        "Server to test: embedded, embedded+DEFECT, etcd:PATH, etcd@VERSION, "
        "endpoint:HOST:PORT, endpoint:https://HOST:PORT, command:TEMPLATE")
      ->type_name("SPEC");
  Text("--target-profile", profile_,
       fmt::format("Declared differences of the targets from etcd: {}, or a file",
                   fmt::join(ShippedProfiles(), ", ")))
      ->type_name("NAME|FILE");
  Text("--releases", releases_, "all: also every release of the manifest; none (default)")
      ->type_name("WHICH");
  Texts("--defects", defects_,
        "all, or names joined by commas: run every case on the clean embedded store and with each "
        "defect planted; succeeds if every defect is caught")
      ->type_name("NAMES");
  Text("--filter", filter_, "Cases to run, in GoogleTest's syntax: A.*:B.*-*.Slow*")
      ->type_name("PATTERNS");
  Text("--exclude", exclude_, "Cases to leave out: A.*:B.*")->type_name("PATTERNS");
  Texts("--guarantee", guarantees_, "Only cases that judge this guarantee")->type_name("NAME");
  Texts("--level", levels_, "Only cases of this level: must, should, may")->type_name("LEVEL");
  Text("--shard", shard_, "Part I of N of the cases, by a hash of the name")->type_name("I/N");
  Texts("--fault", faults_, "Change the parameters of a fault")->type_name("NAME:key=value,...");
  Switch("--no-faults", switches_.no_faults, "Plan faults, but do not arm them");
  Switch("--bypass-proxy", switches_.bypass_proxy,
         "Connect clients to the target directly, without the proxy");
}

void RunFlags::AddEndpoints() {
  Texts("--allow-disruptive", allow_disruptive_, "Endpoint that may be compacted")
      ->type_name("HOST:PORT");
  Texts("--allow-kubernetes", allow_kubernetes_,
        "Endpoint that may be used although it has keys below /registry/")
      ->type_name("HOST:PORT");
  Text("--tls-ca", access_.ca, "Authorities that sign the certificates of endpoints, in PEM form")
      ->type_name("FILE");
  Text("--tls-cert", access_.certificate, "Client certificate, for endpoints that require one")
      ->type_name("FILE");
  Text("--tls-key", access_.key, "The private key of --tls-cert")->type_name("FILE");
  Text("--user", access_.user, "User, for endpoints that require one")->type_name("NAME");
  Text("--password-file", access_.password_file, "File with the password of --user")
      ->type_name("FILE");
}

void RunFlags::AddExploration() {
  Text("--plan", plan_, "Follow this plan, such as one from shrink, instead of the case's own")
      ->type_name("FILE");
  Text("--seed", seed_, "Seed of the plans and their order (default: drawn and printed)")
      ->type_name("HEX");
  Text("--repeat", repeat_, "Attempts of each case, each with its own seed")->type_name("N");
  Switch("--until-fail", switches_.until_fail, "Repeat until an attempt fails");
  Switch("--fail-fast", switches_.fail_fast, "Start no more attempts after the first new failure");
  Switch("--stop-at-finding", switches_.stop_at_finding,
         "End each attempt at its first finding, not at the end of its plan");
  Switch("--shuffle", switches_.shuffle, "Run in an order drawn from the seed");
  Text("--jobs", jobs_, "Cases at a time (default 2, at most the cores)")->type_name("N");
  Text("--case-timeout", case_timeout_, "Time limit of a case (default 60s)")->type_name("TIME");
  Switch("--no-strict", no_strict_, "Unexpected passes do not change the exit code");
  Text("--manifest", manifest_, "Expected failures instead of the built-in ones")
      ->type_name("FILE");
}

void RunFlags::AddOutput() {
  Text("--run-dir", run_dir_, "Folder for the folders of runs")->type_name("DIR");
  Text("--keep", keep_, "Histories to keep: failed (default), all, none")->type_name("WHICH");
  Switch("--dry-run", switches_.dry_run, "Print what would run, and exit");
  Switch("--quiet", switches_.quiet, "No lines for passing cases and known failures");
  Switch("--verbose", switches_.verbose, "Also print what every fault did");
  Switch("--json", switches_.json, "One JSON document per line on standard output");
  Text("--color", color_, "auto (default), always, never")->type_name("WHEN");
  Text("--progress", progress_, "auto (default), on, off")->type_name("WHEN");
}

std::string RunFlags::OriginOf(const CLI::Option& option,
                               const std::vector<std::string>& on_command_line) const {
  if (option.count() == 0) return {};
  const std::string name = option.get_name();
  for (const std::string& word : on_command_line) {
    if (word == name || word.starts_with(name + "=")) return "flag";
  }
  return "environment";
}

std::map<std::string, FlagSummary> RunFlags::Origins(
    const std::vector<std::string>& on_command_line) const {
  std::map<std::string, FlagSummary> origins;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string origin = OriginOf(*option, on_command_line);
    if (origin.empty()) continue;
    origins[option->get_name()] = {fmt::format("{}", fmt::join(option->results(), " ")), origin};
  }
  return origins;
}

Result<RunOptions> RunFlags::Resolve(const std::vector<std::string>& on_command_line) const {
  RunOptions options = switches_;
  options.origins = Origins(on_command_line);
  options.strict = no_strict_ ? Strict::kNo : Strict::kYes;
  options.run_dir = run_dir_;
  options.manifest = manifest_;
  WP_RETURN_IF_ERROR(ResolveSelection(options));
  WP_RETURN_IF_ERROR(ResolveExploration(options));
  WP_RETURN_IF_ERROR(ResolveOutput(options));
  WP_RETURN_IF_ERROR(CheckSelection(options));
  options.repeat_flags = GivenAgain(options.origins);
  if (!options.defects.empty() && case_timeout_.empty()) {
    options.repeat_flags.insert(options.repeat_flags.end(),
                                {"--case-timeout", fmt::format("{}s", options.case_timeout / 1s)});
  }
  return options;
}

std::vector<std::string> RunFlags::GivenAgain(
    const std::map<std::string, FlagSummary>& origins) const {
  std::vector<std::string> words;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || Contains(kSaidAnyway, name) || Contains(kNeutral, name)) continue;
    if (option->get_expected_max() == 0) {
      if (option->as<bool>()) words.push_back(name);
      continue;
    }
    // A variable that holds several values comes back as one flag for each.
    const bool several = option->get_expected_max() > 1;
    const std::vector<std::string> given = option->results();
    for (const std::string& value : several ? Words(given, option, origins) : given) {
      words.insert(words.end(), {name, value});
    }
  }
  return words;
}

Status RunFlags::ResolveSelection(RunOptions& options) const {
  const auto words = [&](const char* name, const std::vector<std::string>& values) {
    return Words(values, command_.get_option(name), options.origins);
  };
  options.targets = words("--target", targets_);
  WP_RETURN_IF_ERROR(Choose<bool>("--releases", releases_, {{"all", true}, {"none", false}},
                                  options.all_releases));
  for (const std::string& word : words("--defects", defects_)) {
    std::istringstream names(word);
    for (std::string name; std::getline(names, name, ',');) options.defects.push_back(name);
  }
  if (!options.defects.empty() && (!options.targets.empty() || options.all_releases)) {
    return Fail(StatusCode::kInvalidArgument,
                "--defects: these are planted in the embedded store; leave --target and "
                "--releases out");
  }
  WP_RETURN_IF_ERROR(ResolvePlan(options));
  if (options.targets.empty() && !options.all_releases) options.targets = {"embedded"};
  options.selection.guarantees = words("--guarantee", guarantees_);
  options.selection.levels = words("--level", levels_);
  options.selection.exclude = exclude_;
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
  if (shard_.empty()) return ShardOfGoogleTest(options);
  return Into("--shard", ParseShard(shard_), options.shard);
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
  options.access = access_;
  return CheckAccess(options.access);
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
  if (options.targets.empty() && options.defects.empty() && !options.all_releases) {
    options.targets = {file->header.target};
  }
  return {};
}

Status RunFlags::ResolveExploration(RunOptions& options) const {
  std::string seed = seed_;
  // GoogleTest's 0 stands for "draw one".
  if (seed.empty() && Variable("GTEST_RANDOM_SEED") != "0") {
    seed = TakeAlias("GTEST_RANDOM_SEED", "--seed", options);
  }
  if (!seed.empty()) {
    std::uint64_t number = 0;
    WP_RETURN_IF_ERROR(Into("--seed", ParseSeed(seed), number));
    options.seed = number;
  }
  if (options.until_fail) options.repeat = 0;
  if (!repeat_.empty()) {
    WP_RETURN_IF_ERROR(Into("--repeat", ParseCount(repeat_, 1), options.repeat));
  }
  if (!jobs_.empty()) WP_RETURN_IF_ERROR(Into("--jobs", ParseCount(jobs_, 1), options.jobs));
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.jobs = std::min(options.jobs, cores);
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
  WP_RETURN_IF_ERROR(Choose<When>(
      "--color", color_,
      {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}}, options.color));
  return Choose<When>("--progress", progress_,
                      {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}},
                      options.progress);
}

}  // namespace watchproof
