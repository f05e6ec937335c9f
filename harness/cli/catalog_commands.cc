// SPDX-License-Identifier: Apache-2.0
// `list`, `explain` and `bugs`: all things with a name, with their explanations.
#include <algorithm>
#include <set>
#include <sstream>

#include "cases/support/case_registry.h"
#include "embedded_store/defects/defect.h"
#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/cli/commands.h"
#include "harness/consumers/consumer_check.h"
#include "harness/consumers/consumer_source.h"
#include "harness/faults/fault.h"
#include "harness/report/rows.h"
#include "harness/report/run_json.h"
#include "harness/results/result.h"
#include "harness/runs/console.h"
#include "harness/runs/parse.h"
#include "harness/scenario/step.h"
#include "harness/targets/target_spec.h"
#include "harness/targets/topology.h"
#include "proxies/disk/disk_effect.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

struct CatalogEntry {
  // "case", "guarantee", "fault", "effect", "disk-effect", "defect", "bug", "consumer", "check",
  // "step", "target", "verdict", "level"
  std::string kind;
  std::string name;
  std::string summary;                                     // one line; may be empty
  std::string explain;                                     // a paragraph
  std::vector<std::pair<std::string, std::string>> facts;  // "level": "must"
  std::vector<std::string> aliases{};                      // further names
};

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string Issues(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) texts.push_back(IssueLink(number));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void AddCases(std::vector<CatalogEntry>& catalog) {
  for (const CaseInfo& info : AllCases()) {
    std::vector<std::string> needs;
    for (const Capability need : info.needs) needs.emplace_back(Name(need));
    Facts facts = {{"requirement", info.requirement},
                   {"level", std::string(Name(info.level))},
                   {"judges", fmt::format("{}", fmt::join(info.guarantees, ", "))},
                   {"needs", fmt::format("{}", fmt::join(needs, ", "))},
                   {"upstream", Issues(info.upstream)},
                   {"source", info.file.empty() ? "" : fmt::format("{}:{}", info.file, info.line)}};
    catalog.push_back({"case", info.name, info.requirement, info.explain, std::move(facts)});
  }
}

std::string_view Name(Gravity gravity) {
  constexpr std::string_view kNames[] = {"death", "data", "order", "silence", "fields"};
  return kNames[static_cast<std::size_t>(gravity)];
}

void AddGuarantees(std::vector<CatalogEntry>& catalog) {
  for (const Guarantee guarantee : AllGuarantees()) {
    const std::string promise(Promise(guarantee));
    catalog.push_back(
        {"guarantee",
         std::string(Name(guarantee)),
         promise,
         std::string(Explain(guarantee)),
         {{"promise", promise}, {"gravity", std::string(Name(GravityOf(guarantee)))}}});
  }
}

Facts ParametersOf(const std::vector<proxy::ParameterInfo>& parameters) {
  Facts facts;
  for (const proxy::ParameterInfo& parameter : parameters) {
    facts.emplace_back(parameter.name,
                       fmt::format("{} Form: {} (default {})", parameter.explain,
                                   proxy::ExpectedForm(parameter), parameter.default_value));
  }
  return facts;
}

void AddFaults(std::vector<CatalogEntry>& catalog) {
  for (const FaultInfo& info : KnownFaults()) {
    catalog.push_back({"fault", info.name, "", info.explain, ParametersOf(info.parameters)});
  }
}

void AddEffects(std::vector<CatalogEntry>& catalog) {
  for (const proxy::EffectInfo& info : proxy::KnownEffects()) {
    catalog.push_back({"effect", info.name, "", info.explain, ParametersOf(info.parameters)});
  }
}

void AddDiskEffects(std::vector<CatalogEntry>& catalog) {
  for (const proxy::DiskEffectInfo& info : proxy::KnownDiskEffects()) {
    catalog.push_back(
        {"disk-effect", info.name, "", info.explain, ParametersOf(proxy::ParametersOf(info))});
  }
}

void AddDefects(std::vector<CatalogEntry>& catalog) {
  for (const store::DefectInfo& info : store::KnownDefects()) {
    catalog.push_back({"defect",
                       info.name,
                       "",
                       info.explain,
                       {{"upstream", info.upstream_issue},
                        {"caught by", fmt::format("{}", fmt::join(info.guarantees, ", "))},
                        {"switch on", fmt::format("--target embedded+{}", info.name)}}});
  }
}

