// SPDX-License-Identifier: Apache-2.0
// `baseline`: the failures that a user accepts, held against what runs came to.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/results/baseline.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct BaselineFlags {
  std::string file;
  std::vector<std::string> runs;
  std::string filter, reason, until, link, owner;
  bool dry_run = false;
};

struct BaselineFile {
  std::string text;
  std::vector<AcceptedFailure> entries;
};

Result<BaselineFile> ReadBaseline(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) return Fail(StatusCode::kNotFound, "--baseline {}: it cannot be read", name);
  BaselineFile file{.text = std::string(std::istreambuf_iterator<char>(in), {}), .entries = {}};
  auto entries = ParseBaseline(file.text);
  if (!entries.has_value()) return std::move(entries).error().WithContext("--baseline {}", name);
  file.entries = std::move(*entries);
  for (AcceptedFailure& entry : file.entries) entry.place = fmt::format("{}:{}", name, entry.line);
  return file;
}

// In one step, so that no reader sees half of it.
Status ReplaceFile(const fs::path& file, const Result<std::string>& text) {
  if (!text.has_value()) return text.error().WithContext("{}", file.string());
  const fs::path aside = file.string() + ".new";
  std::ofstream out(aside, std::ios::binary);
  out << *text;
  out.close();
  std::error_code error;
  if (out) fs::rename(aside, file, error);
  if (out && !error) return {};
  return Fail(StatusCode::kUnavailable, "{}: it cannot be written", file.string());
}

// The attempts of runs as they are without any accepted failure.
struct Judged {
  const AttemptSummary* attempt;
  ExpectationStatus status;
};
std::vector<Judged> JudgedByKey(const std::vector<RunRecord>& runs) {
  std::vector<Judged> judged;
  for (const RunRecord& run : runs) {
    std::map<std::string, TargetSpec> targets;
    for (const TargetSpec& target : run.targets) targets[target.text] = target;
    for (const AttemptSummary& attempt : run.attempts) {
      AttemptResult result = attempt.result;
      const TargetSpec& target = targets[result.target];
      judged.push_back({&attempt, Expectations::BuiltIn().Apply(target, result)});
    }
  }
  return judged;
}

// What the runs say about an entry.
struct Standing {
  std::set<std::string> accepted;  // "A.B on embedded"
  int accepting = 0;               // attempts that it accepts
  int decided = 0;                 // attempts with a verdict that it is about
  bool expired = false;

  // It is about attempts of these runs, and accepts none of them.
  bool dead() const { return decided > 0 && accepting == 0; }
};

Standing StandingOf(const AcceptedFailure& entry, const std::vector<Judged>& judged,
                    const std::string& today) {
  Standing standing{.expired = entry.ExpiredOn(today)};
  for (const auto& [attempt, status] : judged) {
    const AttemptResult& result = attempt->result;
    if (!IsConclusive(result.verdict) || !entry.Fits(result)) continue;
    ++standing.decided;
    if (status != ExpectationStatus::kNewFailure || !entry.Accepts(result)) continue;
    ++standing.accepting;
    standing.accepted.insert(fmt::format("{} on {}", result.case_name, result.target));
  }
  return standing;
}

std::string StandingText(const Standing& standing, bool with_runs) {
  std::string text;
  if (standing.expired) text += "  EXPIRED  its last day is over\n";
  if (!with_runs) return text;
  if (standing.decided == 0) return text + "  matches  no attempt with a verdict\n";
  text += fmt::format("  matches  {} of {}\n", standing.accepting,
                      Count(static_cast<std::size_t>(standing.decided), "attempt"));
  for (const std::string& name : standing.accepted) text += fmt::format("           {}\n", name);
  return text;
}

std::string EntryText(const AcceptedFailure& entry) {
  std::string text = fmt::format("{}  {} on {}\n", entry.place, entry.case_pattern,
                                 entry.target_pattern == "*" ? "any target" : entry.target_pattern);
  std::vector<std::string> limits = entry.guarantees;
  for (const AffectedRange& range : entry.versions) limits.push_back(range.text);
  if (!limits.empty()) text += fmt::format("  only     {}\n", fmt::join(limits, ", "));
  return text + fmt::format("  {}\n", entry.Text());
}

