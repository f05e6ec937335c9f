// SPDX-License-Identifier: Apache-2.0
// Starts the command with scripted cases, as a user or a CI system would, and reads its output and
// files.
//
//   ScriptedRun run({"--filter", "Ends.Fails"});
//   EXPECT_EQ(run.Wait(), 1);
//   EXPECT_THAT(run.output(), HasSubstr("FAIL"));
//
// Not thread-safe. Ownership: the destructor kills the command.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/process/child_process.h"

namespace watchproof {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::optional<std::string>>;

std::string ReadText(const std::filesystem::path& file);

class ScriptedRun {
 public:
  // `watchproof run` with these flags, in a folder of its own per test.
  explicit ScriptedRun(Words flags, const Variables& environment = {});
  // Any command.
  static ScriptedRun Command(Words words, const Variables& environment = {});

  // The exit code, or 1000 + the signal that ended it. Blocks until it ends.
  int Wait();
  // Until the file exists below the run folder, or the command has ended. False in the latter case.
  bool AwaitFile(const std::string& relative);
  bool AwaitOutput(const std::string& text);
  void Signal(int number) { child_->Signal(number); }
  // SIGKILL to the command alone, not to its group.
  void Kill();

  std::string output() const { return ReadText(log_); }  // both streams
  // The folder of the latest run; empty when there is none.
  std::filesystem::path folder() const;
  std::string File(const std::string& name) const { return ReadText(folder() / name); }
  const std::filesystem::path& run_dir() const { return run_dir_; }

 private:
  ScriptedRun() = default;
  bool Await(const std::function<bool()>& is_so);
  void Start(const Words& words, const Variables& environment);

  std::filesystem::path run_dir_;
  std::filesystem::path log_;
  std::unique_ptr<ChildProcess> child_;
};

// Process ids that a hanging case wrote down, until none of them runs any more.
bool AwaitGone(const std::string& pids);

}  // namespace watchproof
