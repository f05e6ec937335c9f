// SPDX-License-Identifier: Apache-2.0
// `bugs`: the known bugs of a product, or those of one release, the costliest first.
#include <algorithm>
#include <sstream>

#include "harness/bugs/affected_bugs.h"
#include "harness/bugs/shown_by.h"
#include "harness/cli/bug_facts.h"
#include "harness/cli/commands.h"
#include "harness/report/run_json.h"
#include "harness/results/expectations.h"
#include "harness/runs/console.h"

namespace watchproof {
namespace {

struct BugsFlags {
  std::string release;
  bool json = false;
  bool track_record = false;
};

void PrintTable(const Table& table) {
  std::istringstream lines(PlainTable(table));
  const TerminalStyle style = DetectStyle(When::kNever);
  for (std::string line; std::getline(lines, line);) {
    fmt::print("{}\n", style.cut ? ShortenEnd(line, style.width, style.charset) : line);
  }
}

// The bugs by which etcd's robustness tests measure themselves: where each shows here, and where it
// no longer does.
CommandEnd TrackRecordCommand() {
  Table table{.head = {"bug", "red on", "after", "green on", "case", "etcd's robustness tests"},
              .rows = {}};
  std::string commands;
  int shown = 0;
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    if (!bug.track_record) continue;
    const TrackRecord& record = *bug.track_record;
    const bool shows = !bug.shown.empty() && !record.red.empty();
    const ShownBy* const best = shows ? BestCase(bug) : nullptr;
    table.rows.push_back({bug.name, shows ? record.red : "no release", record.first_red,
                          record.green.empty() ? "no release" : record.green,
                          shows ? best->case_name : "none", record.theirs});
    if (!shows) continue;
    ++shown;
    commands +=
        fmt::format("watchproof run --target etcd@{}{} --filter {} --repeat 3\n", record.red,
                    record.green.empty() ? "" : " --target etcd@" + record.green, best->case_name);
  }
  PrintTable(table);
  fmt::print("\n{} of {} show on stock releases, each by its command:\n{}", shown,
             table.rows.size(), commands);
  return ExitCode::kOk;
}

std::string ShowsIt(const Bug& bug) {
  if (!bug.shown.empty()) return Count(bug.shown.size(), "case");
  if (!bug.met.empty()) return bug.met.substr(0, bug.met.find(':'));
  return bug.permitted.empty() ? "nothing" : "permitted";
}

// A group of bugs with one heading.
std::string Heading(const Bug& bug) {
  if (!bug.permitted.empty()) return fmt::format("permitted by {}'s documents", bug.product);
  if (!bug.topology.empty()) return fmt::format("only with {}", bug.topology);
  return std::string(InWords(bug.cost));
}

std::vector<std::pair<std::string, std::vector<AffectedBug>>> Grouped(
    const std::vector<AffectedBug>& bugs) {
  std::vector<std::pair<std::string, std::vector<AffectedBug>>> groups;
  for (const AffectedBug& one : bugs) {
    const std::string heading = Heading(*one.bug);
    if (groups.empty() || groups.back().first != heading)
      groups.emplace_back(heading, std::vector<AffectedBug>{});
    groups.back().second.push_back(one);
  }
  return groups;
}

// The newest release of the branch that is listed; empty: none is.
std::optional<ReleaseVersion> NewestOf(const std::string& product,
                                       const std::pair<int, int>& branch) {
  std::optional<ReleaseVersion> newest;
  for (const Release& release : Expectations::BuiltIn().releases()) {
    const auto version = ParseVersion(release.version);
    if (release.product == product && version && version->branch() == branch) {
      newest = std::max(newest, version);
    }
  }
  return newest;
}

// "Go to 3.5.35, which is without 14 of them (3.7.3 without 16)."
std::string Advice(const NamedRelease& release, const std::vector<AffectedBug>& bugs) {
  const std::vector<Upgrade> upgrades = UpgradesFrom(release, bugs);
  if (upgrades.empty()) return "No release is without any of them.";
  std::string text = fmt::format("Go to {}, which is without {} of them",
                                 ToText(upgrades.front().version), upgrades.front().mends);
  for (std::size_t i = 1; i < upgrades.size(); ++i) {
    text += fmt::format(" ({} without {})", ToText(upgrades[i].version), upgrades[i].mends);
  }
  return text + ".";
}

std::string Wrapped(std::string_view head, std::string_view text, const TerminalStyle& style) {
  return Hanging(head, text, std::max<std::size_t>(style.width, 60) - Columns(head));
}

// Which there are, by what they cost, and what helps.
std::string SummaryText(const std::string& product, const NamedRelease& release,
                        const std::vector<AffectedBug>& bugs, const TerminalStyle& style) {
  const auto judged = std::ranges::count_if(
      bugs, [](const AffectedBug& one) { return one.bug->permitted.empty(); });
  std::string text =
      fmt::format("{} {} has {} of the known bugs\n", product,
                  release.version ? release.text : release.text + " (any release)", judged);
  for (const auto& [heading, group] : Grouped(bugs)) {
    std::vector<std::string> names;
    for (const AffectedBug& one : group) names.push_back(one.bug->name);
    text += Wrapped(fmt::format("  {}", PadRight(heading, 34)),
                    fmt::format("{}", fmt::join(names, ", ")), style);
  }
  text += Advice(release, {bugs.begin(), bugs.begin() + judged}) + "\n";
  if (const auto newest = NewestOf(product, release.branch); newest && release.version > newest) {
    text += fmt::format("{} is newer than what this watchproof knows ({}).\n", release.text,
                        ToText(*newest));
  }
  return text;
}

// A release to show the bug on: the one asked for, or one of its branch.
std::string ShownOn(const NamedRelease& release, const AffectedBug& one) {
  if (release.version) return release.text;
  std::vector<std::string> of_branch;
  for (const Release& known : Expectations::BuiltIn().releases()) {
    const auto version = ParseVersion(known.version);
    const bool of_product = known.product == one.bug->product;
    if (of_product && version && version->branch() == release.branch) {
      of_branch.push_back(known.version);
    }
  }
  return ReleaseThatShows(*one.bug, of_branch);
}

// What brings the bug to light, or why nothing does.
std::string CommandOf(const NamedRelease& release, const AffectedBug& one) {
  const std::string command = CommandThatShows(*one.bug, ShownOn(release, one));
  return command.empty() ? one.bug->WhyNoCase() : command;
}

// The name of a bug with a number has room beside the text, another one a line of its own.
void PrintBug(const NamedRelease& release, const AffectedBug& one, const TerminalStyle& style) {
  constexpr std::size_t kName = 8;
  const std::string left(kName + 2, ' ');
  const bool beside = Columns(one.bug->name) < kName;
  if (!beside) fmt::print("  {}\n", one.bug->name);
  const std::string head = beside ? "  " + PadRight(one.bug->name, kName) : left;
  fmt::print("{}", Wrapped(head, one.bug->impact, style));
  const std::string fixed =
      one.fixed ? "fixed in " + ToText(*one.fixed) : "in every release so far";
  fmt::print("{}{}  {}\n", left, fixed, one.bug->Url());
  const std::string command = CommandOf(release, one);
  // Never wrapped, so that it can be copied.
  fmt::print("{}", command.starts_with("watchproof ") ? left + command + "\n"
                                                      : Wrapped(left, command, style));
}

CommandEnd BugsOfRelease(const std::string& text, const AnswerKey& key, bool json) {
  WP_ASSIGN_OR_RETURN(const NamedRelease release, ParseRelease(text, key));
  const std::vector<AffectedBug> bugs = BugsOf(key, release);
  if (json) {
    for (const AffectedBug& one : bugs) {
      Facts facts = FactsOf(*one.bug);
      facts.emplace_back("fixed in", one.fixed ? ToText(*one.fixed) : "");
      facts.emplace_back("link", one.bug->Url());
      facts.emplace_back("command", CommandThatShows(*one.bug, ShownOn(release, one)));
      fmt::print("{}\n", BugJson(*one.bug, facts));
    }
    return ExitCode::kOk;
  }
  const TerminalStyle style = DetectStyle(When::kNever);
  fmt::print("{}", SummaryText(key.product(), release, bugs, style));
  for (const auto& [heading, group] : Grouped(bugs)) {
    fmt::print("\n{}\n", heading);
    for (const AffectedBug& one : group) PrintBug(release, one, style);
  }
  return ExitCode::kOk;
}

CommandEnd AllBugs(const AnswerKey& key, bool json) {
  std::vector<const Bug*> bugs;
  for (const Bug& bug : key.bugs()) bugs.push_back(&bug);
  std::ranges::stable_sort(bugs, {}, &Bug::cost);
  Table table{.head = {"bug", "cost", "affected", "shown by", "title"}, .rows = {}};
  for (const Bug* const bug : bugs) {
    if (json) fmt::print("{}\n", BugJson(*bug, FactsOf(*bug)));
    table.rows.push_back(
        {bug->name, std::string(Name(bug->cost)), RangesOf(*bug), ShowsIt(*bug), bug->title});
  }
  if (!json) PrintTable(table);
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddBugs(const Command& command) {
  const auto flags = std::make_shared<BugsFlags>();
  command.Value(
      "release", flags->release, "RELEASE",
      "3.5.16, v3.5.16, 3.5, kine@0.17.5: what this release has, the costliest first, with the "
      "release to go to and a command that shows each; kine: all of that product");
  command.Switch("--json", flags->json, "One JSON document per line");
  command.Switch(
      "--track-record", flags->track_record,
      "Those by which etcd's robustness tests measure themselves, with a command for each");
  return [flags]() -> CommandEnd {
    if (!flags->track_record) {
      const AnswerKey& key = KeyOfRelease(flags->release);
      const bool all = flags->release.empty() || flags->release == key.product();
      return all ? AllBugs(key, flags->json) : BugsOfRelease(flags->release, key, flags->json);
    }
    if (flags->release.empty() && !flags->json) return TrackRecordCommand();
    return Fail(StatusCode::kInvalidArgument,
                "--track-record: expected neither a release nor --json beside it");
  };
}

}  // namespace watchproof
