// SPDX-License-Identifier: Apache-2.0
// The folder of a run: <run-dir>/<UTC stamp>-<seed>/, never used twice, with the link `latest` to
// the last one.
//
//   WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create("watchproof-runs", "0x51e9c2", now));
//   WP_ASSIGN_OR_RETURN(AttemptFolder attempt, folder.MakeAttempt(target, "Ordered.X", 1));
//   WP_RETURN_IF_ERROR(folder.AppendLine("results.jsonl", line));
//   HoldRun("watchproof-runs/latest");   // is not removed while this process reads it
//   WP_ASSIGN_OR_RETURN(run, FindRun("latest", UsualRunDir()));
//
// The folder is locked while its run lasts; the kernel drops the lock with the process. Create
// removes the temporary folders of runs without a lock. Not thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct AttemptFolder {
  std::string relative;  // to the run folder: "cases/embedded/Ordered.X/1"
  std::filesystem::path absolute;

  // Gone after the attempt.
  std::filesystem::path temporary() const { return absolute / "tmp"; }
};

// Which files stay of an attempt that has ended.
enum class KeepFiles { kNone, kButHistory, kAll };

class RunFolder {
 public:
  // Errors name the folder and what is wrong with it.
  static Result<RunFolder> Create(const std::filesystem::path& run_dir, std::string_view seed,
                                  std::int64_t utc);
  // The folder of a run that has ended before its time, to go on in it. What a kill has left half
  // written is cut off; the folder of an attempt without a result goes when it is made again.
  static Result<RunFolder> Reopen(const std::filesystem::path& run, const RunRecord& record);
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;

  const std::filesystem::path& run_dir() const { return run_dir_; }  // as given
  const std::filesystem::path& path() const { return path_; }        // absolute
  std::string id() const { return path_.filename().string(); }
  // As people should type it.
  std::string shown() const { return (run_dir_ / id()).string(); }

  Result<AttemptFolder> MakeAttempt(const TargetSpec& target, const std::string& case_name,
                                    int attempt);
  // Removes the temporary folder, and what is not to be kept. Requires: the absolute folder of an
  // attempt.
  void FinishAttempt(const std::filesystem::path& folder, KeepFiles keep);

  // One write call, so that a reader never sees half a line unless the machine dies.
  Status AppendLine(std::string_view file, std::string_view line);
  // Written aside and moved into place.
  Status Write(std::string_view file, std::string_view text);

 private:
  RunFolder() = default;
  Status Lock();
  std::string TargetFolder(const TargetSpec& target);

  std::filesystem::path run_dir_;
  std::filesystem::path path_;
  int lock_ = -1;
  std::map<std::string, std::string> target_folders_;
};

// Removes the temporary folders of those that were killed, or ended with their machine.
void SweepDeadRuns(const std::filesystem::path& run_dir);

// A run that this process reads: until it ends, PruneRuns of any process leaves it alone. If it was
// killed, its temporary folders go. No-op for what is no folder.
void HoldRun(const std::filesystem::path& run);

// Whether runs with new failures count, and may be removed, like others.
enum class PruneFailed { kNo, kYes };
// What PruneRuns has done, and why it could not do more; empty if it could.
struct Pruned {
  std::vector<std::string> removed;  // their ids, the oldest first
  std::size_t failed = 0;            // runs with new failures that only kYes would have removed
  Status trouble;
};
// Keeps the last `keep` runs of a run folder; 0: all. Leaves alone what is in use, by a run or a
// reader, and what is not, or no longer, named like a run: a folder that was renamed stays.
Pruned PruneRuns(const std::filesystem::path& run_dir, int keep, PruneFailed failed);
// Their folders, the oldest first.
std::vector<std::filesystem::path> RunsIn(const std::filesystem::path& run_dir);
// Where they are, unless a flag says otherwise: $WATCHPROOF_RUN_DIR, or watchproof-runs.
std::filesystem::path UsualRunDir();

// What names a finding of a run, as "latest#2": the run, and "#2", which may be empty. What exists
// as it is written has no number.
struct RunAndFinding {
  std::string run;
  std::string finding;
};
RunAndFinding SplitFinding(const std::string& given);
// What every command takes for a run: the name of one in the folder of runs, such as "latest", as
// its path; a path stays as it is, and so does "#2" behind it. Errors name that folder.
Result<std::string> FindRun(const std::string& given, const std::filesystem::path& run_dir);
// Whether a run is under way in it.
bool IsUnderWay(const std::filesystem::path& run);

// One path component that is unlike every other in `taken`.
std::string PathComponent(std::string_view text);

}  // namespace watchproof
