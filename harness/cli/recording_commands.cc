// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/recording_commands.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "harness/cli/recordings.h"
#include "harness/history/dump.h"
#include "harness/history/import_report.h"
#include "harness/history/reader.h"
#include "harness/history/recorder.h"
#include "harness/history/watch_filter.h"
#include "harness/report/finding_rows.h"
#include "harness/report/lag_table.h"

namespace watchproof {
namespace {

// A guarantee and a watch: the words of a finding may change, its subject does not.
using Subject = std::pair<std::string, std::string>;

struct Difference {
  std::vector<FindingRecord> fresh;
  std::vector<const FindingRecord*> gone;
};

// The driver adds this one itself, when the target dies; no recording shows it.
bool FromRecording(const FindingRecord& finding) { return finding.watch != "every watch"; }

Difference Compare(const std::vector<FindingRecord>& now,
                   const std::vector<FindingRecord>& before) {
  std::set<Subject> known;
  for (const FindingRecord& finding : before) known.insert({finding.guarantee, finding.watch});
  Difference difference;
  std::set<Subject> present;
  for (const FindingRecord& finding : now) {
    const Subject subject(finding.guarantee, finding.watch);
    present.insert(subject);
    if (!known.contains(subject)) difference.fresh.push_back(finding);
  }
  for (const FindingRecord& finding : before) {
    if (!FromRecording(finding) || present.contains({finding.guarantee, finding.watch})) continue;
    difference.gone.push_back(&finding);
  }
  return difference;
}

void PrintSubject(std::string_view change, const FindingRecord& finding) {
  fmt::print("  {:<5} {}: {}\n", change, finding.guarantee, finding.watch);
}

void PrintRow(std::string_view name, const std::string& text) {
  fmt::print("          {:<10} {}\n", name, text);
}

// The first of each guarantee in full, then a few: the others break the same promise in the same
// way.
void PrintFresh(const std::vector<FindingRecord>& findings, ShowAll all) {
  constexpr std::size_t kShown = 4;
  std::map<std::string, std::size_t> told;  // by guarantee
  for (const FindingRecord& finding : findings) {
    const std::size_t before = told[finding.guarantee]++;
    if (before >= kShown && all == ShowAll::kNo) continue;
    PrintSubject("new", finding);
    if (before == 0) {
      for (const FindingRow& row : FindingRows(finding)) {
        if (row.name != "watch") PrintRow(row.name, row.text);
      }
    } else {
      PrintRow("expected", finding.expected);
      PrintRow("observed", finding.observed);
    }
  }
  for (const auto& [guarantee, count] : told) {
    if (count <= kShown || all == ShowAll::kYes) continue;
    fmt::print("  and   {} of {} more; --all shows them\n", count - kShown, guarantee);
  }
}

void PrintHeading(const FoundRecording& recording, const Rejudged& again,
                  const Difference& difference) {
  const auto& result = recording.result;
  std::string judged;
  if (!result) {
    judged = again.judgement.findings.empty()
                 ? "clean; no earlier verdict beside it"
                 : fmt::format("{} found; no earlier verdict beside it",
                               again.judgement.findings.size());
  } else if (difference.fresh.empty() && difference.gone.empty()) {
    judged = fmt::format("same as before ({}, {} found)", Name(result->verdict),
                         again.judgement.findings.size());
  } else {
    judged = fmt::format("changed (was {}): {} new, {} gone", Name(result->verdict),
                         difference.fresh.size(), difference.gone.size());
  }
  const std::string& named = result ? result->case_name : again.started.case_name;
  const std::string& version = again.started.version;
  fmt::print("{} on {}, attempt {}: {}\n", named.empty() ? recording.file.string() : named,
             result            ? result->target
             : version.empty() ? "an unnamed target"
                               : "version " + version,
             result ? result->attempt : 1, judged);
}

// Whether something was found that had not been known.
Result<bool> Report(const FoundRecording& recording, const Rejudged& again, ShowAll all) {
  const std::vector<FindingRecord> before =
      recording.result ? recording.result->findings : std::vector<FindingRecord>();
  Difference difference = Compare(again.findings, before);
  WP_RETURN_IF_ERROR(QuoteEvidence(recording.file, difference.fresh));
  PrintHeading(recording, again, difference);
  if (!again.cut_off.empty()) {
    fmt::print("  {}; judged up to line {}\n", again.cut_off, again.last.value);
  }
  PrintFresh(difference.fresh, all);
  for (const FindingRecord* finding : difference.gone) {
    PrintSubject("gone", *finding);
    PrintRow("expected", finding->expected);
    PrintRow("observed", finding->observed);
  }
  for (const std::string& reason : again.judgement.undecided) {
    fmt::print("  undecided: {}\n", reason);
  }
  for (const std::string& reason : again.undecided_calls) {
    fmt::print("  undecided beside the watches: {}\n", reason);
  }
  if (again.lag.delivery_us.count() > 0) fmt::print("  {}\n", LagSentence(again.lag));
  return !difference.fresh.empty();
}

ExitCode Complain(std::string_view command, std::string_view text) {
  fmt::print(stderr, "watchproof {}: {}\n", command, text);
  return ExitCode::kUsage;
}

struct WatchName {
  StreamId stream;
  std::uint32_t ordinal = 0;
};

std::optional<WatchName> ParseWatchName(std::string_view text) {
  std::uint32_t numbers[2] = {};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view parts[2] = {text.substr(0, colon), text.substr(colon + 1)};
  for (int i = 0; i < 2; ++i) {
    const char* end = parts[i].data() + parts[i].size();
    const auto [stop, error] = std::from_chars(parts[i].data(), end, numbers[i]);
    if (error != std::errc() || stop != end) return std::nullopt;
  }
  return WatchName{StreamId(numbers[0]), numbers[1]};
}

// The one recording that is meant.
Result<std::filesystem::path> OneRecording(const std::string& given) {
  WP_ASSIGN_OR_RETURN(const auto found, FindRecordings(given));
  if (found.size() == 1) return found[0].file;
  return Fail(StatusCode::kInvalidArgument, "{}: {} recordings in it; name one, such as {}", given,
              found.size(), found[0].file.string());
}

}  // namespace

ExitCode CheckCommand(const std::vector<std::string>& runs, ShowAll all) {
  std::vector<FoundRecording> recordings;
  for (const std::string& run : runs) {
    auto found = FindRecordings(run);
    if (!found.has_value()) return Complain("check", found.error().ToString());
    recordings.insert(recordings.end(), found->begin(), found->end());
  }
  ExitCode code = ExitCode::kOk;
  for (const FoundRecording& recording : recordings) {
    const auto again = JudgeRecording(recording.file);
    if (!again.has_value()) return Complain("check", again.error().ToString());
    const auto fresh = Report(recording, *again, all);
    if (!fresh.has_value()) return Complain("check", fresh.error().ToString());
    if (*fresh) code = ExitCode::kFailed;
  }
  return code;
}

ExitCode HistoryDumpCommand(const HistoryFlags& flags) {
  constexpr std::string_view kCommand = "history dump";
  std::optional<WatchFilter> filter;
  if (!flags.watch.empty()) {
    const auto name = ParseWatchName(flags.watch);
    if (!name) {
      return Complain(kCommand,
                      fmt::format("--watch: '{}' is not STREAM:NUMBER, such as 1:0", flags.watch));
    }
    filter.emplace(name->stream, name->ordinal);
  }
  const auto file = OneRecording(flags.recording);
  if (!file.has_value()) return Complain(kCommand, file.error().ToString());
  const auto reader = HistoryReader::Open(*file);
  if (!reader.has_value()) return Complain(kCommand, reader.error().ToString());
  while (true) {
    const auto line = (*reader)->Next();
    if (!line.has_value()) return Complain(kCommand, line.error().ToString());
    if (!line->has_value()) break;
    if (!filter || filter->Concerns(**line)) fmt::print("{}\n", DumpLine(**line));
  }
  if ((*reader)->truncated()) {
    fmt::print(stderr, "watchproof {}: {} is cut off; this was its last whole line\n", kCommand,
               file->string());
  }
  if (filter && !filter->found()) {
    return Complain(kCommand,
                    fmt::format("--watch: no watch {} in {}", flags.watch, file->string()));
  }
  return ExitCode::kOk;
}

ExitCode HistoryImportCommand(const ImportFlags& flags) {
  constexpr std::string_view kCommand = "history import";
  const auto reports = ReadClientReports(flags.reports);
  if (!reports.has_value()) return Complain(kCommand, reports.error().message());
  const auto recorder = Recorder::Open({.file = flags.recording, .follow = false});
  if (!recorder.has_value()) return Complain(kCommand, recorder.error().ToString());
  bool whole = true;
  for (Entry& entry : EntriesOf(*reports)) whole = (*recorder)->Append(std::move(entry)) && whole;
  const Status closed = (*recorder)->Close();
  if (!closed.ok()) return Complain(kCommand, closed.ToString());
  if (!whole) return Complain(kCommand, flags.recording + ": could not be written whole");
  std::size_t calls = 0;
  std::size_t watches = 0;
  for (const ClientReport& report : *reports) {
    calls += report.calls.size();
    watches += report.watches.size();
  }
  fmt::print(
      "{} calls and {} watches of {} clients are in {}\njudge them with: watchproof check {}\n",
      calls, watches, reports->size(), flags.recording, flags.recording);
  return ExitCode::kOk;
}

}  // namespace watchproof
