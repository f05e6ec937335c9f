// SPDX-License-Identifier: Apache-2.0
// Runs a program of the machine (apt-get, dpkg, curl, tar, go) to its end and returns its output.
//
//   WP_ASSIGN_OR_RETURN(const std::string output,
//                       RunTool({.name = "dpkg", .arguments = {"-x", deb, root}, .folder = work}));
//
// Found by PATH, unless the name is a path; in the locale C, with no standard input. Blocks.
// Threads: from any thread, as long as no two calls share a folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof {

struct ToolCall {
  std::string name;
  std::vector<std::string> arguments;
  std::filesystem::path
      folder;  // becomes its working directory; its output is kept there meanwhile
  Duration patience = 60s;
  std::map<std::string, std::string> environment{};  // variables to set
};

// Returns standard output and error, without the codes of terminals. kNotFound: there is no such
// program; kUnavailable: it failed, with the most informative line of its output; kCancelled:
// StopTools was called.
Result<std::string> RunTool(const ToolCall& call);

// Ends every call that is under way or yet to come. For a process that is about to end.
void StopTools();

}  // namespace watchproof
