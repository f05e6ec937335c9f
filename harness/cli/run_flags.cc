// SPDX-License-Identifier: Apache-2.0
// The flags of `run` as the command line has them; run_options.cc resolves them.
#include <algorithm>

#include "harness/base/shell_words.h"
#include "harness/cli/run_options.h"
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
    "--target", "--releases", "--defects", "--filter", "--exclude", "--guarantee",
    "--level",  "--profile",  "--shard",   "--seed",   "--repeat",  "--until-fail"};
// What changes no verdict: order and number of attempts, and the output.
constexpr std::string_view kNeutral[] = {"--help", "--fail-fast", "--shuffle", "--jobs",
                                         "--keep", "--dry-run",   "--quiet",   "--verbose",
                                         "--json", "--color",     "--progress"};

template <typename Names>
bool Contains(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

// One variable may have several values, separated by spaces; quotes group a command line.
std::vector<std::string> RunFlags::Words(const std::vector<std::string>& values,
                                         const CLI::Option* option,
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
  Texts(
      "--target", targets_,
      "Server to test: embedded, embedded+DEFECT, etcd:PATH, etcd@VERSION, etcd@VERSION,TOPOLOGY, "
      "endpoint:HOST:PORT, endpoint:https://HOST:PORT, command:TEMPLATE")
      ->type_name("SPEC");
  Text("--target-profile", profile_,
       fmt::format("Declared differences of the targets from etcd (--profile is another flag): {}, "
                   "or a file",
                   fmt::join(ShippedProfiles(), ", ")))
      ->type_name("NAME|FILE");
  Text(
      "--releases", releases_,
      "all: also every release of the manifest; cached: every one that was fetched; none (default)")
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
  Text(
      "--profile", run_profile_,
      "full (default): every selected case; quick: those of level must that use one server, do not "
      "end it and make few calls")
      ->type_name("WHICH");
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
  Switch("--fail-fast", switches_.fail_fast,
         "Start no more attempts after the first new failure, nor on a defect that is caught");
  Switch("--stop-at-finding", switches_.stop_at_finding,
         "End each attempt at its first finding, not at the end of its plan");
  Switch("--shuffle", switches_.shuffle, "Run in an order drawn from the seed");
  Text("--jobs", jobs_, "Cases at a time (default: four per core, fewer on a busy machine)")
      ->type_name("N");
  Text("--case-timeout", case_timeout_, "Time limit of a case (default 60s)")->type_name("TIME");
  Switch("--no-strict", no_strict_, "Unexpected passes do not change the exit code");
  Text("--manifest", manifest_, "Releases and bugs instead of the built-in ones")
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

}  // namespace watchproof
