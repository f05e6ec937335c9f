// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/recordings.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "cases/support/case_registry.h"
#include "harness/history/reader.h"
#include "harness/report/saved_run.h"
#include "harness/report/text.h"
#include "harness/results/result_line.h"
#include "harness/runs/parse.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/selection.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecording = "history.wire.zst";
constexpr std::string_view kResults = "results.jsonl";

struct ResultsLine {
  std::string text;
  BriefResult brief;
};
// Those of results.jsonl that can be read: a run that was killed may leave half a line.
std::vector<ResultsLine> LinesOf(const fs::path& run) {
  std::vector<ResultsLine> lines;
  std::ifstream file(run / kResults);
  for (std::string text; std::getline(file, text);) {
    auto brief = ReadBriefly(text, run);
    if (brief.has_value()) lines.push_back({std::move(text), *std::move(brief)});
  }
  return lines;
}

// The results of runs, by the folder of the attempt; each results.jsonl is read once.
class Results {
 public:
  std::optional<AttemptResult> Of(const fs::path& recording, const RecordingFilter& filter) {
    std::error_code ignored;
    const fs::path attempt = fs::weakly_canonical(recording, ignored).parent_path();
    for (fs::path run = attempt; run.has_relative_path(); run = run.parent_path()) {
      if (!fs::exists(run / kResults, ignored)) continue;
      const auto& known = Read(run);
      const auto found = known.find(attempt.lexically_relative(run).string());
      if (found == known.end() || !Fits(found->second.front().brief.result, filter)) break;
      return Together(found->second, run);
    }
    return std::nullopt;
  }

 private:
  // With that on the consumer of the same attempt.
  using ByFolder = std::map<std::string, std::vector<ResultsLine>>;

  static bool Fits(const AttemptResult& result, const RecordingFilter& filter) {
    return (filter.case_name.empty() || result.case_name == filter.case_name) &&
           (filter.target.empty() || result.target == filter.target);
  }

  static std::optional<AttemptResult> Together(const std::vector<ResultsLine>& lines,
                                               const fs::path& run) {
    std::optional<AttemptResult> whole;
    for (const ResultsLine& line : lines) {
      auto result = ReadResultsLine(line.text, run);
      if (!result.has_value()) continue;
      if (!whole) {
        whole = *std::move(result);
        continue;
      }
      whole->findings.insert(whole->findings.end(), result->findings.begin(),
                             result->findings.end());
      if (result->verdict == Verdict::kFail) whole->verdict = Verdict::kFail;
    }
    return whole;
  }

  const ByFolder& Read(const fs::path& run) {
    const auto [entry, is_new] = by_run_.try_emplace(run);
    if (!is_new) return entry->second;
    for (ResultsLine& line : LinesOf(run)) {
      entry->second[line.brief.result.folder].push_back(std::move(line));
    }
    return entry->second;
  }

  std::map<fs::path, ByFolder> by_run_;
};

// The argument: a folder and, after a #, the number of a finding in it.
struct Named {
  fs::path run;
  std::optional<int> finding;  // from 1
};
Result<Named> ParseNamed(const std::string& text) {
  const RunAndFinding given = SplitFinding(text);
  Named named{.run = given.run};
  std::error_code ignored;
  if (!given.finding.empty()) {
    const auto number = ParseCount(given.finding.substr(1), 1);
    if (!number.has_value()) {
      return Fail(StatusCode::kInvalidArgument, "{}: expected FOLDER#N, the N-th finding of a run",
                  text);
    }
    named.finding = *number;
  }
  if (!fs::exists(named.run / "results.jsonl", ignored) ||
      !fs::exists(named.run / "run.json", ignored)) {
    return Fail(StatusCode::kNotFound,
                "{}: expected the folder of a run, with run.json and results.jsonl",
                named.run.string());
  }
  named.run = fs::canonical(named.run, ignored);
  HoldRun(named.run);
  return named;
}

// The failed attempts of a run. Empty texts let every case and target through.
std::vector<ResultsLine> FailedLines(const fs::path& run, const std::string& filter,
                                     const std::string& target) {
  std::vector<ResultsLine> failed;
  std::map<std::string, std::string> case_of;  // by folder
  for (ResultsLine& line : LinesOf(run)) {
    AttemptResult& result = line.brief.result;
    // A standing promise is asked for by the case of the attempt.
    result.case_name = case_of.try_emplace(result.folder, result.case_name).first->second;
    if (result.verdict != Verdict::kFail) continue;
    if (!target.empty() && result.target != target) continue;
    if (!filter.empty() && !MatchesFilter(filter, result.case_name)) continue;
    failed.push_back(std::move(line));
  }
  return failed;
}

