// SPDX-License-Identifier: Apache-2.0
// `report`: the reports of a run again, or of several runs as one; and shards as the run that they
// are parts of.
#include <algorithm>
#include <fstream>
#include <set>
#include <utility>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/history/packed_text_file.h"
#include "harness/report/database.h"
#include "harness/report/formats.h"
#include "harness/report/last_screen.h"
#include "harness/report/run_json.h"
#include "harness/report/saved_run.h"
#include "harness/report/terminal.h"
#include "harness/results/result_line.h"
#include "harness/runs/console.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_folder.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> runs;
  std::string output;
  std::string filter;
  std::vector<std::string> files;
  bool merge = false;
};

Result<RunRecord> RecordOf(const ReportFlags& flags) {
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns(flags.runs));
  const bool one = runs.size() == 1 && flags.output.empty();
  RunRecord record = one ? std::move(runs.front()) : Joined(std::move(runs), flags.output);
  WP_RETURN_IF_ERROR(KeepCases(flags.filter, record));
  return record;
}

Status CheckFlags(const ReportFlags& flags) {
  if ((flags.runs.size() > 1 || flags.merge) && flags.output.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "expected --output FOLDER, where the reports on several runs are written");
  }
  std::error_code error;
  if (flags.merge && fs::exists(fs::path(flags.output) / "run.json", error)) {
    return Fail(StatusCode::kInvalidArgument,
                "--output {}: there is a run in it; expected another folder", flags.output);
  }
  std::vector<std::string> known;
  for (const Format& format : AllFormats()) known.emplace_back(format.file);
  for (const std::string& file : flags.files) {
    if (Contains(known, file)) continue;
    return Fail(StatusCode::kInvalidArgument, "--format: '{}'{}; expected one of {}", file,
                DidYouMean(file, known), fmt::join(known, ", "));
  }
  return {};
}

Status WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return Fail(StatusCode::kUnavailable, "{}: expected a folder that can be written to",
              path.string());
}

Status WriteFormats(const ReportFlags& flags, const RunRecord& record, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const Format& format : AllFormats()) {
    const auto& wanted = flags.files;
    if (!wanted.empty() && !Contains(wanted, format.file)) {
      continue;
    }
    WP_RETURN_IF_ERROR(WriteFile(folder / format.file, format.render(record)));
    fmt::print("{}\n", Escaped((folder / format.file).string()));
  }
  return {};
}

// The run itself, a folder of runs, or a folder of such folders: one for each shard.
std::vector<std::string> RunsBelow(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "run.json", error)) return {folder.string()};
  std::vector<fs::path> runs = RunsIn(folder);
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_symlink() || !entry.is_directory()) continue;
    const std::vector<fs::path> inner = RunsIn(entry.path());
    runs.insert(runs.end(), inner.begin(), inner.end());
  }
  return {runs.begin(), runs.end()};
}

Result<std::vector<RunRecord>> ReadShards(const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  std::set<fs::path> seen;
  for (const std::string& folder : folders) {
    const std::vector<std::string> runs = RunsBelow(folder);
    if (runs.empty()) {
      return Fail(StatusCode::kInvalidArgument, "{}: expected a run, or a folder with runs",
                  folder);
    }
    for (const std::string& run : runs) {
      std::error_code error;
      if (seen.insert(fs::canonical(run, error)).second) all.push_back(run);
    }
  }
  std::vector<RunRecord> runs;
  for (const std::string& folder : all) {
    // Not held, unlike by other commands: a thousand would be too many open files.
    WP_ASSIGN_OR_RETURN(RunRecord run, ReadRun(folder, DescribeCase));
    if (run.interrupted == "killed" && IsUnderWay(folder)) run.interrupted = "under way";
    runs.push_back(std::move(run));
  }
  return runs;
}

