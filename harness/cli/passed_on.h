// SPDX-License-Identifier: Apache-2.0
// Flags of `run` that another command, which runs cases too, offers under the same names. Such a
// command prints what it came to, and not each attempt.
//
//   const auto flags = PassedOn::Add(command, {"--filter", "--seed", "--jobs"});
//   WP_ASSIGN_OR_RETURN(Run run, flags->Prepare({.targets = {base, head}}));
//   ...
//   if (const auto early = EndRun(run)) return *early;
//   return Publish(run, "gate.json", ToJson(outcome), ToText(outcome), ExitCode::kOk);
//
// Not thread-safe. Ownership: the command does not outlive this.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_flags.h"
#include "harness/runs/run.h"

namespace watchproof {

// The flags of an earlier run, resolved as `run` would. Errors name the flag. `by_caller`: see
// RunFlags::SetByCaller.
Result<RunOptions> OptionsFromWords(const std::vector<std::string>& words, Sources sources,
                                    const std::set<std::string>& by_caller = {});

// What such a command asks of a run by itself, in place of flags, variables and files.
struct AskedOfRun {
  std::vector<std::string> targets;
  std::vector<std::string> cases = {};  // empty: as flags select them
  std::string plan = {};                // a file; empty: none
  // What flags that are passed on and were not given stand for, by name.
  std::map<std::string, std::string> defaults = {};
};

class PassedOn {
 public:
  // Requires: flags of `run`, each with a value.
  static std::shared_ptr<PassedOn> Add(const Command& command,
                                       const std::vector<std::string>& names);
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;

  // A run with the flags that were given, and this. The environment's words for the others count as
  // for `run`.
  tl::expected<Run, CommandEnd> Prepare(const AskedOfRun& asked) const;

 private:
  explicit PassedOn(const std::string& executable) : executable_(executable) {}
  Result<RunOptions> Options(const AskedOfRun& asked) const;

  const std::string& executable_;              // how we were called
  std::map<std::string, std::string> values_;  // by name
};

// Ends the run; a code if there is nothing to conclude from it: it was interrupted, or is broken.
std::optional<ExitCode> EndRun(Run& run);
// Keeps the JSON of what the command came to in the run folder, and prints the text; an empty one
// stands for the JSON. Returns `code` unless the file could not be written.
CommandEnd Publish(Run& run, const std::string& file, const std::string& json,
                   const std::string& text, ExitCode code);

}  // namespace watchproof
