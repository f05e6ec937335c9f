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
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/parse.h"
#include "harness/cli/selection.h"
#include "harness/report/database.h"
#include "harness/report/run_record.h"
#include "harness/results/attempt_spec.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

enum class Keep { kFailed, kAll, kNone };
// Conformance of targets, or self-tests: cases that must not pass (CaseInfo::expect).
enum class Cases { kOfTargets, kOfWatchproof };
// Which releases become targets beside those that are named: of the manifest, or of the cache.
enum class Releases { kNone, kAll, kCached };
enum class When { kAuto, kAlways, kNever };

int DefaultJobs();

struct RunOptions {
  std::vector<TargetSpec> targets;
  Releases releases = Releases::kNone;    // that are targets, too
  std::set<std::string> unnamed_targets;  // of `targets`: those that came that way
  std::vector<std::string> consumers;     // each of them on each target
  std::vector<std::string> defects;       // of the embedded store, or "all"; instead of targets
  Selection selection;
  Cases cases = Cases::kOfTargets;
  std::filesystem::path plan;  // to follow instead of the one that its case would make; empty: none
  std::optional<std::uint64_t> seed;
  int repeat = 1;  // 0: without end, with until_fail
  bool until_fail = false;
  bool fail_fast = false;
  bool shuffle = false;
  int jobs = DefaultJobs();
  std::optional<Shard> shard;  // empty: the run is not divided
  Durations durations;         // that balance shards; empty: a hash of names distributes attempts
  Duration case_timeout = 60s;
  int tries = 3;  // of an attempt that proves nothing; 1 where each attempt counts as it came
  Strict strict = Strict::kYes;
  std::filesystem::path run_dir;
  std::filesystem::path manifest;
  std::vector<std::filesystem::path> baselines;
  std::string profile;  // the text of the profile of all targets; empty: none
  Keep keep = Keep::kFailed;
  std::map<std::string, std::map<std::string, std::string>> faults;
  std::vector<std::string> allow_disruptive;  // HOST:PORT of running servers; also in targets
  std::vector<std::string> allow_kubernetes;  // likewise, although they have keys of Kubernetes
  int keep_runs = 20;                         // in the run folder; 0: all
  std::set<AttemptName> only;                 // of cases x targets x attempts; empty: all of them
  std::optional<RunRecord> resumed;           // the run that goes on, with what it has come to
  std::string rerun_of;                       // of these failures, which run again
  bool no_faults = false;
  bool stop_at_finding = false;
  bool bypass_proxy = false;
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool print_results = true;  // off where GoogleTest prints them
  When color = When::kAuto;
  When progress = When::kAuto;
  bool github = false;  // whether the log is one of GitHub Actions
  std::map<std::string, FlagSummary> origins;
  std::vector<std::string> repeat_flags;  // those that may change a verdict, for the repeat command
  bool same_seed = false;  // of `repeat`: every attempt has the first one's, up to a failure
};

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
  void AddSelection();
  void AddEndpoints();
  void AddExploration();
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
  // Of flags that neither the command line nor the environment has.
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
  std::map<std::string, std::string> texts_;  // by the name of the flag, as the next two
  std::map<std::string, std::vector<std::string>> lists_;
  std::map<std::string, std::string> from_file_;  // the origin
  std::vector<std::function<Status()>> parsers_;  // of the flags that were given
};

}  // namespace watchproof
