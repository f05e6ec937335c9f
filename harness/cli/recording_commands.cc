// SPDX-License-Identifier: Apache-2.0
// `check`, `history dump` and `history import`: judge, print and import recordings.
#include <charconv>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "harness/base/escape.h"
#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/cli/commands.h"
#include "harness/history/dump.h"
#include "harness/history/reader.h"
#include "harness/history/recorder.h"
#include "harness/import/client_report.h"
#include "harness/report/checked.h"
#include "harness/report/lag_table.h"
#include "harness/report/rows.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

struct JudgeFlags {
  std::vector<std::string> runs;
  bool all = false;  // otherwise only a few of many findings of one guarantee are shown
  bool json = false;
};

// A guarantee and a watch: the text of a finding may change, its subject does not.
using FindingKey = std::pair<std::string, std::string>;

struct Difference {
  std::vector<FindingRecord> fresh;
  std::vector<const FindingRecord*> gone;
  std::size_t reworded = 0;  // of the same subject, with other text or evidence
};

bool SaysTheSame(const FindingRecord& now, const FindingRecord& before) {
  return now.expected == before.expected && now.observed == before.observed &&
         now.signature == before.signature && now.impact == before.impact &&
         now.level == before.level && now.meanwhile == before.meanwhile &&
         now.evidence == before.evidence;
}

Difference Compare(const std::vector<FindingRecord>& now,
                   const std::vector<FindingRecord>& before) {
  // A subject may have several.
  std::map<FindingKey, std::vector<const FindingRecord*>> known;
  for (const FindingRecord& finding : before) {
    known[{finding.guarantee, finding.watch}].push_back(&finding);
  }
  Difference difference;
  std::set<FindingKey> present;
  for (const FindingRecord& finding : now) {
    const FindingKey subject(finding.guarantee, finding.watch);
    present.insert(subject);
    const auto match = known.find(subject);
    if (match == known.end()) {
      difference.fresh.push_back(finding);
    } else if (std::ranges::none_of(match->second, [&finding](const FindingRecord* old) {
                 return SaysTheSame(finding, *old);
               })) {
      ++difference.reworded;
    }
  }
  for (const FindingRecord& finding : before) {
    if (present.contains({finding.guarantee, finding.watch})) continue;
    difference.gone.push_back(&finding);
  }
  return difference;
}

void PrintSubject(std::string_view change, const FindingRecord& finding) {
  fmt::print("  {:<5} {}: {}\n", change, Escaped(finding.guarantee), Escaped(finding.watch));
}

void PrintRow(std::string_view name, const std::string& text) {
  fmt::print("          {:<10} {}\n", name, Escaped(text));
}

// The first of each guarantee in full, then a few, and each with a cause that was not shown yet.
// They break the same promise, and say so if they have another cause than the one before.
void PrintFresh(const std::vector<FindingRecord>& findings, bool all) {
  constexpr std::size_t kShown = 4;
  struct OfGuarantee {
    std::size_t shown = 0;
    std::size_t left_out = 0;
    std::string cause;  // that was shown last
    std::set<std::string> causes;
  };
  std::map<std::string, OfGuarantee> reported;
  for (const FindingRecord& finding : findings) {
    OfGuarantee& of = reported[finding.guarantee];
    const bool is_new = of.causes.insert(finding.signature).second;
    if (of.shown >= kShown && !is_new && !all) {
      ++of.left_out;
      continue;
    }
    PrintSubject("new", finding);
    const std::string before = std::exchange(of.cause, finding.signature);
    if (of.shown++ == 0) {
      for (const FindingRow& row : FindingRows(finding)) {
        if (row.name != "watch") PrintRow(row.name, row.text);
      }
      continue;
    }
    PrintRow("expected", finding.expected);
    PrintRow("observed", finding.observed);
    if (finding.signature == before) continue;
    const bool known = !finding.signature.empty();
    PrintRow("looks like", known ? finding.signature : "nothing that is known");
  }
  for (const auto& [guarantee, of] : reported) {
    if (of.left_out == 0) continue;
    fmt::print("  and   {} of {} more; --all shows them\n", of.left_out, guarantee);
  }
}

