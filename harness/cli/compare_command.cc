// SPDX-License-Identifier: Apache-2.0
// `compare`: how often each case passed in several runs, and what changed from the first to the
// last.
#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/cli/saved_runs.h"
#include "harness/report/comparison.h"

namespace watchproof {
namespace {

struct CompareFlags {
  std::vector<std::string> runs;
  std::string filter;
  bool all = false;
  bool markdown = false;
  bool json = false;
};

ExitCode CompareCommand(const CompareFlags& flags) {
  if (flags.runs.size() < 2) {
    return Complain("compare", "expected the folders of two runs, or of more");
  }
  Result<std::vector<RunRecord>> runs = ReadRuns(flags.runs);
  if (!runs.has_value()) return Complain("compare", runs.error().message());
  for (RunRecord& run : *runs) {
    if (const Status kept = KeepCases(flags.filter, run); !kept.ok()) {
      return Complain("compare", run.id + ": " + kept.message(), ExitCode::kNothingSelected);
    }
  }
  const RunComparison found = Compare(*runs);
  const Rows rows = flags.all ? Rows::kAll : Rows::kChanged;
  fmt::print("{}", flags.json       ? ToJson(found) + "\n"
                   : flags.markdown ? ToMarkdown(found, rows)
                                    : ToText(found, rows));
  return found.Worse() ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace

CommandBody AddCompare(CLI::App& command) {
  const auto flags = std::make_shared<CompareFlags>();
  command.add_option("run", flags->runs, "Folders of runs, the one to compare with first")
      ->required();
  command.add_option("--case", flags->filter, "Only these cases")->type_name("PATTERN");
  command.add_flag("--all", flags->all, "Also what did not change");
  CLI::Option* markdown = command.add_flag("--markdown", flags->markdown, "As Markdown");
  command.add_flag("--json", flags->json, "As JSON, with everything")->excludes(markdown);
  return [flags] { return CompareCommand(*flags); };
}

}  // namespace watchproof
