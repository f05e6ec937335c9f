// SPDX-License-Identifier: Apache-2.0
// The flags of `run` as the command line has them; resolve_flags.cc resolves them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/shell_words.h"
#include "harness/cli/config_file.h"
#include "harness/cli/run_flags.h"
#include "harness/consumers/consumer_source.h"
#include "harness/runs/selection.h"
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
constexpr std::string_view kSetByRepeat[] = {
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

Result<Duration> ParseTimeout(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const Duration timeout, ParseDuration(text));
  if (timeout > Duration::zero() && timeout <= 24h) return timeout;
  return Fail(StatusCode::kInvalidArgument, "expected between 1us and 24h");
}

}  // namespace

std::vector<std::string> RunFlags::Words(const std::string& name) const {
  const CLI::Option* option = command_.get_option(name);
  const auto origin = options_.origins.find(name);
  const bool variable = origin != options_.origins.end() && origin->second.origin == "environment";
  if (!variable || option->get_expected_max() <= 1) return option->results();
  // Separated by spaces; quotes group a command line.
  std::vector<std::string> words;
  for (const std::string& value : option->results()) {
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

CLI::Option* RunFlags::Text(const std::string& name, const std::string& form,
                            const std::string& help) {
  return FromVariable(command_.add_option(name, texts_[name], help))
      ->type_name(form)
      ->capture_default_str();
}
CLI::Option* RunFlags::Texts(const std::string& name, const std::string& form,
                             const std::string& help) {
  return FromVariable(command_.add_option(name, lists_[name], help + " (repeatable)"))
      ->type_name(form)
      ->allow_extra_args(false);
}
CLI::Option* RunFlags::Switch(const std::string& name, bool& value, const std::string& help) {
  return FromVariable(command_.add_flag(name, value, help));
}

template <typename T, typename Parse>
CLI::Option* RunFlags::Parsed(const std::string& name, T& value, Parse parse,
                              const std::string& form, const std::string& help) {
  parsers_.push_back([this, name, &value, parse]() -> Status {
    if (Given(name).empty()) return {};
    WP_ASSIGN_OR_RETURN(value, InContext(name, parse(Given(name))));
    return {};
  });
  return Text(name, form, help);
}

CLI::Option* RunFlags::Count(const std::string& name, int& value, int least,
                             const std::string& help) {
  const auto parse = [least](std::string_view text) { return ParseCount(text, least); };
  return Parsed(name, value, parse, "N", help)->default_str(std::to_string(value));
}

template <typename T>
CLI::Option* RunFlags::Choice(const std::string& name, T& value,
                              const std::vector<std::pair<std::string, T>>& choices,
                              const std::string& help) {
  std::vector<std::string> known;
  for (const auto& [word, choice] : choices) known.push_back(word);
  const auto parse = [known, choices](const std::string& text) -> Result<T> {
    for (const auto& [word, choice] : choices) {
      if (word == text) return choice;
    }
    return Fail(StatusCode::kInvalidArgument, "'{}' is none of {}", text, fmt::join(known, ", "));
  };
  const auto preset = std::ranges::find(choices, value, &std::pair<std::string, T>::second);
  return Parsed(name, value, parse, fmt::format("{}", fmt::join(known, "|")), help)
      ->default_str(preset->first);
}

RunFlags::RunFlags(CLI::App& command, Sources sources) : command_(command), sources_(sources) {
  const char* hosted = std::getenv("GITHUB_ACTIONS");
  options_.github = hosted != nullptr && std::string_view(hosted) == "true";
  if (sources == Sources::kAll) {
    command.footer(
        "Each flag has a variable, too (WATCHPROOF_JOBS for --jobs), and a key in watchproof.toml; "
        "`watchproof doctor --config` prints what counts.");
  }
  // In the order of --help.
  AddTargets();
  AddSelection();
  AddFaults();
  AddEndpoints();
  AddExploration();
  AddShards();
  AddResults();
  AddOutput();
}

void RunFlags::SetByCaller(const std::set<std::string>& names) {
  own_ = names;
  for (const std::string& name : names) command_.get_option(name)->envname("");
}

void RunFlags::AddTargets() {
  Group("What to test");
  std::vector<std::string> forms;
  for (const TargetKindInfo& kind : TargetKinds()) forms.push_back(kind.grammar);
  Texts("--target", "SPEC", fmt::format("Server to test: {}", fmt::join(forms, ", ")))
      ->default_str("embedded");
  Choice<Releases>(
      "--releases", options_.releases,
      {{"all", Releases::kAll}, {"cached", Releases::kCached}, {"none", Releases::kNone}},
      "all: also every release of the manifest; cached: every one that was fetched; none");
  Texts(
      "--consumer", "CONSUMER",
      fmt::format("Real client to follow the keys of the targets, in cases made for that: {}, with "
                  "@VERSION or without, or folder:PATH",
                  fmt::join(ShippedConsumers(), ", ")));
  Texts("--defects", "DEFECTS|all",
        "all, or names joined by commas: run every case on the clean embedded store and with each "
        "defect planted; succeeds if every defect is caught");
  Parsed("--target-profile", options_.profile, &ProfileText, "PROFILE|FILE",
         fmt::format("Declared differences of the targets from etcd: {}, or a file",
                     fmt::join(ShippedProfiles(), ", ")));
  Text("--manifest", "FILE", "Releases and bugs instead of the built-in ones");
}

void RunFlags::AddSelection() {
  Group("Which cases");
  Text("--filter", "PATTERNS", "Cases to run, in GoogleTest's syntax: A.*:B.*-*.Slow*");
  Text("--exclude", "PATTERNS", "Cases to leave out: A.*:B.*");
  Choice<RunProfile>(
      "--profile", options_.selection.profile,
      {{"full", RunProfile::kFull}, {"quick", RunProfile::kQuick}, {"costs", RunProfile::kOfCosts}},
      "full: every selected case; quick: those of level must that use one server, "
      "do not end it and make few calls; costs: those that measure what clients "
      "cost the store, which no other profile has");
  Texts("--guarantee", "GUARANTEE", "Only cases that judge this guarantee");
  Texts("--level", "must|should|may", "Only cases of this level");
  Text("--plan", "FILE", "Follow this plan, such as one from shrink, instead of the case's own");
}

void RunFlags::AddFaults() {
  Group("Faults");
  Texts("--fault", "FAULT:key=value,...", "Change the parameters of a fault");
  Switch("--no-faults", options_.no_faults, "Plan faults, but do not arm them");
  Switch("--bypass-proxy", options_.bypass_proxy,
         "Connect clients to the target directly, without the proxy");
}

void RunFlags::AddEndpoints() {
  Group("Running server");
  Text("--tls-ca", "FILE", "Authorities that sign the certificates of endpoints, in PEM form");
  Text("--tls-cert", "FILE", "Client certificate, for endpoints that require one");
  Text("--tls-key", "FILE", "The private key of --tls-cert");
  Text("--user", "USER", "User, for endpoints that require one");
  Text("--password-file", "FILE", "File with the password of --user");
  Texts("--allow-disruptive", "HOST:PORT", "Endpoint that may be compacted");
  Texts("--allow-kubernetes", "HOST:PORT",
        "Endpoint that may be used although it has keys below /registry/");
}

void RunFlags::AddExploration() {
  Group("Repeating");
  Count("--repeat", options_.repeat, 1, "Attempts of each case, each with its own seed");
  Switch("--until-fail", options_.until_fail, "Repeat until an attempt fails");
  Switch("--fail-fast", options_.fail_fast,
         "Start no more attempts after the first new failure, nor on a defect that is caught; an "
         "attempt without a target, or with a harness error, is none");
  Text("--seed", "SEED", "Seed of the plans and their order, as 42 or 0x2a")->default_str("drawn");
  Count("--jobs", options_.jobs, 1, "Cases at a time")->default_str("6 per core");
  Parsed("--case-timeout", options_.case_timeout, &ParseTimeout, "TIME",
         "Time limit of a case, longer on a busy machine; 2m with a real client on top, 3m where "
         "defects are planted")
      ->default_str("60s");
  Count("--tries", options_.tries, 1,
        "Tries of an attempt that proves nothing, each with another plan, within its time");
  Switch("--stop-at-finding", options_.stop_at_finding,
         "End each attempt at its first finding, not at the end of its plan");
  Switch("--shuffle", options_.shuffle, "Run in an order drawn from the seed");
}

void RunFlags::AddShards() {
  Group("Many machines");
  Parsed("--shard", options_.shard, &ParseShard, "I/N",
         "Part I of N of the attempts, for N machines with the same flags; `report --merge` joins "
         "them");
  Text("--shards", "N",
       "The same in a pod of a Kubernetes Indexed Job: part JOB_COMPLETION_INDEX, from 0, of N");
  Parsed("--shard-by", options_.durations, &ReadDurations, "FILE",
         "Balance shards by the durations in a results.db, the same for all of them, instead of by "
         "a hash of names");
  Text("--seed-from", "TEXT",
       "Without --seed: one from a text that all shards know, such as the uid of a Job");
}

void RunFlags::AddResults() {
  Group("Results");
  texts_["--run-dir"] = "watchproof-runs";
  Texts("--baseline", "FILE", "Failures to accept, beside those of known bugs");
  Switch("--no-strict", no_strict_, "Unexpected passes do not change the exit code");
  Choice<Keep>("--keep", options_.keep,
               {{"failed", Keep::kFailed}, {"all", Keep::kAll}, {"none", Keep::kNone}},
               "Histories to keep");
  Count("--keep-runs", options_.keep_runs, 0,
        "How many runs without new failures stay in the folder: older ones are removed after a "
        "run; 0: all");
  Text("--run-dir", "DIR", "Folder for the folders of runs");
}

void RunFlags::AddOutput() {
  Group("Output");
  Switch("--quiet", options_.quiet, "Only the end: what was found, and where to look");
  Switch("--verbose", options_.verbose,
         "Also print what every fault did, and what was found where a failure is known");
  Switch("--dry-run", options_.dry_run, "Print what would run, and exit");
  Switch("--json", options_.json, "One JSON document per line on standard output");
  Choice<When>("--color", options_.color,
               {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}},
               "Colours");
  Choice<When>("--progress", options_.progress,
               {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}},
               "A line of progress, or one now and then off a terminal");
  Choice<bool>("--ci", options_.github, {{"auto", options_.github}, {"off", false}},
               "auto: on GitHub Actions also its annotations, folded groups and the summary of the "
               "job; off");
  Text("--config-file", "FILE", "Flags as `name = value`, instead of ./watchproof.toml");
}