// The summary line of a recording.
struct Opinion {
  std::string text;
  ExitCode code = ExitCode::kOk;
};

Opinion OpinionOf(const FoundRecording& recording, const Rejudged& again,
                  const Difference& difference) {
  const auto& result = recording.result;
  const std::size_t found = again.findings.size();
  const std::size_t fresh = difference.fresh.size();
  const ExitCode code = fresh > 0 ? ExitCode::kFailed : ExitCode::kOk;
  if (const std::string why = WhyInconclusive(recording.result, again); !why.empty()) {
    const bool known =
        result && again.cut_off.empty() &&
        (result->verdict == Verdict::kInconclusive || result->verdict == Verdict::kUnsupported);
    return {
        fmt::format("inconclusive: {}{}; {}", why,
                    fresh > 0 ? fmt::format("; {} new up to there", fresh) : "",
                    result ? fmt::format("was {}", Name(result->verdict)) : "no earlier verdict"),
        code == ExitCode::kOk && !known ? ExitCode::kInconclusive : code};
  }
  if (!result) {
    return {found == 0 && again.coverage ? "clean, as far as it shows"
            : found == 0                 ? "clean; no earlier verdict"
                                         : fmt::format("{} found; no earlier verdict", found),
            code};
  }
  if (fresh == 0 && difference.gone.empty() && difference.reworded > 0) {
    return {fmt::format("same findings as before ({}, {} found), {} in other words",
                        Name(result->verdict), found, difference.reworded),
            code};
  }
  if (fresh == 0 && difference.gone.empty()) {
    return {fmt::format("same as before ({}, {} found)", Name(result->verdict), found), code};
  }
  return {fmt::format("changed (was {}): {} new, {} gone", Name(result->verdict), fresh,
                      difference.gone.size()),
          code};
}

void PrintHeading(const FoundRecording& recording, const Rejudged& again, const Opinion& opinion) {
  if (again.coverage) {
    fmt::print("{}, recorded by a proxy: {}\n", Escaped(recording.file.string()),
               Escaped(opinion.text));
    for (const std::string& line : CoverageLines(again)) fmt::print("  {}\n", Escaped(line));
    return;
  }
  const auto& result = recording.result;
  const std::string& named = result ? result->case_name : again.started.case_name;
  const std::string& version = again.started.version;
  fmt::print("{} on {}, attempt {}: {}\n", Escaped(named.empty() ? recording.file.string() : named),
             Escaped(result            ? result->target
                     : version.empty() ? "an unnamed target"
                                       : "version " + version),
             result ? result->attempt : 1, Escaped(opinion.text));
}

void PrintGone(const std::vector<const FindingRecord*>& gone) {
  for (const FindingRecord* finding : gone) {
    PrintSubject("gone", *finding);
    PrintRow("expected", finding->expected);
    PrintRow("observed", finding->observed);
  }
}

// With --json: every finding that is there, or was.
Status PrintJson(const FoundRecording& recording, const Rejudged& again,
                 const Difference& difference, const Opinion& opinion) {
  std::vector<FindingRecord> present = again.findings;
  WP_RETURN_IF_ERROR(QuoteEvidence(recording.file, present));
  std::vector<CheckedFinding> findings;
  const auto add = [&](const FindingRecord& finding, std::string_view state) {
    findings.push_back({finding, state, Name(GravityOf(finding)),
                        KnownBugs(finding.resembles, CarrierOf(again.started))});
  };
  for (const FindingRecord& finding : present) {
    const bool fresh = std::ranges::any_of(difference.fresh, [&](const FindingRecord& one) {
      return one.guarantee == finding.guarantee && one.watch == finding.watch;
    });
    add(finding, fresh ? "new" : "same");
  }
  if (again.cut_off.empty()) {
    for (const FindingRecord* gone : difference.gone) add(*gone, "gone");
  }
  const CheckedRecording checked{
      .file = recording.file,
      .result = recording.result,
      .again = again,
      .coverage = again.coverage ? CoverageLines(again) : std::vector<std::string>(),
      .sentence = opinion.text,
      .found = again.findings.size(),
      .fresh = difference.fresh.size(),
      .gone = difference.gone.size(),
      .exit_code = static_cast<int>(opinion.code)};
  WP_ASSIGN_OR_RETURN(const std::vector<std::string> lines, FindingLines(checked, findings));
  for (const std::string& line : lines) fmt::print("{}\n", line);
  fmt::print("{}\n", RecordingLine(checked));
  return {};
}