void AddConsumers(std::vector<CatalogEntry>& catalog) {
  for (const std::string& name : ShippedConsumers()) {
    const ConsumerRecipe recipe = FindConsumer(name).value().recipe;
    catalog.push_back({"consumer",
                       name,
                       "",
                       recipe.about + ".",
                       {{"layers", fmt::format("the store, {}", fmt::join(recipe.layers, ", "))},
                        {"needs", recipe.tool},
                        {"switch on", fmt::format("--consumer {}", name)}}});
  }
  for (const ConsumerCheck& check : ConsumerChecks()) {
    catalog.push_back({"check",
                       std::string(check.name),
                       std::string(check.promise),
                       fmt::format("{} Judged of each layer of a consumer, by what it reports and "
                                   "the history of the store.",
                                   check.promise),
                       {{"impact", std::string(check.impact)}}});
  }
}

// Only listed: their names are words of plans, which `explain` would take for others.
void AddSteps(std::vector<CatalogEntry>& catalog) {
  for (Step step : StepKinds()) {
    std::vector<std::string_view> names, options;
    for (const Field& field : step.fields()) {
      names.push_back(field.name);
      if (field.optional) options.push_back(field.name);
    }
    catalog.push_back({"step",
                       std::string(step.op()),
                       fmt::format("{}", fmt::join(names, ", ")),
                       "A step of a plan.",
                       {{"fields", fmt::format("{}", fmt::join(names, ", "))},
                        {"options", fmt::format("{}", fmt::join(options, ", "))}}});
  }
}

void AddWords(std::vector<CatalogEntry>& catalog) {
  for (const TargetKindInfo& info : TargetKinds()) {
    const std::string summary = fmt::format("{}: {}", info.grammar, info.explain);
    catalog.push_back({"target", info.name, summary, info.explain, {{"form", info.grammar}}});
  }
  for (const TopologyKind& topology : Topologies()) {
    catalog.push_back({"target",
                       "etcd@VERSION," + topology.form,
                       topology.explain,
                       topology.explain + ".",
                       {},
                       {topology.name, topology.form}});
  }
  for (const Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kInconclusive,
                                Verdict::kUnsupported, Verdict::kHarnessError}) {
    catalog.push_back(
        {"verdict", std::string(Name(verdict)), "", std::string(Explain(verdict)), {}});
  }
  catalog.push_back({"level", "must", "", "A documented promise of the watch API.", {}});
  catalog.push_back({"level", "should", "", "Documented behaviour that clients rely on.", {}});
  catalog.push_back({"level", "may", "", "Observed and interesting, but not documented.", {}});
}

// "#17529" of "#17529, #17555".
std::vector<std::string> NumbersIn(std::string_view text) {
  std::vector<std::string> numbers;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    numbers.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return numbers;
}