CommandEnd ShowBaseline(const BaselineFlags& flags) {
  WP_ASSIGN_OR_RETURN(const BaselineFile file, ReadBaseline(flags.file));
  WP_ASSIGN_OR_RETURN(const std::vector<RunRecord> runs, ReadRuns(flags.runs));
  const std::vector<Judged> judged = JudgedByKey(runs);
  const std::string today = FormatUtc(UtcNow());
  std::size_t stale = 0;
  for (const AcceptedFailure& entry : file.entries) {
    const Standing standing = StandingOf(entry, judged, today);
    stale += standing.expired || standing.dead() ? 1 : 0;
    fmt::print("{}",
               Escaped(EntryText(entry) + StandingText(standing, !runs.empty()), LineEnds::kKeep));
  }
  const std::size_t count = file.entries.size();
  fmt::print("{}, {} expired or without a match\n",
             count == 1 ? "1 entry" : fmt::format("{} entries", count), stale);
  return stale == 0 ? ExitCode::kOk : ExitCode::kStaleExpectations;
}

// One entry for each case and target, with every guarantee that was found broken there.
using NewEntries = std::map<std::pair<std::string, std::string>, AcceptedFailure>;

void AddFailure(const BaselineFlags& flags, const AttemptResult& failed, NewEntries& entries) {
  AcceptedFailure& entry = entries[{failed.case_name, failed.target}];
  entry.case_pattern = LiteralPattern(failed.case_name);
  entry.target_pattern = LiteralPattern(failed.target);
  entry.reason = flags.reason;
  entry.until = flags.until;
  entry.link = flags.link;
  entry.owner = flags.owner;
  for (const FindingRecord& finding : failed.findings) {
    auto& names = entry.guarantees;
    if (!Contains(names, finding.guarantee)) {
      names.push_back(finding.guarantee);
    }
  }
}

Status CheckUpdate(const BaselineFlags& flags) {
  if (flags.reason.find_first_not_of(" \t") == std::string::npos) {
    return Fail(StatusCode::kInvalidArgument, "--reason: expected why these failures are accepted");
  }
  if (flags.until.empty()) return {};
  if (!IsDay(flags.until) || AcceptedFailure{.until = flags.until}.ExpiredOn(FormatUtc(UtcNow()))) {
    return Fail(StatusCode::kInvalidArgument,
                "--until {}: expected a day to come, as 2027-01-31, the last one", flags.until);
  }
  return {};
}

// What is to be done so that every new failure of the runs is accepted.
struct Update {
  std::vector<AcceptedFailure> extended;
  NewEntries added;
  std::set<std::string> refused;  // "A.B on embedded": a bug that is back
};

Result<Update> UpdateFor(const BaselineFlags& flags, const BaselineFile& file,
                         const std::vector<Judged>& judged) {
  Update update;
  const std::string today = FormatUtc(UtcNow());
  for (const auto& [attempt, status] : judged) {
    const AttemptResult& result = attempt->result;
    if (status == ExpectationStatus::kRegression) {
      update.refused.insert(fmt::format("{} on {}", result.case_name, result.target));
    }
    if (status != ExpectationStatus::kNewFailure) continue;
    const AcceptedFailure* over = nullptr;
    bool accepted = false;
    for (const AcceptedFailure& entry : file.entries) {
      if (!entry.Accepts(result)) continue;
      if (!entry.ExpiredOn(today)) accepted = true;
      if (entry.ExpiredOn(today) && over == nullptr) over = &entry;
    }
    if (accepted) continue;
    if (over == nullptr) {
      AddFailure(flags, result, update.added);
      continue;
    }
    if (flags.until.empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "{} accepted {} until {}; expected --until with a new day", over->place,
                  result.case_name, over->until);
    }
    if (!Contains(update.extended, over->line, &AcceptedFailure::line)) {
      update.extended.push_back(*over);
    }
  }
  return update;
}