// kFailed when there is a new finding, kInconclusive when the recording proves
// less than it should.
Result<ExitCode> Report(const FoundRecording& recording, const Rejudged& again,
                        const JudgeFlags& flags, CheckedCounts& counts) {
  const std::vector<FindingRecord> before =
      recording.result ? recording.result->findings : std::vector<FindingRecord>();
  Difference difference = Compare(again.findings, before);
  const Opinion opinion = OpinionOf(recording, again, difference);
  counts.findings += again.findings.size();
  counts.fresh += difference.fresh.size();
  if (flags.json) {
    WP_RETURN_IF_ERROR(PrintJson(recording, again, difference, opinion));
    return opinion.code;
  }
  WP_RETURN_IF_ERROR(QuoteEvidence(recording.file, difference.fresh));
  PrintHeading(recording, again, opinion);
  PrintFresh(difference.fresh, flags.all);
  if (again.cut_off.empty()) {
    PrintGone(difference.gone);
  } else {
    fmt::print("  judged up to line {} of {}; what follows is unknown\n", again.last.value,
               Escaped(recording.file.string()));
  }
  for (const std::string& reason : again.judgement.undecided) {
    fmt::print("  undecided: {}\n", Escaped(reason));
  }
  for (const std::string& reason : again.judgement.calls.undecided) {
    fmt::print("  undecided calls: {}\n", Escaped(reason));
  }
  if (again.lag.delivery_us.count() > 0) fmt::print("  {}\n", LagSentence(again.lag));
  return opinion.code;
}

