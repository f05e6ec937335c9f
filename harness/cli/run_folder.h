// SPDX-License-Identifier: Apache-2.0
// The folder of a run: <run-dir>/<UTC stamp>-<seed>/, never used twice, with the link `latest` to
// the last one.
//
//   WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create("watchproof-runs", "0x51e9c2", now));
//   WP_ASSIGN_OR_RETURN(AttemptFolder attempt, folder.MakeAttempt(target, "Ordered.X", 1));
//   WP_RETURN_IF_ERROR(folder.AppendLine("results.jsonl", line));
//
// The folder is locked while its run lasts; the kernel drops the lock with the process. Create
// removes the temporary folders of runs without a lock. Not thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct AttemptFolder {
  std::string relative;  // to the run folder: "cases/embedded/Ordered.X/1"
  std::filesystem::path absolute;
  std::filesystem::path temporary;  // inside it; gone after the attempt
};

enum class KeepHistory { kNo, kYes };

class RunFolder {
 public:
  // Errors name the folder and what is wrong with it.
  static Result<RunFolder> Create(const std::filesystem::path& run_dir, std::string_view seed,
                                  std::int64_t utc);
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
  // Removes the temporary folder and, unless it is to be kept, the history.
  void FinishAttempt(const AttemptFolder& attempt, KeepHistory keep);

  // One write call, so that a reader never sees half a line unless the machine dies.
  Status AppendLine(std::string_view file, std::string_view line);
  // Written aside and moved into place.
  Status Write(std::string_view file, std::string_view text);

 private:
  RunFolder() = default;
  std::string TargetFolder(const TargetSpec& target);

  std::filesystem::path run_dir_;
  std::filesystem::path path_;
  int lock_ = -1;
  std::map<std::string, std::string> target_folders_;
};

// One path component that is unlike every other in `taken`.
std::string PathComponent(std::string_view text);

}  // namespace watchproof
