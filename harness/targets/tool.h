// SPDX-License-Identifier: Apache-2.0
// Runs a program of the machine (apt-get, dpkg, curl, tar) to its end and returns its output.
//
//   WP_ASSIGN_OR_RETURN(const std::string output,
//                       RunTool({.name = "dpkg", .arguments = {"-x", deb, root}, .folder = work}));
//
// Found by PATH, in the locale C, with no standard input. Blocks. Threads: from any thread, as long
// as no two calls share a folder.
#pragma once

#include <filesystem>
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
};

// Returns standard output and error. kNotFound: there is no such program; kUnavailable: it failed,
// with the most informative line of its output.
Result<std::string> RunTool(const ToolCall& call);

}  // namespace watchproof
