// SPDX-License-Identifier: Apache-2.0
// `report`: the reports of a run again, or of several runs as one.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/parse.h"
#include "harness/cli/saved_runs.h"
#include "harness/report/formats.h"
#include "harness/report/saved_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> runs;
  std::string output;
  std::string filter;
  std::vector<std::string> files;
};

Result<RunRecord> RecordOf(const ReportFlags& flags) {
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns(flags.runs));
  const bool one = runs.size() == 1 && flags.output.empty();
  RunRecord record = one ? std::move(runs.front()) : Joined(std::move(runs), flags.output);
  WP_RETURN_IF_ERROR(KeepCases(flags.filter, record));
  return record;
}

Status CheckFlags(const ReportFlags& flags) {
  if (flags.runs.size() > 1 && flags.output.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "expected --output FOLDER, where the reports on several runs are written");
  }
  std::vector<std::string> known;
  for (const Format& format : AllFormats()) known.emplace_back(format.file);
  for (const std::string& file : flags.files) {
    if (std::find(known.begin(), known.end(), file) != known.end()) continue;
    return Fail(StatusCode::kInvalidArgument, "--format: '{}'{}; expected one of {}", file,
                DidYouMean(file, known), fmt::join(known, ", "));
  }
  return {};
}

ExitCode ReportCommand(const ReportFlags& flags) {
  if (const Status good = CheckFlags(flags); !good.ok()) return Complain("report", good.message());
  const Result<RunRecord> record = RecordOf(flags);
  if (!record.has_value()) return Complain("report", record.error().message());
  const fs::path folder = flags.output.empty() ? fs::path(flags.runs[0]) : fs::path(flags.output);
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Format& format : AllFormats()) {
    const auto& wanted = flags.files;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), format.file) == wanted.end()) {
      continue;
    }
    const fs::path path = folder / format.file;
    std::ofstream file(path, std::ios::binary);
    file << format.render(*record);
    file.close();
    if (!file) {
      return Complain("report", path.string() + ": expected a folder that can be written to");
    }
    fmt::print("{}\n", Escaped(path.string()));
  }
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddReport(CLI::App& command) {
  const auto flags = std::make_shared<ReportFlags>();
  command.add_option("run", flags->runs, "Folders of runs, also of one that was killed")
      ->required();
  command
      .add_option("-o,--output", flags->output,
                  "Folder for the reports (default: that of the run, if it is one)")
      ->type_name("FOLDER");
  command.add_option("--case", flags->filter, "Only these cases")->type_name("PATTERN");
  command.add_option("--format", flags->files, "Only these files, such as report.html")
      ->type_name("FILE")
      ->delimiter(',');
  command.add_flag_callback(
      "--timeline", [flags] { flags->files.emplace_back("report.html"); },
      "The page alone, with the timeline of each attempt that has its recording, also of one that "
      "passed (run --keep all)");
  return [flags] { return ReportCommand(*flags); };
}

}  // namespace watchproof