// New findings outweigh unreadable recordings, and these outweigh recordings that prove nothing.
ExitCode Graver(ExitCode a, ExitCode b) {
  for (const ExitCode code : {ExitCode::kFailed, ExitCode::kUsage, ExitCode::kInconclusive}) {
    if (a == code || b == code) return code;
  }
  return ExitCode::kOk;
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

// The only recording at the path.
Result<std::filesystem::path> OneRecording(const std::string& given) {
  WP_ASSIGN_OR_RETURN(const auto found, FindRecordings(given));
  if (found.size() == 1) return found[0].file;
  return Fail(StatusCode::kInvalidArgument, "{}: {} recordings in it; name one, such as {}", given,
              found.size(), found[0].file.string());
}

CommandEnd CheckCommand(const JudgeFlags& flags) {
  std::vector<FoundRecording> recordings;
  for (const std::string& run : flags.runs) {
    WP_ASSIGN_OR_RETURN(const auto found, FindRecordings(run));
    recordings.insert(recordings.end(), found.begin(), found.end());
  }
  CheckedCounts counts{.recordings = recordings.size()};
  ExitCode code = ExitCode::kOk;
  for (const FoundRecording& recording : recordings) {
    const auto again = JudgeRecording(recording.file);
    const auto outcome = again.has_value() ? Report(recording, *again, flags, counts)
                                           : Result<ExitCode>(tl::unexpected(again.error()));
    if (!outcome.has_value() && flags.json) {
      fmt::print("{}\n", UnreadableLine(recording.file, outcome.error()));
    }
    code =
        Graver(code, outcome.has_value() ? *outcome : Complain("check", outcome.error().message()));
  }
  counts.exit_code = static_cast<int>(code);
  if (flags.json) fmt::print("{}\n", CheckedEnd(counts));
  return code;
}

struct DumpFlags {
  std::string recording;  // a file, or a folder with exactly one
  std::string watch;      // "S:I": create I (from 0) of stream S; empty: every line
};

CommandEnd HistoryDumpCommand(const DumpFlags& flags) {
  std::optional<WatchFilter> filter;
  if (!flags.watch.empty()) {
    const auto name = ParseWatchName(flags.watch);
    if (!name) {
      return Fail(StatusCode::kInvalidArgument, "--watch: '{}' is not STREAM:NUMBER, such as 1:0",
                  flags.watch);
    }
    filter.emplace(name->stream, name->ordinal);
  }
  WP_ASSIGN_OR_RETURN(const auto file, OneRecording(flags.recording));
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  WP_RETURN_IF_ERROR(reader->Each([&filter](const NumberedEntry& line) {
    if (!filter || filter->Concerns(line)) fmt::print("{}\n", DumpLine(line));
    return true;
  }));
  if (const std::string& damage = reader->damage(); !damage.empty()) {
    std::fflush(stdout);
    return {ExitCode::kInconclusive, fmt::format("{}: {}", file.string(), damage)};
  }
  if (filter && !filter->found()) {
    return Fail(StatusCode::kNotFound, "--watch: no watch {} in {}", flags.watch, file.string());
  }
  return ExitCode::kOk;
}

struct ImportFlags {
  std::string reports;    // a folder with client-1, client-2, ...
  std::string recording;  // the file to write
};

CommandEnd HistoryImportCommand(const ImportFlags& flags) {
  WP_ASSIGN_OR_RETURN(const auto reports, ReadClientReports(flags.reports));
  WP_ASSIGN_OR_RETURN(const auto recorder,
                      Recorder::Open({.file = flags.recording, .follow = false}));
  bool whole = true;
  for (Entry& entry : EntriesOf(reports)) whole = recorder->Append(std::move(entry)) && whole;
  WP_RETURN_IF_ERROR(recorder->Close());
  if (!whole) {
    return Fail(StatusCode::kDataLoss, "{}: could not be written completely", flags.recording);
  }
  std::size_t calls = 0;
  std::size_t watches = 0;
  for (const ClientReport& report : reports) {
    calls += report.calls.size();
    watches += report.watches.size();
  }
  fmt::print(
      "{} calls and {} watches of {} clients are in {}\nto judge them: watchproof check {}\n",
      calls, watches, reports.size(), Escaped(flags.recording), Escaped(flags.recording));
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddCheck(const Command& command) {
  const auto flags = std::make_shared<JudgeFlags>();
  command.Run("run", flags->runs, "Runs, folders of attempts, or recordings")->required();
  CLI::Option* all =
      command.Switch("--all", flags->all, "Show every finding, not only the first of each kind");
  command
      .Switch("--json", flags->json, "One JSON document per line: findings, recordings, the end")
      ->excludes(all);
  return [flags] { return CheckCommand(*flags); };
}

CommandBody AddHistoryDump(const Command& command) {
  const auto flags = std::make_shared<DumpFlags>();
  command.Run("recording", flags->recording, "A recording, or a folder or run with one")
      ->required();
  command.Value("--watch", flags->watch, "STREAM:NUMBER", "Only watch NUMBER (from 0) of STREAM");
  return [flags] { return HistoryDumpCommand(*flags); };
}

CommandBody AddHistoryImport(const Command& command) {
  const auto flags = std::make_shared<ImportFlags>();
  command
      .Word("reports", flags->reports,
            "Folder with client-1, client-2, ..., written by etcd's robustness tests")
      ->required();
  command.Word("recording", flags->recording, "File to write")->required();
  return [flags] { return HistoryImportCommand(*flags); };
}

}  // namespace watchproof
