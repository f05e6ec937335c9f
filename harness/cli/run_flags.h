// SPDX-License-Identifier: Apache-2.0
// The flags of `run`, from the command line, the environment, watchproof.toml and GoogleTest's own
// variables, in this order.
//
//   RunFlags flags(*app.add_subcommand("run", ...));
//   ... app.parse(argc, argv) ...
//   Result<RunOptions> options = flags.Resolve(words);
//
// Not thread-safe.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/runs/run_options.h"

namespace watchproof {

// Whether the environment and the configuration file count beside the words of the command line.
enum class Sources { kAll, kWords };

// One flag of `run`, for doctor.
struct Setting {
  std::string name;    // "--jobs"
  std::string value;   // empty: none
  std::string origin;  // as in FlagSummary, or "default"
};

class RunFlags {
 public:
  // Adds the flags to the command; parsing the command fills them in. The command outlives this.
  explicit RunFlags(CLI::App& command, Sources sources = Sources::kAll);
  RunFlags(const RunFlags&) = delete;
  RunFlags& operator=(const RunFlags&) = delete;

  // Errors name the flag, variable or file. `on_command_line` are the words of the command line.
  Result<RunOptions> Resolve(const std::vector<std::string>& on_command_line);
  // These are set by the caller alone, in the options, and not by the environment or a file. With
  // targets it also gives them access (GiveAccess). Requires: not parsed.
  void SetByCaller(const std::set<std::string>& names);
  // Also the flags for an earlier run, which OptionsOfEarlier resolves.
  void AddEarlierRuns();
  // The runs as they were given; empty: no such flag.
  const std::string& resume() const { return Given("--resume"); }
  const std::string& rerun_failed() const { return Given("--rerun-failed"); }
  // Every flag, also those that have their default. Requires: resolved.
  std::vector<Setting> Settings() const;
  // The flags that were given, with their values, as arguments for a repeat command. Without those
  // that the repeat command sets itself (case, target, seed) and those that change no verdict:
  // run_flags.cc lists both.
  std::vector<std::string> GivenAgain() const;

 private:
  // The heading in --help of what is added from now on.
  void Group(const std::string& heading) { command_.option_defaults()->group(heading); }
  void AddTargets();
  void AddSelection();
  void AddFaults();
  void AddEndpoints();
  void AddExploration();
  void AddShards();
  void AddResults();
  void AddOutput();
  // A flag with a value, which Given returns.
  CLI::Option* Text(const std::string& name, const std::string& form, const std::string& help);
  CLI::Option* Texts(const std::string& name, const std::string& form, const std::string& help);
  CLI::Option* Switch(const std::string& name, bool& value, const std::string& help);
  // One that Resolve parses, into one of the options.
  template <typename T, typename Parse>
  CLI::Option* Parsed(const std::string& name, T& value, Parse parse, const std::string& form,
                      const std::string& help);
  CLI::Option* Count(const std::string& name, int& value, int least, const std::string& help);
  template <typename T>
  CLI::Option* Choice(const std::string& name, T& value,
                      const std::vector<std::pair<std::string, T>>& choices,
                      const std::string& help);
  CLI::Option* FromVariable(CLI::Option* option) const;

  // Empty: it was not given.
  const std::string& Given(const std::string& name) const { return texts_.at(name); }
  // The values, taken apart where they come from a variable, which holds several.
  std::vector<std::string> Words(const std::string& name) const;
  // Sets the flags that neither the command line nor the environment has.
  Status TakeConfigFile();
  void NoteOrigins(const std::vector<std::string>& on_command_line);
  std::string OriginOf(const CLI::Option& option,
                       const std::vector<std::string>& on_command_line) const;
  // One of GoogleTest's variables, as in its own tests.
  std::string TakeAlias(const char* variable, const char* flag);
  Status ResolveTargets();
  Status ResolveSelection();
  Status ResolveEndpoints();
  Status ResolvePlan();
  Status ResolveShard();
  Status ResolveSeed();

  CLI::App& command_;
  const Sources sources_;
  RunOptions options_;  // as far as they are resolved; the switches are bound directly
  bool no_strict_ = false;
  std::set<std::string> own_;                 // of the caller
  std::map<std::string, std::string> texts_;  // by the name of the flag, as the next two
  std::map<std::string, std::vector<std::string>> lists_;
  std::map<std::string, std::string> from_file_;  // the origin
  std::vector<std::function<Status()>> parsers_;  // of the flags that were given
};

}  // namespace watchproof