CommandEnd UpdateBaseline(const BaselineFlags& flags) {
  WP_RETURN_IF_ERROR(CheckUpdate(flags));
  BaselineFile file;
  std::error_code error;
  if (fs::exists(flags.file, error)) {
    WP_ASSIGN_OR_RETURN(file, ReadBaseline(flags.file));
  }
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns(flags.runs));
  for (RunRecord& run : runs) WP_RETURN_IF_ERROR(KeepCases(flags.filter, run));
  WP_ASSIGN_OR_RETURN(const Update update, UpdateFor(flags, file, JudgedByKey(runs)));
  BaselineEdit edit(file.text, file.entries);
  for (const AcceptedFailure& entry : update.extended) {
    edit.Extend(entry, flags.until);
    fmt::print("extended  {} {}, to {}\n", Escaped(entry.place), Escaped(entry.case_pattern),
               flags.until);
  }
  for (const auto& [name, entry] : update.added) {
    edit.Append(entry);
    fmt::print("added     {} on {}\n", Escaped(name.first), Escaped(name.second));
  }
  for (const std::string& name : update.refused) {
    fmt::print("refused   {}: a bug that the release has fixed is back\n", Escaped(name));
  }
  const bool changes = !update.extended.empty() || !update.added.empty();
  if (!changes && update.refused.empty()) fmt::print("no failure that is not accepted\n");
  if (changes && !flags.dry_run) WP_RETURN_IF_ERROR(ReplaceFile(flags.file, edit.Text()));
  return ExitCode::kOk;
}

CommandEnd PruneBaseline(const BaselineFlags& flags) {
  WP_ASSIGN_OR_RETURN(const BaselineFile file, ReadBaseline(flags.file));
  WP_ASSIGN_OR_RETURN(const std::vector<RunRecord> runs, ReadRuns(flags.runs));
  const std::vector<Judged> judged = JudgedByKey(runs);
  const std::string today = FormatUtc(UtcNow());
  BaselineEdit edit(file.text, file.entries);
  std::size_t removed = 0;
  for (const AcceptedFailure& entry : file.entries) {
    const Standing standing = StandingOf(entry, judged, today);
    const std::string name = Escaped(fmt::format("{}  {}", entry.place, entry.case_pattern));
    if (standing.expired || standing.dead()) {
      edit.Remove(entry);
      ++removed;
      fmt::print("removed   {}: {}\n", name,
                 standing.expired
                     ? fmt::format("its last day, {}, is over", entry.until)
                     : fmt::format("{} with a verdict, and none that it accepts",
                                   Count(static_cast<std::size_t>(standing.decided), "attempt")));
    } else if (standing.decided == 0) {
      fmt::print("kept      {}: no attempt with a verdict\n", name);
    }
  }
  fmt::print("{} of {} removed{}\n", removed, file.entries.size(),
             flags.dry_run ? " (not written: --dry-run)" : "");
  if (removed > 0 && !flags.dry_run) WP_RETURN_IF_ERROR(ReplaceFile(flags.file, edit.Text()));
  return ExitCode::kOk;
}

// The flags that all three have.
std::shared_ptr<BaselineFlags> CommonFlags(const Command& command, const std::string& runs) {
  const auto flags = std::make_shared<BaselineFlags>();
  command.Run("run", flags->runs, runs);
  command.Value("--baseline", flags->file, "FILE", "The file, as for `run`")->required();
  return flags;
}

}  // namespace

CommandBody AddBaselineShow(const Command& command) {
  const auto flags = CommonFlags(command, "Runs, to say what each entry accepts there");
  return [flags] { return ShowBaseline(*flags); };
}

CommandBody AddBaselineUpdate(const Command& command) {
  const auto flags = CommonFlags(command, "The runs with the failures");
  command.parser.get_option("run")->required();
  command.Value("--reason", flags->reason, "TEXT", "Why they are accepted")->required();
  command.Value("--until", flags->until, "DAY", "The last day, also of entries that are over");
  command.Value("--link", flags->link, "URL", "Where they are discussed");
  command.Value("--owner", flags->owner, "TEXT", "The team that removes them");
  command.Value("--case", flags->filter, "PATTERN", "Only failures of these cases");
  command.Switch("--dry-run", flags->dry_run, "Print what would change, and exit");
  return [flags] { return UpdateBaseline(*flags); };
}

CommandBody AddBaselinePrune(const Command& command) {
  const auto flags = CommonFlags(command,
                                 "Runs: an entry that accepts nothing in them, although it is "
                                 "about some of their verdicts, goes");
  command.Switch("--dry-run", flags->dry_run, "Print what would go, and exit");
  return [flags] { return PruneBaseline(*flags); };
}

}  // namespace watchproof
