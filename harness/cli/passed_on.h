// SPDX-License-Identifier: Apache-2.0
// Flags of `run` that another command, which runs cases too, offers under the same names. Such a
// command prints what it came to, and not each attempt.
//
//   const auto flags = std::make_shared<PassedOn>(command, {"--filter", "--seed", "--jobs"});
//   tl::expected<Run, Refusal> run = flags->Prepare({"--target", base}, "./watchproof");
//
// Not thread-safe. Ownership: the command does not outlive this.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/cli/run_command.h"
#include "harness/cli/run_options.h"

namespace watchproof {

// As `run` would resolve this command line. Errors name the flag.
Result<RunOptions> OptionsFromWords(const std::vector<std::string>& words,
                                    Sources sources = Sources::kAll);

class PassedOn {
 public:
  // Requires: flags of `run`, each with a value.
  PassedOn(CLI::App& command, const std::vector<std::string>& names);
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;

  // Of those that were given, and these. What the environment says counts, as for `run`.
  // `executable` is how we were called.
  tl::expected<Run, Refusal> Prepare(std::vector<std::string> words,
                                     const std::string& executable) const;

 private:
  std::map<std::string, std::string> values_;  // by name
};

}  // namespace watchproof
