// SPDX-License-Identifier: Apache-2.0
// `case`: a script that exploration kept, as the source of a case.
#include <string>

#include "harness/base/escape.h"
#include "harness/checkers/guarantee.h"
#include "harness/cli/commands.h"
#include "harness/runs/parse.h"
#include "harness/scenario/plan.h"

namespace watchproof {
namespace {

std::string SettingsOf(const explore::Server& server) {
  if (server == explore::Server()) return {};
  return fmt::format(
      "  scenario.Settings({{.progress_ms = {}, .unsynced = {}, .disk = {}, .snapshot_count = {}, "
      ".compaction_batch = {}}});\n",
      server.progress_ms, server.unsynced, server.disk, server.snapshot_count,
      server.compaction_batch);
}

Result<std::string> SourceOf(const PlanFile& file) {
  const std::string& name = file.header.case_name;
  const std::size_t dot = name.find('.');
  if (!ScriptOf(file.plan) || file.plan.shows.empty() || dot == std::string::npos) {
    return Fail(StatusCode::kInvalidArgument,
                "expected a script that `explore --keep` kept: the plan of {} is none", name);
  }
  std::string text = fmt::format(
      R"(// SPDX-License-Identifier: Apache-2.0
#include "cases/support/watch_case.h"

namespace watchproof {{

// What a script showed that exploration found on {0}.
WATCH_CASE({1}, {2},
           {{.requirement = "{3}",
            .explain = "A script that exploration found on {0}.",
            .guarantees = {{"{4}"}}}}) {{
)",
      Escaped(file.header.target), name.substr(0, dot), name.substr(dot + 1),
      HeadlineOf(Guarantee(file.plan.shows)).says, file.plan.shows);
  text += SettingsOf(file.plan.settings);
  for (const std::string& line : StepLines(file.plan)) {
    text += fmt::format("  scenario.AddLine(R\"({})\");\n", line);
  }
  return text + "}\n\n}  // namespace watchproof\n";
}

}  // namespace

CommandBody AddCaseSource(const Command& command) {
  const auto file = std::make_shared<std::string>();
  command.Word("plan", *file, "A script that `explore --keep` kept")->required();
  return [file]() -> CommandEnd {
    WP_ASSIGN_OR_RETURN(const PlanFile plan, ReadPlan(*file));
    WP_ASSIGN_OR_RETURN(const std::string source, InContext(*file, SourceOf(plan)));
    fmt::print("{}", source);
    return ExitCode::kOk;
  };
}

}  // namespace watchproof