std::string RangesOf(const Bug& bug) {
  std::vector<std::string> texts;
  for (const AffectedRange& range : bug.affected) texts.push_back(range.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

Facts FactsOf(const Bug& bug) {
  std::set<std::string> guarantees, defects;
  std::vector<std::string> cases;
  for (const ShownBy& shown : bug.shown) {
    guarantees.insert(shown.guarantees.begin(), shown.guarantees.end());
    cases.push_back(fmt::format("{}{}{}", shown.case_name,
                                shown.rate.empty() ? "" : " in " + shown.rate + " attempts",
                                shown.reason == bug.title ? "" : ": " + shown.reason));
  }
  for (const store::DefectInfo& info : store::KnownDefects()) {
    for (const std::string& number : NumbersIn(info.upstream_issue)) {
      if (number == bug.name) defects.insert(info.name);
    }
  }
  return {{"affected", RangesOf(bug)},
          {"source", bug.source},
          {"breaks", fmt::format("{}", fmt::join(guarantees, ", "))},
          {"looks like", fmt::format("{}", fmt::join(bug.signatures, ", "))},
          {"members", bug.members > 1 ? std::to_string(bug.members) : ""},
          {"topology", bug.topology},
          {"needs", bug.needs},
          {"upstream", bug.upstream.empty() ? bug.link : Issues(bug.upstream)},
          {"defects", fmt::format("{}", fmt::join(defects, ", "))},
          {"shown by", fmt::format("{}", fmt::join(cases, "; "))},
          {"met by", bug.met},
          {"permitted", bug.permitted},
          {"not shown", bug.not_shown}};
}

void AddBugEntries(std::vector<CatalogEntry>& catalog) {
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    CatalogEntry entry{"bug", bug.name, "", bug.title, FactsOf(bug)};
    for (const int number : bug.upstream) entry.aliases.push_back(fmt::format("#{}", number));
    catalog.push_back(std::move(entry));
  }
}

// By kind, within a kind by name.
std::vector<CatalogEntry> Catalog() {
  std::vector<CatalogEntry> catalog;
  AddCases(catalog);
  AddGuarantees(catalog);
  AddFaults(catalog);
  AddEffects(catalog);
  AddDiskEffects(catalog);
  AddDefects(catalog);
  AddBugEntries(catalog);
  AddConsumers(catalog);
  AddWords(catalog);
  return catalog;
}

// The other kinds are words that only `explain` needs.
const std::vector<std::string>& ListedKinds() {
  static const std::vector<std::string> kKinds = {"case",     "guarantee",   "fault",
                                                  "effect",   "disk-effect", "defect",
                                                  "consumer", "target",      "step"};
  return kKinds;
}

// As `list` takes them.
std::vector<std::string> ListedPlurals() {
  std::vector<std::string> plurals;
  for (const std::string& known : ListedKinds()) plurals.push_back(known + "s");
  return plurals;
}

void PrintJson(const CatalogEntry& entry) {
  const TextFields fields = {
      {"kind", entry.kind}, {"name", entry.name}, {"explain", entry.explain}};
  fmt::print("{}\n", ToJsonObject(fields, entry.facts));
}

// The first sentence of the explanation is the summary.
std::string Summary(const CatalogEntry& entry) {
  if (!entry.summary.empty()) return entry.summary;
  return entry.explain.substr(0, entry.explain.find(". "));
}

void PrintLine(const std::string& line, const TerminalStyle& style) {
  fmt::print("{}\n", style.cut ? ShortenEnd(line, style.width, style.charset) : line);
}

void PrintKind(const std::string& kind, const std::vector<CatalogEntry>& catalog,
               const TerminalStyle& style) {
  std::size_t width = 0;
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind == kind) width = std::max(width, Columns(entry.name));
  }
  fmt::print("{}s\n", kind);
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind != kind) continue;
    PrintLine(fmt::format("  {}  {}", PadRight(entry.name, width), CleanText(Summary(entry))),
              style);
  }
}

void PrintEntry(const CatalogEntry& entry, const TerminalStyle& style) {
  fmt::print("{} ({})\n", entry.name, entry.kind);
  for (const std::string& line : Wrap(CleanText(entry.explain), style.width - 2)) {
    fmt::print("  {}\n", line);
  }
  for (const auto& [name, value] : entry.facts) {
    if (value.empty()) continue;
    std::string label = name;
    for (const std::string& line : Wrap(CleanText(value), style.width - 16)) {
      fmt::print("    {}{}\n", PadRight(std::exchange(label, ""), 12), line);
    }
  }
}

struct NameFlags {
  std::string name;
  bool json = false;
  bool track_record = false;
};

// The kinds are named in the plural ("cases"); an empty name stands for all.
CommandEnd ListCommand(const std::string& kind, bool json) {
  const std::vector<std::string> plurals = ListedPlurals();
  if (!kind.empty() && !Contains(plurals, kind)) {
    return Fail(StatusCode::kInvalidArgument, "'{}' is none of {}{}", kind,
                fmt::join(plurals, ", "), DidYouMean(kind, plurals));
  }
  std::vector<CatalogEntry> catalog = Catalog();
  AddSteps(catalog);
  const TerminalStyle style = DetectStyle(When::kNever);
  for (const std::string& known : ListedKinds()) {
    if (!kind.empty() && kind != known + "s") continue;
    if (!json) {
      PrintKind(known, catalog, style);
      continue;
    }
    for (const CatalogEntry& entry : catalog) {
      if (entry.kind == known) PrintJson(entry);
    }
  }
  return ExitCode::kOk;
}

