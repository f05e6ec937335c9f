// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/tool.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/base/escape.h"
#include "harness/process/child_process.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> g_stopped{false};

// Waits in short pieces, to notice StopTools.
Result<ExitState> AwaitEnd(ChildProcess& child, const ToolCall& call) {
  const Deadline deadline = Within(call.patience);
  while (!child.exit_state()) {
    if (g_stopped) {
      child.Stop(2s);
      return Fail(StatusCode::kCancelled, "{} was stopped", call.name);
    }
    if (deadline.expired()) return child.Wait(deadline);
    (void)child.Wait(Within(100ms));
  }
  return *child.exit_state();
}

Result<fs::path> FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return fs::path(name);
  const fs::path found = FindInPath(name);
  if (!found.empty()) return found;
  return Fail(StatusCode::kNotFound, "{} is not installed", name);
}

// apt prints errors with E:, of which the first is the cause; other tools print the cause last.
std::string InformativeLine(const std::string& text) {
  std::string last = "it printed nothing";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("E: ")) return line.substr(3);
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last;
}

}  // namespace

Result<std::string> RunTool(const ToolCall& call) {
  WP_ASSIGN_OR_RETURN(const fs::path program, FindProgram(call.name));
  WP_ASSIGN_OR_RETURN(const fs::path env, FindProgram("env"));
  const fs::path log = call.folder / (fs::path(call.name).filename().string() + ".said");
  std::error_code ignored;
  fs::remove(log, ignored);
  ChildOptions options{.executable = env,
                       .arguments = {"--chdir=" + call.folder.string(), program.string()},
                       .log = log,
                       .environment = {{"LC_ALL", "C"}}};
  options.arguments.insert(options.arguments.end(), call.arguments.begin(), call.arguments.end());
  for (const auto& [name, value] : call.environment) options.environment[name] = value;
  if (g_stopped) return Fail(StatusCode::kCancelled, "{} was not started", call.name);
  WP_ASSIGN_OR_RETURN(const auto child, ChildProcess::Launch(options));
  WP_ASSIGN_OR_RETURN(const ExitState end, AwaitEnd(*child, call));
  std::ifstream file(log, std::ios::binary);
  std::string said = WithoutTerminalCodes(std::string((std::istreambuf_iterator<char>(file)), {}));
  if (end.clean()) return said;
  return Fail(StatusCode::kUnavailable, "{} {}: {}", call.name, end.ToString(),
              InformativeLine(said));
}

void StopTools() { g_stopped = true; }

}  // namespace watchproof
