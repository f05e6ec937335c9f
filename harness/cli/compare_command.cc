// SPDX-License-Identifier: Apache-2.0
// `compare`: how often each case passed in several runs, and what changed from the first to the
// last.
#include "harness/cli/commands.h"
#include "harness/report/comparison.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

struct CompareFlags {
  std::vector<std::string> runs;
  std::string filter;
  bool all = false;
  bool markdown = false;
  bool json = false;
};

CommandEnd CompareCommand(const CompareFlags& flags) {
  if (flags.runs.size() < 2) {
    return Fail(StatusCode::kInvalidArgument, "expected two runs, or more");
  }
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns(flags.runs));
  for (RunRecord& run : runs) {
    if (const Status kept = KeepCases(flags.filter, run); !kept.ok()) {
      return {ExitCode::kNothingSelected, run.id + ": " + kept.message()};
    }
  }
  const RunComparison found = Compare(runs);
  const Rows rows = flags.all ? Rows::kAll : Rows::kChanged;
  fmt::print("{}", flags.json       ? ToJson(found) + "\n"
                   : flags.markdown ? ToMarkdown(found, rows)
                                    : ToText(found, rows));
  return found.Worse() ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace

CommandBody AddCompare(const Command& command) {
  const auto flags = std::make_shared<CompareFlags>();
  command.Run("run", flags->runs, "Runs, the one to compare with first")->required();
  command.Value("--case", flags->filter, "PATTERN", "Only these cases");
  command.Switch("--all", flags->all, "Also what did not change");
  CLI::Option* markdown = command.Switch("--markdown", flags->markdown, "As Markdown");
  command.Switch("--json", flags->json, "As JSON, with everything")->excludes(markdown);
  return [flags] { return CompareCommand(*flags); };
}

}  // namespace watchproof