CommandEnd ExplainCommand(const std::string& name, bool json) {
  const TerminalStyle style = DetectStyle(When::kNever);
  bool found = false;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) {
    names.push_back(entry.name);
    // A number is an issue of etcd, with or without '#'.
    const bool alias = std::ranges::any_of(
        entry.aliases, [&](const std::string& one) { return one == name || one == "#" + name; });
    if (entry.name != name && !alias) continue;
    if (json) {
      PrintJson(entry);
    } else {
      if (found) fmt::print("\n");
      PrintEntry(entry, style);
    }
    found = true;
  }
  if (found) return ExitCode::kOk;
  return Fail(StatusCode::kNotFound, "nothing is called '{}'{}", name, DidYouMean(name, names));
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
    // One that takes no luck, if there is one.
    const auto sure = std::ranges::find(bug.shown, "", &ShownBy::rate);
    const ShownBy* const best = sure != bug.shown.end() ? &*sure : shows ? &bug.shown[0] : nullptr;
    table.rows.push_back({bug.name, shows ? record.red : "no release", record.first_red,
                          record.green.empty() ? "no release" : record.green,
                          shows ? best->case_name : "none", record.theirs});
    if (!shows) continue;
    ++shown;
    commands +=
        fmt::format("watchproof run --target etcd@{}{} --filter {} --repeat 3\n", record.red,
                    record.green.empty() ? "" : " --target etcd@" + record.green, best->case_name);
  }
  std::istringstream lines(PlainTable(table));
  const TerminalStyle style = DetectStyle(When::kNever);
  for (std::string line; std::getline(lines, line);) PrintLine(line, style);
  fmt::print("\n{} of {} show on stock releases, each by its command:\n{}", shown,
             table.rows.size(), commands);
  return ExitCode::kOk;
}

std::string ShowsIt(const Bug& bug) {
  if (!bug.shown.empty()) return Count(bug.shown.size(), "case");
  if (!bug.met.empty()) return bug.met.substr(0, bug.met.find(':'));
  return bug.permitted.empty() ? "nothing" : "permitted";
}

// The answer key, or what of it concerns one release.
CommandEnd BugsCommand(const std::string& release, bool json) {
  const auto version = ParseVersion(release);
  if (!release.empty() && !version) {
    return Fail(StatusCode::kInvalidArgument, "'{}' is no version; expected one as in: bugs 3.5.16",
                release);
  }
  std::vector<CatalogEntry> catalog;
  AddBugEntries(catalog);
  Table table{.head = {"bug", "affected", "shown by", "title"}, .rows = {}};
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const Bug& bug = AnswerKey::BuiltIn().bugs()[i];
    if (version && StateIn(bug.affected, *version).presence != Presence::kAffected) continue;
    if (json) PrintJson(catalog[i]);
    table.rows.push_back({bug.name, RangesOf(bug), ShowsIt(bug), bug.title});
  }
  if (json) return ExitCode::kOk;
  std::istringstream lines(PlainTable(table));
  const TerminalStyle style = DetectStyle(When::kNever);
  for (std::string line; std::getline(lines, line);) PrintLine(line, style);
  return ExitCode::kOk;
}

}  // namespace

std::vector<NamedThing> NamesOf(const std::string& kind) {
  std::vector<NamedThing> names;
  for (const CatalogEntry& entry : Catalog()) {
    if (!kind.empty() && entry.kind != kind) continue;
    // A shell takes '#' for the begin of a comment; the number alone is understood, too.
    const std::size_t from = entry.name.starts_with("#") ? 1 : 0;
    names.push_back({entry.name.substr(from), CleanText(Summary(entry))});
  }
  return names;
}

CommandBody AddBugs(const Command& command) {
  const auto flags = std::make_shared<NameFlags>();
  command.Value("release", flags->name, "RELEASE", "3.5.16: only the bugs that this release has");
  command.Switch("--json", flags->json, "One JSON document per line");
  command.Switch(
      "--track-record", flags->track_record,
      "Those by which etcd's robustness tests measure themselves, with a command for each");
  return [flags]() -> CommandEnd {
    if (!flags->track_record) return BugsCommand(flags->name, flags->json);
    if (flags->name.empty() && !flags->json) return TrackRecordCommand();
    return Fail(StatusCode::kInvalidArgument,
                "--track-record: expected neither a release nor --json beside it");
  };
}

CommandBody AddList(const Command& command) {
  const auto flags = std::make_shared<NameFlags>();
  command.Value("what", flags->name, fmt::format("{}", fmt::join(ListedPlurals(), "|")),
                "Only this kind");
  command.Switch("--json", flags->json, "One JSON document per line");
  return [flags] { return ListCommand(flags->name, flags->json); };
}

CommandBody AddExplain(const Command& command) {
  const auto flags = std::make_shared<NameFlags>();
  command
      .Value("name", flags->name, "NAME",
             "Case, guarantee, fault, effect, defect, bug by its name or number, verdict or level")
      ->required();
  command.Switch("--json", flags->json, "As a JSON document");
  return [flags] { return ExplainCommand(flags->name, flags->json); };
}

}  // namespace watchproof
