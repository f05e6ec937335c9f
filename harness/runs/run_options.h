// SPDX-License-Identifier: Apache-2.0
// What is asked of a run: which cases on which targets, how often, how many at a time, and what is
// kept and shown of them. Plain values, whether they came from flags or from a program.
//
//   RunOptions options{.run_dir = "watchproof-runs"};
//   WP_RETURN_IF_ERROR(SetTargets({"embedded"}, options));
//   options.selection.filter = "Ordered.*";
//
// Threads: values, and functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/report/database.h"
#include "harness/report/run_record.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/exit_code.h"
#include "harness/runs/parse.h"
#include "harness/runs/selection.h"
#include "harness/session/busy_machine.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

enum class Keep { kFailed, kAll, kNone };
// Conformance of targets, or self-tests: cases that must not pass (CaseInfo::expect).
enum class Cases { kOfTargets, kOfWatchproof };
// Which releases become targets beside those that are named: of the manifest, or of the cache.
enum class Releases { kNone, kAll, kCached };
enum class When { kAuto, kAlways, kNever };

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
  int jobs = UsualJobs();
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
  ServerAccess access;                        // to running servers; also in targets
  std::vector<std::string> allow_disruptive;  // HOST:PORT of such servers; also in targets
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

// Records a choice as the flag of `run` that asks for the same, so that it can be asked for again.
inline void NoteFlag(const std::string& name, const std::vector<std::string>& values,
                     RunOptions& options) {
  options.origins[name] = {fmt::format("{}", fmt::join(values, " ")), "flag", values};
}

}  // namespace watchproof