void RunFlags::AddEarlierRuns() {
  Group("Earlier runs");
  CLI::Option* resume =
      command_
          .add_option("--resume", texts_["--resume"],
                      "Go on with a run that was killed or interrupted: attempts with a result "
                      "are kept, the others are made, with its options")
          ->type_name("RUN");
  command_
      .add_option("--rerun-failed", texts_["--rerun-failed"],
                  "Run the failed and inconclusive attempts of a run again, with its options and "
                  "seeds")
      ->type_name("RUN")
      ->excludes(resume);
}

Status RunFlags::TakeConfigFile() {
  const bool named = !Given("--config-file").empty();
  const std::string file = named ? Given("--config-file") : kConfigFile;
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
    if (option->count() > 0 || words.empty() || own_.contains(name)) continue;
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
    const auto given = options_.origins.find(name);
    if (given != options_.origins.end()) {
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

void RunFlags::NoteOrigins(const std::vector<std::string>& on_command_line) {
  for (const CLI::Option* option : command_.get_options()) {
    const std::string origin = OriginOf(*option, on_command_line);
    if (origin.empty()) continue;
    FlagSummary& flag = options_.origins[option->get_name()];
    flag = {fmt::format("{}", fmt::join(option->results(), " ")), origin};
    flag.values = Words(option->get_name());
  }
}

std::vector<std::string> RunFlags::GivenAgain() const {
  std::vector<std::string> words;
  for (const CLI::Option* option : command_.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0) continue;
    if (Contains(kSetByRepeat, name) || Contains(kNeutral, name)) continue;
    if (option->get_expected_max() == 0) {
      if (option->as<bool>()) words.push_back(name);
      continue;
    }
    // A variable that holds several values comes back as one flag for each.
    for (const std::string& value : Words(name)) words.insert(words.end(), {name, value});
  }
  return words;
}

}  // namespace watchproof
