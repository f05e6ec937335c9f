// SPDX-License-Identifier: Apache-2.0
// What the command line asks `explore` for, and the files and texts of both worlds.
//
//   if (options.target) return ExploreTarget(options);
//
// Threads: values and functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/explore/buckets.h"
#include "harness/explore/corpus.h"
#include "harness/runs/exit_code.h"
#include "harness/runs/run_folder.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct ExploreOptions {
  std::optional<TargetSpec> target;  // empty: the embedded store under virtual time
  Duration budget{};
  std::uint64_t seed = 0;
  std::optional<int> scripts;
  std::optional<int> plans;  // of a cluster
  std::optional<int> exhaustive;
  std::vector<std::string> defects;
  std::filesystem::path run_dir = "watchproof-runs";
  std::filesystem::path corpus;
  std::filesystem::path keep;
  std::filesystem::path missing;
  bool drawn_only = false;
  bool known = false;
  std::optional<explore::Script> replay;
  bool fail_fast = false;
  bool crash_points = false;
  bool verbose = false;
  bool json = false;
};

class ExploreOutput;

// Requires: a target.
CommandEnd ExploreTarget(const ExploreOptions& options);
// Scripts alone, in a folder that there is; the end of the output is left to the caller.
CommandEnd ExploreScripts(const ExploreOptions& options, RunFolder& folder, ExploreOutput& output);
// Requires: a target of several members. Scripts side by side for half of the time, then plans,
// each on a fresh cluster.
CommandEnd ExploreCluster(const ExploreOptions& options);

// The script that a plan is. Errors name the file.
Result<explore::Script> ReadScript(const std::filesystem::path& file);
// Those in a folder, in the order of their names; none if there is no such folder.
Result<std::vector<explore::Script>> ReadScripts(const std::filesystem::path& folder);
// Writes the scripts, and which situations were not reached, where the options say. For people:
// which were.
Result<std::string> KeepCorpus(const ExploreOptions& options, const explore::Corpus& corpus);
// With --verbose: how much was reached, so far.
std::string FoundText(const explore::Corpus& corpus, std::size_t buckets);
// For people: "1 kind of finding".
std::string KindsText(std::size_t buckets);
// The guarantees that these findings broke beside this one, each once.
std::vector<std::string> GuaranteesOf(const std::vector<const explore::Bucket*>& buckets,
                                      const std::string& beside);
// The buckets that a smallest script shows beside its own: they are explained by it.
std::vector<const explore::Bucket*> AlsoShown(const std::vector<Finding>& findings,
                                              const std::string& own,
                                              const std::vector<const explore::Bucket*>& buckets);
}  // namespace watchproof
