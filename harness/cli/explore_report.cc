// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explore_report.h"

#include <fmt/format.h>

#include "harness/bugs/answer_key.h"
#include "harness/cli/explore_options.h"
#include "harness/explore/live/go_program.h"
#include "harness/history/reader.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

Result<std::vector<NumberedEntry>> Recorded(const fs::path& recording) {
  std::vector<NumberedEntry> lines;
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(recording));
  WP_RETURN_IF_ERROR(reader->Each([&lines](const NumberedEntry& line) {
    lines.push_back(line);
    return true;
  }));
  return lines;
}

// The bug, if it looks like a known one.
std::string TitleOf(const Finding& broken) {
  const auto& signatures = AnswerKey::BuiltIn().signatures();
  const auto known = signatures.find(broken.signature);
  if (known != signatures.end()) return known->second.title;
  return fmt::format("{}: expected {}", Name(broken.guarantee), broken.expected);
}

std::string ServerFlags(const explore::Server& server) {
  std::string flags;
  if (server.unsynced) flags += " and --unsafe-no-fsync";
  if (server.progress_ms > 0) {
    flags += fmt::format(" and --watch-progress-notify-interval={}ms", server.progress_ms);
  }
  if (server.snapshot_count > 0) {
    flags += fmt::format(" and --snapshot-count={}", server.snapshot_count);
  }
  if (server.compaction_batch > 0) {
    flags += fmt::format(" and --compaction-batch-limit={}", server.compaction_batch);
  }
  return flags;
}

std::string ReportText(const ExploreReport& report, const std::string& attached,
                       const std::vector<NumberedEntry>& lines) {
  const Finding& broken = report.broken;
  std::string text =
      fmt::format("# {}: {}\n\nExpected: {}\n\nObserved: {}\n\nOf: {}\n\n", report.target,
                  TitleOf(broken), broken.expected, broken.observed, broken.watch);
  text += fmt::format("What is documented: {} {}\n\n", Contract::BuiltIn().Get(broken.clause).says,
                      Explain(broken.guarantee));
  if (lines.empty()) {
    return text + "It did not show again when the script ran alone, so there is no program.\n";
  }
  const explore::Sought sought = explore::SoughtOf(lines, broken);
  const std::string asked = explore::PromiseAskedFor(lines, sought);
  if (!asked.empty()) text += fmt::format("It showed when this was asked: {}.\n\n", asked);
  if (report.shown.trials > 0) {
    text += fmt::format("The script alone showed it {} of {} times, each on a fresh server.\n\n",
                        report.shown.hits, report.shown.trials);
  }
  text += fmt::format(
      "Lines are those of {0}, the recording: `watchproof check {0}` judges it.\n\n", attached);
  if (!report.instead.empty()) {
    for (const std::string& crash : report.crashes) {
      text += fmt::format("The server was killed {}; then it was started again.\n\n", crash);
    }
    return text + fmt::format("{} The steps:\n\n```\n{}\n```\n", report.instead,
                              fmt::join(report.steps, "\n"));
  }
  text += fmt::format(
      "Start one member with its default flags{} and an empty data directory, and run this "
      "program. It prints every message, what is expected, and at last SHOWN or NOT SHOWN.\n\n"
      "    go mod init report && go mod tidy && go run . 127.0.0.1:2379\n\n"
      "The program shows it: not checked yet (ci/jobs/reports.py)\n\n",
      ServerFlags(report.server));
  return text + "```go\n" + explore::GoProgram(lines, broken, sought) + "```\n";
}

}  // namespace

fs::path RecordingOf(const fs::path& report) {
  return fs::path(report).replace_extension(".wire.zst");
}

Status WriteReport(const fs::path& file, const ExploreReport& report) {
  const fs::path attached = RecordingOf(file);
  std::vector<NumberedEntry> lines;
  if (!report.recording.empty()) {
    WP_ASSIGN_OR_RETURN(lines, Recorded(report.recording));
    std::error_code error;
    if (report.recording != attached) {
      fs::copy_file(report.recording, attached, fs::copy_options::overwrite_existing, error);
    }
    if (error) return Fail(StatusCode::kUnavailable, "{}: {}", attached.string(), error.message());
  }
  return WriteText(file, ReportText(report, attached.filename().string(), lines));
}

}  // namespace watchproof
