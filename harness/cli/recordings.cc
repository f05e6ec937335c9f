// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/recordings.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "harness/cli/selection.h"
#include "harness/history/reader.h"
#include "harness/results/result_line.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecording = "history.wire.zst";
constexpr std::string_view kResults = "results.jsonl";

// The results of runs, by the folder of the attempt; each file is read once.
class Results {
 public:
  std::optional<AttemptResult> Of(const fs::path& recording) {
    std::error_code ignored;
    const fs::path attempt = fs::weakly_canonical(recording, ignored).parent_path();
    for (fs::path run = attempt; run.has_relative_path(); run = run.parent_path()) {
      if (!fs::exists(run / kResults, ignored)) continue;
      const auto& known = Read(run);
      const auto found = known.find(attempt.lexically_relative(run).string());
      if (found != known.end()) return found->second;
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  using ByFolder = std::map<std::string, AttemptResult>;

  const ByFolder& Read(const fs::path& run) {
    const auto [entry, is_new] = by_run_.try_emplace(run);
    if (!is_new) return entry->second;
    std::ifstream file(run / kResults);
    for (std::string line; std::getline(file, line);) {
      // A run that was killed may leave half a line.
      if (auto result = ReadResultsLine(line, run); result.has_value()) {
        const auto [known, is_first] = entry->second.try_emplace(result->folder, *result);
        // That on the consumer of the same attempt.
        if (!is_first) {
          auto& findings = known->second.findings;
          findings.insert(findings.end(), result->findings.begin(), result->findings.end());
          if (result->verdict == Verdict::kFail) known->second.verdict = Verdict::kFail;
        }
      }
    }
    return entry->second;
  }

  std::map<fs::path, ByFolder> by_run_;
};

}  // namespace

Result<std::vector<FoundRecording>> FindRecordings(const fs::path& given) {
  std::error_code error;
  std::vector<fs::path> files;
  if (!fs::exists(given, error)) {
    return Fail(StatusCode::kNotFound, "{}: there is no such file or folder", given.string());
  }
  if (!fs::is_directory(given, error)) {
    files.push_back(given);
  } else {
    for (fs::recursive_directory_iterator at(given, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().filename() == kRecording) files.push_back(at->path());
      // The first of a folder with segments stands for all of them.
      const bool segment = SegmentNumber(at->path()).has_value();
      const fs::path folder = at->path().parent_path();
      if (segment && std::find(files.begin(), files.end(), folder) == files.end()) {
        files.push_back(folder);
      }
    }
    if (error) return Fail(StatusCode::kUnavailable, "{}: {}", given.string(), error.message());
  }
  if (files.empty()) {
    return Fail(
        StatusCode::kNotFound,
        "{}: no recording ({}) in it; `run --keep all` also keeps those of passing attempts",
        given.string(), kRecording);
  }
  std::sort(files.begin(), files.end());
  Results results;
  std::vector<FoundRecording> found;
  for (const fs::path& file : files) found.push_back({file, results.Of(file)});
  return found;
}

std::vector<AttemptResult> FailedAttempts(const fs::path& run, const std::string& filter,
                                          const std::string& target) {
  std::vector<AttemptResult> failed;
  std::ifstream file(run / kResults);
  for (std::string line; std::getline(file, line);) {
    auto result = ReadResultsLine(line, run);
    if (!result.has_value() || result->verdict != Verdict::kFail) continue;
    if (!target.empty() && result->target != target) continue;
    if (!filter.empty() && !MatchesFilter(filter, result->case_name)) continue;
    failed.push_back(*std::move(result));
  }
  return failed;
}

Result<Rejudged> JudgeRecording(const fs::path& file) {
  FaultTimes faults;
  ConsumerJudge consumer;
  WP_ASSIGN_OR_RETURN(JudgedRecording judged, JudgeFile(file, [&](const NumberedEntry& line) {
                        faults.Consume(line.entry);
                        consumer.Consume(line);
                      }));
  std::vector<FindingRecord> findings =
      RecordsOf(judged.judgement.findings, faults.receipts(), CarrierOf(judged.started));
  const auto more = RecordsOf(consumer.Finish(), findings, faults.receipts());
  findings.insert(findings.end(), more.begin(), more.end());
  return Rejudged{std::move(judged), std::move(findings)};
}

}  // namespace watchproof
