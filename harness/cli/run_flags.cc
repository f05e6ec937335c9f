// SPDX-License-Identifier: Apache-2.0
// The flags of `run` as the command line has them; run_options.cc resolves them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/shell_words.h"
#include "harness/cli/config_file.h"
#include "harness/cli/run_options.h"
#include "harness/cli/selection.h"
#include "harness/consumers/consumer_source.h"
#include "harness/session/profile.h"

namespace watchproof {
namespace {

std::string VariableOf(const std::string& flag) {
  std::string name = "WATCHPROOF_";
  for (const char c : flag.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return name;
}

// What a repeat command sets itself, or sets more narrowly.
constexpr std::string_view kSaidAnyway[] = {
    "--target",    "--releases", "--defects",    "--filter", "--exclude",     "--guarantee",
    "--level",     "--profile",  "--shard",      "--shards", "--shard-by",    "--seed",
    "--seed-from", "--repeat",   "--until-fail", "--resume", "--rerun-failed"};
// What changes no verdict: order and number of attempts, and the output.
constexpr std::string_view kNeutral[] = {
    "--help",     "--fail-fast", "--shuffle",     "--jobs", "--keep",
    "--dry-run",  "--quiet",     "--verbose",     "--json", "--color",
    "--progress", "--keep-runs", "--config-file", "--ci"};

constexpr char kConfigFile[] = "watchproof.toml";
// What concerns one command line alone.
constexpr std::string_view kNotInFile[] = {"--help",   "--config",       "--config-file",
                                           "--resume", "--rerun-failed", "--dry-run"};

}  // namespace

// One variable may have several values, separated by spaces; quotes group a command line.
std::vector<std::string> RunFlags::Words(const std::vector<std::string>& values,
                                         const CLI::Option* option,
                                         const std::map<std::string, FlagSummary>& origins) {
  const auto origin = origins.find(option->get_name());
  if (origin == origins.end() || origin->second.origin != "environment") return values;
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

CLI::Option* RunFlags::FromVariable(CLI::Option* option) const {
  return sources_ == Sources::kAll ? option->envname(VariableOf(option->get_name())) : option;
}

CLI::Option* RunFlags::Text(const std::string& name, std::string& value, const std::string& help) {
  return FromVariable(command_.add_option(name, value, help));
}
CLI::Option* RunFlags::Texts(const std::string& name, std::vector<std::string>& values,
                             const std::string& help) {
  return FromVariable(command_.add_option(name, values, help + " (repeatable)"))
      ->allow_extra_args(false);
}
CLI::Option* RunFlags::Switch(const std::string& name, bool& value, const std::string& help) {
  return FromVariable(command_.add_flag(name, value, help));
}

RunFlags::RunFlags(CLI::App& command, Sources sources) : command_(command), sources_(sources) {
  AddSelection();
  AddEndpoints();
  AddExploration();
  AddOutput();
}

void RunFlags::AddSelection() {
  Texts(
      "--target", targets_,
      "Server to test: embedded, embedded+DEFECT, etcd:PATH, etcd@VERSION, etcd@VERSION,TOPOLOGY, "
      "endpoint:HOST:PORT, endpoint:https://HOST:PORT, command:TEMPLATE")
      ->type_name("SPEC")
      ->default_str("embedded");
  Texts(
      "--consumer", consumers_,
      fmt::format("Real client to follow the keys of the targets, in cases made for that: {}, with "
                  "@VERSION or without, or folder:PATH",
                  fmt::join(ShippedConsumers(), ", ")))
      ->type_name("CONSUMER");
  Text("--target-profile", profile_,
       fmt::format("Declared differences of the targets from etcd (--profile is another flag): {}, "
                   "or a file",
                   fmt::join(ShippedProfiles(), ", ")))
      ->type_name("PROFILE|FILE");
  Text("--releases", releases_,
       "all: also every release of the manifest; cached: every one that was fetched; none")
      ->type_name("all|cached|none")
      ->default_str("none");
  Texts("--defects", defects_,
        "all, or names joined by commas: run every case on the clean embedded store and with each "
        "defect planted; succeeds if every defect is caught")
      ->type_name("DEFECTS|all");
  Text("--filter", filter_, "Cases to run, in GoogleTest's syntax: A.*:B.*-*.Slow*")
      ->type_name("PATTERNS");
  Text("--exclude", exclude_, "Cases to leave out: A.*:B.*")->type_name("PATTERNS");
  Texts("--guarantee", guarantees_, "Only cases that judge this guarantee")->type_name("GUARANTEE");
  Texts("--level", levels_, "Only cases of this level")->type_name("must|should|may");
  Text("--profile", run_profile_,
       "full: every selected case; quick: those of level must that use one server, do not "
       "end it and make few calls")
      ->type_name("full|quick")
      ->default_str("full");
  Text("--shard", shard_,
       "Part I of N of the attempts, for N machines with the same flags; `report --merge` joins "
       "them")
      ->type_name("I/N");
  Text("--shards", shards_,
       "The same in a pod of a Kubernetes Indexed Job: part JOB_COMPLETION_INDEX, from 0, of N")
      ->type_name("N");
  Text("--shard-by", shard_by_,
       "Balance shards by the durations in a results.db, the same for all of them, instead of by a "
       "hash of names")
      ->type_name("FILE");
  Texts("--fault", faults_, "Change the parameters of a fault")->type_name("FAULT:key=value,...");
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
  Text("--user", access_.user, "User, for endpoints that require one")->type_name("USER");
  Text("--password-file", access_.password_file, "File with the password of --user")
      ->type_name("FILE");
}

void RunFlags::AddExploration() {
  Text("--plan", plan_, "Follow this plan, such as one from shrink, instead of the case's own")
      ->type_name("FILE");
  Text("--seed", seed_, "Seed of the plans and their order")
      ->type_name("HEX")
      ->default_str("drawn");
  Text("--seed-from", seed_from_,
       "Without --seed: one from a text that all shards know, such as the uid of a Job")
      ->type_name("TEXT");
  Text("--repeat", repeat_, "Attempts of each case, each with its own seed")
      ->type_name("N")
      ->default_str("1");
  Switch("--until-fail", switches_.until_fail, "Repeat until an attempt fails");
  Switch("--fail-fast", switches_.fail_fast,
         "Start no more attempts after the first new failure, nor on a defect that is caught");
  Switch("--stop-at-finding", switches_.stop_at_finding,
         "End each attempt at its first finding, not at the end of its plan");
  Switch("--shuffle", switches_.shuffle, "Run in an order drawn from the seed");
  Text("--jobs", jobs_, "Cases at a time")->type_name("N")->default_str("6 per core");
  Text("--case-timeout", case_timeout_, "Time limit of a case")
      ->type_name("TIME")
      ->default_str("60s");
  Switch("--no-strict", no_strict_, "Unexpected passes do not change the exit code");
  Texts("--baseline", baselines_, "Failures to accept, beside those of known bugs")
      ->type_name("FILE");
  Text("--manifest", manifest_, "Releases and bugs instead of the built-in ones")
      ->type_name("FILE");
}

void RunFlags::AddEarlierRuns() {
  CLI::Option* resume =
      command_
          .add_option("--resume", resume_,
                      "Go on with a run that was killed or interrupted: attempts with a result "
                      "are kept, the others are made, with its options")
          ->type_name("RUN");
  command_
      .add_option("--rerun-failed", rerun_failed_,
                  "Run the failed and inconclusive attempts of a run again, with its options and "
                  "seeds")
      ->type_name("RUN")
      ->excludes(resume);
}

void RunFlags::AddOutput() {
  Text("--run-dir", run_dir_, "Folder for the folders of runs")
      ->type_name("DIR")
      ->default_str(run_dir_);
  Text("--keep", keep_, "Histories to keep")->type_name("failed|all|none")->default_str("failed");
  Text("--keep-runs", keep_runs_,
       "How many runs stay in the folder: older ones are removed after a run; 0: all")
      ->type_name("N")
      ->default_str("20");
  Text("--config-file", config_file_, "Flags as `name = value`, instead of ./watchproof.toml")
      ->type_name("FILE");
  Switch("--dry-run", switches_.dry_run, "Print what would run, and exit");
  Switch("--quiet", switches_.quiet, "No lines for passing cases and known failures");
  Switch("--verbose", switches_.verbose,
         "Also print what every fault did, and what was found where a failure is known");
  Switch("--json", switches_.json, "One JSON document per line on standard output");
  Text("--color", color_, "Colours")->type_name("auto|always|never")->default_str("auto");
  Text("--ci", ci_,
       "auto: on GitHub Actions also its annotations, folded groups and the summary of the job; "
       "off")
      ->type_name("auto|off")
      ->default_str("auto");
  Text("--progress", progress_, "A line of progress, or one now and then off a terminal")
      ->type_name("auto|on|off")
      ->default_str("auto");
}

Status RunFlags::TakeConfigFile() {
  const bool named = !config_file_.empty();
  const std::string file = named ? config_file_ : kConfigFile;
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  if (!in || std::filesystem::is_directory(file, error)) {
    if (!named) return {};
    return Fail(StatusCode::kNotFound, "--config-file {}: expected a TOML file that can be read",
                file);
  }
  KnownFlags known;
  for (const CLI::Option* option : command_.get_options()) {
    if (Contains(kNotInFile, option->get_name())) continue;
    known[option->get_name()] = option->get_expected_max() == 0  ? FlagKind::kSwitch
                                : option->get_expected_max() > 1 ? FlagKind::kTexts
                                                                 : FlagKind::kText;
  }
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  auto values = ParseConfig(text, known);
  if (!values.has_value()) return std::move(values).error().WithContext("{}", file);
  for (const auto& [name, words] : *values) {
    CLI::Option* option = command_.get_option(name);
    if (option->count() > 0 || words.empty()) continue;
    try {
      option->add_result(words);
      option->run_callback();
    } catch (const CLI::ParseError& wrong) {
      return Fail(StatusCode::kInvalidArgument, "{}: {}", file, wrong.what());
    }
    from_file_[name] = file;
  }
  return {};
}

std::vector<Setting> RunFlags::Settings() const {
  std::vector<Setting> settings;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string name = option->get_name();
    if (name == "--help" || Contains(kNotInFile, name)) continue;
    const auto given = origins_.find(name);
    if (given != origins_.end()) {
      settings.push_back({name, given->second.value, given->second.origin});
    } else {
      const bool is_switch = option->get_expected_max() == 0;
      settings.push_back({name, is_switch ? "false" : option->get_default_str(), "default"});
    }
  }
  return settings;
}

std::string RunFlags::OriginOf(const CLI::Option& option,
                               const std::vector<std::string>& on_command_line) const {
  if (option.count() == 0) return {};
  const std::string name = option.get_name();
  for (const std::string& word : on_command_line) {
    if (word == name || word.starts_with(name + "=")) return "flag";
  }
  const auto file = from_file_.find(name);
  return file == from_file_.end() ? "environment" : file->second;
}

std::map<std::string, FlagSummary> RunFlags::Origins(
    const std::vector<std::string>& on_command_line) const {
  std::map<std::string, FlagSummary> origins;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string origin = OriginOf(*option, on_command_line);
    if (origin.empty()) continue;
    origins[option->get_name()] = {fmt::format("{}", fmt::join(option->results(), " ")), origin};
  }
  for (auto& [name, flag] : origins) {
    const CLI::Option* option = command_.get_option(name);
    flag.values = option->get_expected_max() > 1 ? Words(option->results(), option, origins)
                                                 : option->results();
  }
  return origins;
}

std::vector<std::string> RunFlags::GivenAgain(
    const std::map<std::string, FlagSummary>& origins) const {
  std::vector<std::string> words;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0) continue;
    if (Contains(kSaidAnyway, name) || Contains(kNeutral, name)) continue;
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

}  // namespace watchproof