// With every finding.
Result<AttemptResult> Whole(const ResultsLine& line, const fs::path& run) {
  WP_ASSIGN_OR_RETURN(AttemptResult result, ReadResultsLine(line.text, run));
  result.case_name = line.brief.result.case_name;
  return result;
}

Result<ChosenFinding> FindingOf(const fs::path& run, const ResultsLine& line, std::size_t index) {
  WP_ASSIGN_OR_RETURN(AttemptResult attempt, Whole(line, run));
  if (attempt.findings.empty()) return ChosenFinding{run, std::move(attempt), {}};
  if (index < attempt.findings.size()) {
    FindingRecord finding = attempt.findings[index];
    return ChosenFinding{run, std::move(attempt), std::move(finding)};
  }
  return Fail(StatusCode::kDataLoss, "{}: expected {} findings",
              (run / attempt.folder / "findings.json").string(), line.brief.findings);
}

constexpr std::size_t kMostLosses = 5;

std::string Received(const Coverage& seen) {
  return fmt::format(
      "{} watch{} of clients received {}, {} ErrCompacted; {} seen in all, {} of them by more than "
      "one watch or writer",
      seen.watches, seen.watches == 1 ? "" : "es", Count(seen.events, "event"),
      WithThousands(static_cast<std::int64_t>(seen.notices)), Count(seen.changes, "change"),
      WithThousands(static_cast<std::int64_t>(seen.confirmed)));
}

std::string ControlWatch(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  if (seen.control_watches == 0) {
    return "not seen: what others wrote and no watch received; --control-watch would show it";
  }
  std::string line = fmt::format("control watch over {}: {}", judged.started.control_watch,
                                 Count(seen.control_events, "event"));
  if (seen.control_watches > 1) {
    line += fmt::format("; it was opened {} times", seen.control_watches);
  }
  return line;
}

}  // namespace

