// SPDX-License-Identifier: Apache-2.0
// `runs`: the runs of a folder, and fewer of them.

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/report/saved_run.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/runs/run.h"
#include "harness/runs/run_folder.h"

namespace watchproof {
namespace {

struct RunsFlags {
  std::vector<std::string> runs;  // empty: all
  std::string run_dir = "watchproof-runs";
  std::string keep_runs;
  bool failed = false;
  bool json = false;
};

std::string SizeText(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

std::string TargetsText(const RunListing& run) {
  if (run.targets.empty()) return "none";
  std::string text = Shorten(Escaped(run.targets.front()), 40, Charset::kAscii);
  if (run.targets.size() > 1) text += fmt::format(" and {} more", run.targets.size() - 1);
  return text;
}

std::string RunText(const RunListing& run, const std::string& shown) {
  std::string text = fmt::format("{}\n  {}, {}, {}: {}\n", run.id, run.started, TargetsText(run),
                                 SizeText(run.bytes), CountsText(run.tally));
  if (!run.rerun_of.empty()) text += fmt::format("  failures of {} again\n", run.rerun_of);
  if (run.ending == "finished") return text;
  text += fmt::format("  {}", run.ending);
  if (run.ending == "under way") return text + "\n";
  return text + fmt::format("; watchproof run --resume {} goes on with it\n", Escaped(shown));
}

CommandEnd RunsCommand(const RunsFlags& flags) {
  SweepDeadRuns(flags.run_dir);
  if (!flags.keep_runs.empty()) {
    WP_ASSIGN_OR_RETURN(const int keep, InContext("--keep-runs", ParseCount(flags.keep_runs, 0)));
    RemoveOldRuns(flags.run_dir, keep, flags.failed ? PruneFailed::kYes : PruneFailed::kNo);
  }
  if (std::error_code error; !std::filesystem::is_directory(flags.run_dir, error)) {
    return Fail(StatusCode::kNotFound, "--run-dir {}: expected a folder with runs", flags.run_dir);
  }
  std::vector<std::filesystem::path> folders;
  for (const std::string& name : flags.runs) {
    WP_ASSIGN_OR_RETURN(const std::string found, FindRun(name, flags.run_dir));
    folders.emplace_back(found);
  }
  if (flags.runs.empty()) folders = RunsIn(flags.run_dir);
  std::uint64_t bytes = 0;
  std::size_t listed = 0;
  for (const std::filesystem::path& folder : folders) {
    Result<RunListing> run = ListRun(folder);
    if (!run.has_value()) {
      Complain("runs", run.error().message());
      continue;
    }
    if (IsUnderWay(folder)) run->ending = "under way";
    fmt::print("{}", flags.json ? ToJson(*run) + "\n" : RunText(*run, folder.string()));
    bytes += run->bytes;
    ++listed;
  }
  if (!flags.json) {
    fmt::print("{} in {}, {}\n", Count(listed, "run"), Escaped(flags.run_dir), SizeText(bytes));
  }
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddRuns(const Command& command) {
  const auto flags = std::make_shared<RunsFlags>();
  command.Value("run", flags->runs, "RUN", "Only these (default: all)");
  command.Value("--run-dir", flags->run_dir, "DIR", "Folder for the folders of runs")
      ->envname("WATCHPROOF_RUN_DIR");
  command.Value(
      "--keep-runs", flags->keep_runs, "N",
      "First remove all but the last N without new failures; 0: none. What is in use, and "
      "what shows new failures, stays");
  command.Switch("--failed", flags->failed,
                 "With --keep-runs: runs with new failures count, and go, like others");
  command.Switch("--json", flags->json, "One JSON document per run");
  return [flags] { return RunsCommand(*flags); };
}

}  // namespace watchproof