// What makes a folder that of a run: other commands read it like any other.
Status WriteRun(const std::vector<fs::path>& shards, const RunRecord& all, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::string lines;
  for (const AttemptSummary& attempt : all.attempts) lines += ToResultsLine(attempt.result) + "\n";
  WP_RETURN_IF_ERROR(WriteFile(folder / "results.jsonl", lines));
  const fs::path plans = folder / "plan.jsonl.zst";
  fs::remove(plans, error);
  WP_RETURN_IF_ERROR(AppendPacked(plans, ToPlanHeader(all) + "\n"));
  for (const fs::path& shard : shards) {
    Status copied;
    bool header = true;
    const auto copy = [&](std::string_view part) {
      if (!std::exchange(header, false)) copied = AppendPacked(plans, part);
      return copied.ok();
    };
    // A shard that was killed at its very beginning has none.
    if (!fs::exists(shard / "plan.jsonl.zst", error)) continue;
    const auto read = VisitPacked(shard / "plan.jsonl.zst", copy);
    if (!read.has_value()) return read.error();
    WP_RETURN_IF_ERROR(copied);
  }
  // So that the path has a last component.
  const fs::path whole = fs::weakly_canonical(folder);
  return AddToDatabase(whole.parent_path(), whole.filename().string());
}

Result<ExitCode> Merge(const ReportFlags& flags) {
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> shards, ReadShards(flags.runs));
  std::vector<fs::path> folders;
  for (const RunRecord& shard : shards) folders.emplace_back(shard.folder);
  WP_ASSIGN_OR_RETURN(RunRecord all, JoinShards(std::move(shards),
                                                fs::weakly_canonical(flags.output), DescribeCase));
  const Strict strict = all.flags.contains("--no-strict") ? Strict::kNo : Strict::kYes;
  const ExitCode code = Decide(all, strict);
  all.exit_code = static_cast<int>(code);
  WP_RETURN_IF_ERROR(WriteRun(folders, all, flags.output));
  // The last file: what is there without it can be merged again.
  const std::string run = ToRunJson(all, Finished::kYes);
  WP_RETURN_IF_ERROR(KeepCases(flags.filter, all));
  WP_RETURN_IF_ERROR(WriteFormats(flags, all, flags.output));
  WP_RETURN_IF_ERROR(WriteFile(fs::path(flags.output) / "run.json", run));
  fmt::print("{}", LastScreen(all, DetectStyle(When::kAuto)));
  return code;
}

CommandEnd ReportCommand(const ReportFlags& flags) {
  WP_RETURN_IF_ERROR(CheckFlags(flags));
  if (flags.merge) {
    const Result<ExitCode> merged = Merge(flags);
    return merged.has_value() ? *merged : Complain("report --merge", merged.error().message());
  }
  WP_ASSIGN_OR_RETURN(const RunRecord record, RecordOf(flags));
  WP_RETURN_IF_ERROR(
      WriteFormats(flags, record, flags.output.empty() ? flags.runs[0] : flags.output));
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddReport(const Command& command) {
  const auto flags = std::make_shared<ReportFlags>();
  command.Run("run", flags->runs, "Runs, also one that was killed")->required();
  command.Value("-o,--output", flags->output, "FOLDER",
                "Folder for the reports (default: that of the run, if it is one)");
  command.Switch(
      "--merge", flags->merge,
      "The runs are shards of one, or folders with such runs: join them into a run in FOLDER, name "
      "those that are missing, ran twice or were killed, and exit as that run would have");
  command.Value("--case", flags->filter, "PATTERN", "Only these cases");
  command.Value("--format", flags->files, "FILE", "Only these files, such as report.html")
      ->delimiter(',');
  command.parser.add_flag_callback(
      "--timeline", [flags] { flags->files.emplace_back("report.html"); },
      "The page alone, with the timeline of each attempt that has its recording, also of one that "
      "passed (run --keep all)");
  return [flags] { return ReportCommand(*flags); };
}

}  // namespace watchproof