Result<std::vector<FoundRecording>> FindRecordings(const fs::path& given,
                                                   const RecordingFilter& filter) {
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
      if (segment && !Contains(files, folder)) {
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
  std::ranges::sort(files);
  Results results;
  std::vector<FoundRecording> found;
  const bool any = filter.case_name.empty() && filter.target.empty();
  for (const fs::path& file : files) {
    auto result = results.Of(file, filter);
    if (any || result) found.push_back({file, std::move(result)});
  }
  if (!found.empty()) return found;
  return Fail(StatusCode::kNotFound,
              "{}: no recording of {}{}{} in it; `run --keep all` also keeps those of passing "
              "attempts",
              given.string(), filter.case_name.empty() ? "any case" : filter.case_name,
              filter.target.empty() ? "" : " on ", filter.target);
}

std::vector<AttemptResult> FailedAttempts(const fs::path& run, const std::string& filter,
                                          const std::string& target) {
  std::vector<AttemptResult> failed;
  for (const ResultsLine& line : FailedLines(run, filter, target)) {
    if (auto result = Whole(line, run); result.has_value()) failed.push_back(*std::move(result));
  }
  return failed;
}

Result<ChosenFinding> ChooseFinding(const FindingRequest& request) {
  WP_ASSIGN_OR_RETURN(const Named named, ParseNamed(request.run));
  const std::vector<ResultsLine> failed = FailedLines(named.run, request.filter, request.target);
  if (failed.empty()) {
    return Fail(StatusCode::kNotFound, "{}: no attempt failed{}{}", request.run,
                request.filter.empty() ? "" : " that matches " + request.filter,
                request.target.empty() ? "" : " on " + request.target);
  }
  if (!named.finding) {
    const auto known = [](const ResultsLine& line) { return line.brief.result.known; };
    const auto fresh = std::ranges::find(failed, false, known);
    return FindingOf(named.run, fresh == failed.end() ? failed.front() : *fresh, 0);
  }
  const auto number = static_cast<std::size_t>(*named.finding);
  std::size_t before = 0;
  for (const ResultsLine& line : failed) {
    const std::size_t findings = std::max<std::size_t>(1, line.brief.findings);
    if (number <= before + findings) return FindingOf(named.run, line, number - before - 1);
    before += findings;
  }
  return Fail(StatusCode::kNotFound, "{}: there is no finding {}; there are {}", request.run,
              number, before);
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

std::vector<std::string> CoverageLines(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  std::vector<std::string> lines = {Received(seen), ControlWatch(judged)};
  if (judged.started.segment > 1) {
    lines.push_back(fmt::format(
        "not seen: {} before this one",
        Count(static_cast<std::uint64_t>(judged.started.segment - 1), "dropped segment")));
  }
  if (seen.restated > 0) {
    lines.push_back(
        fmt::format("{} began before the recording, and judged from where it begins",
                    seen.restated == 1 ? "1 watch" : fmt::format("{} watches", seen.restated)));
  }
  for (std::size_t i = 0; i < std::min(seen.lost.size(), kMostLosses); ++i) {
    const NotRecorded& part = seen.lost[i];
    lines.push_back(fmt::format(
        "not recorded{}: {}: {}{}", part.foreign ? "" : " any further", part.what, part.why,
        part.streams > 0 ? fmt::format(", with {} open watch streams", part.streams) : ""));
  }
  if (seen.lost.size() > kMostLosses) {
    lines.push_back(fmt::format("not recorded: {} more", seen.lost.size() - kMostLosses));
  }
  if (judged.started.hashed_values) lines.push_back("values are hashes: equal ones stay equal");
  if (!judged.cut_off.empty()) lines.push_back(judged.cut_off);
  return lines;
}

std::string WhyNothingIsProven(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  if (!judged.cut_off.empty() && !judged.unfinished) return judged.cut_off;
  if (seen.clusters.size() > 1) return "it has answers of several clusters";
  if (seen.watches == 0) return "there is no watch in it";
  if (seen.events + seen.notices + seen.progress == 0) return "no watch in it received anything";
  const bool lost = Contains(seen.lost, false, &NotRecorded::foreign);
  return lost ? "nothing found, but a part of what passed was not recorded" : "";
}

std::string WhyInconclusive(const std::optional<AttemptResult>& result, const Rejudged& again) {
  if (again.coverage) return again.findings.empty() ? WhyNothingIsProven(again) : "";
  if (!again.cut_off.empty()) return again.cut_off;
  if (!again.findings.empty()) return "";
  if (again.watches == 0) return "there is no watch in it";
  // Undecided calls never change a verdict, which is about watches.
  const bool calls = !result && !again.judgement.calls.undecided.empty();
  if (again.judgement.undecided.empty() && !calls) return "";
  if (result && result->verdict == Verdict::kInconclusive) return "";
  return "nothing found, but not everything could be decided";
}

CaseSummary DescribeCase(const std::string& name) {
  const CaseInfo* info = FindCase(name);
  if (info == nullptr) return {.name = name, .requirement = {}, .level = {}, .file = {}};
  return {.name = info->name,
          .requirement = info->requirement,
          .level = std::string(Name(info->level)),
          .file = info->file,
          .line = info->line};
}

Result<std::vector<RunRecord>> ReadRuns(const std::vector<std::string>& folders) {
  std::vector<RunRecord> runs;
  for (const std::string& folder : folders) {
    HoldRun(folder);
    WP_ASSIGN_OR_RETURN(RunRecord run, ReadRun(folder, DescribeCase));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<RepeatSummary> HowToRepeat(const std::filesystem::path& run) {
  const std::filesystem::path path = run / "run.json";
  std::ifstream file(path);
  auto summary = ParseRepeatSummary({std::istreambuf_iterator<char>(file), {}});
  if (!summary.has_value()) return std::move(summary).error().WithContext("{}", path.string());
  return summary;
}

std::string FromAnyFolder(const std::string& executable) {
  if (executable.find('/') == std::string::npos) return executable;
  return std::filesystem::absolute(executable).lexically_normal().string();
}

Status KeepCases(const std::string& pattern, RunRecord& record) {
  if (pattern.empty()) return {};
  const auto other = [&](const std::string& name) { return !MatchesFilter(pattern, name); };
  std::erase_if(record.cases, [&](const CaseSummary& one) { return other(one.name); });
  std::erase_if(record.attempts,
                [&](const AttemptSummary& one) { return other(one.result.case_name); });
  std::erase_if(record.not_run, [&](const NotRun& one) { return other(one.case_name); });
  if (!record.cases.empty()) return {};
  return Fail(StatusCode::kNotFound, "--case: no case of the run matches '{}'", pattern);
}

}  // namespace watchproof
