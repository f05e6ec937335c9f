// SPDX-License-Identifier: Apache-2.0
// `list` and `explain`: all things with a name, with their explanations.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <set>

#include "cases/support/case_registry.h"
#include "embedded_store/defects/defect.h"
#include "harness/checkers/guarantee.h"
#include "harness/checkers/known_bugs.h"
#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/parse.h"
#include "harness/faults/fault.h"
#include "harness/report/rows.h"
#include "harness/report/run_json.h"
#include "harness/results/expectations.h"
#include "harness/results/result.h"
#include "harness/targets/target_spec.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

struct CatalogEntry {
  std::string
      kind;  // "case", "guarantee", "fault", "effect", "defect", "issue", "target", "verdict",
             // "level"
  std::string name;
  std::string summary;                                     // one line; may be empty
  std::string explain;                                     // a paragraph
  std::vector<std::pair<std::string, std::string>> facts;  // "level": "must"
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

void AddGuarantees(std::vector<CatalogEntry>& catalog) {
  for (const Guarantee guarantee : AllGuarantees()) {
    const std::string promise(Promise(guarantee));
    catalog.push_back({"guarantee",
                       std::string(Name(guarantee)),
                       promise,
                       std::string(Explain(guarantee)),
                       {{"promise", promise}}});
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

void AddWords(std::vector<CatalogEntry>& catalog) {
  for (const TargetKindInfo& info : TargetKinds()) {
    const std::string summary = fmt::format("{}: {}", info.grammar, info.explain);
    catalog.push_back({"target", info.name, summary, info.explain, {{"form", info.grammar}}});
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

// What is known of one bug of etcd.
struct KnownIssue {
  std::set<std::string> texts, cases, defects;
  std::map<std::string, std::set<std::string>> releases;  // by how the manifest describes it
};

// The numbers behind '#' in a text.
std::vector<int> NumbersIn(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    int number = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    if (error == std::errc()) numbers.push_back(number);
  }
  return numbers;
}

std::map<int, KnownIssue> KnownIssues() {
  std::map<int, KnownIssue> issues;
  for (const std::string_view signature : AllSignatures()) {
    const std::string text = KnownBugText(signature, {});
    for (const int number : NumbersIn(text)) issues[number].texts.insert(text);
  }
  for (const CaseInfo& info : AllCases()) {
    for (const int number : info.upstream) issues[number].cases.insert(info.name);
  }
  for (const store::DefectInfo& info : store::KnownDefects()) {
    for (const int number : NumbersIn(info.upstream_issue))
      issues[number].defects.insert(info.name);
  }
  for (const Release& release : Expectations::BuiltIn().releases()) {
    for (const ExpectedFailure& expected : release.expected) {
      for (const int number : expected.upstream) {
        KnownIssue& issue = issues[number];
        issue.cases.insert(expected.case_name);
        issue.releases[expected.reason].insert(release.version);
      }
    }
  }
  return issues;
}

void AddIssues(std::vector<CatalogEntry>& catalog) {
  for (const auto& [number, issue] : KnownIssues()) {
    Facts facts = {{"upstream", Issues({number})},
                   {"found by", fmt::format("{}", fmt::join(issue.cases, ", "))},
                   {"defects", fmt::format("{}", fmt::join(issue.defects, ", "))}};
    for (const auto& [reason, versions] : issue.releases) {
      facts.emplace_back("known", fmt::format("etcd {}: {}", fmt::join(versions, ", "), reason));
    }
    catalog.push_back({"issue", fmt::format("#{}", number), "",
                       issue.texts.empty() ? std::string("A bug of etcd.")
                                           : fmt::format("{}", fmt::join(issue.texts, "; ")),
                       std::move(facts)});
  }
}

// By kind, within a kind by name.
std::vector<CatalogEntry> Catalog() {
  std::vector<CatalogEntry> catalog;
  AddCases(catalog);
  AddGuarantees(catalog);
  AddFaults(catalog);
  AddEffects(catalog);
  AddDefects(catalog);
  AddIssues(catalog);
  AddWords(catalog);
  return catalog;
}

// The other kinds are words that only `explain` needs.
const std::vector<std::string>& ListedKinds() {
  static const std::vector<std::string> kKinds = {"case",   "guarantee", "fault",
                                                  "effect", "defect",    "target"};
  return kKinds;
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

void PrintKind(const std::string& kind, const std::vector<CatalogEntry>& catalog,
               const TerminalStyle& style) {
  std::size_t width = 0;
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind == kind) width = std::max(width, Columns(entry.name));
  }
  fmt::print("{}s\n", kind);
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind != kind) continue;
    const std::string line =
        fmt::format("  {}  {}", PadRight(entry.name, width), CleanText(Summary(entry)));
    fmt::print("{}\n", style.cut ? ShortenEnd(line, style.width, style.charset) : line);
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
};

// The kinds are named in the plural ("cases"); an empty name stands for all.
ExitCode ListCommand(const std::string& kind, bool json) {
  std::vector<std::string> plurals;
  for (const std::string& known : ListedKinds()) plurals.push_back(known + "s");
  if (!kind.empty() && std::find(plurals.begin(), plurals.end(), kind) == plurals.end()) {
    return Complain("list", fmt::format("'{}' is none of {}{}", kind, fmt::join(plurals, ", "),
                                        DidYouMean(kind, plurals)));
  }
  const std::vector<CatalogEntry> catalog = Catalog();
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

ExitCode ExplainCommand(const std::string& name, bool json) {
  const TerminalStyle style = DetectStyle(When::kNever);
  bool found = false;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) {
    names.push_back(entry.name);
    // A number is an issue of etcd, with or without '#'.
    if (entry.name != name && entry.name != "#" + name) continue;
    if (json) {
      PrintJson(entry);
    } else {
      if (found) fmt::print("\n");
      PrintEntry(entry, style);
    }
    found = true;
  }
  if (found) return ExitCode::kOk;
  return Complain("explain",
                  fmt::format("nothing is called '{}'{}", name, DidYouMean(name, names)));
}

}  // namespace

CommandBody AddList(CLI::App& command) {
  const auto flags = std::make_shared<NameFlags>();
  command.add_option("what", flags->name, "cases, guarantees, faults, effects, defects, targets");
  command.add_flag("--json", flags->json, "One JSON document per line");
  return [flags] { return ListCommand(flags->name, flags->json); };
}

CommandBody AddExplain(CLI::App& command) {
  const auto flags = std::make_shared<NameFlags>();
  command
      .add_option("name", flags->name,
                  "Case, guarantee, fault, effect, defect, etcd issue number, verdict or level")
      ->required();
  command.add_flag("--json", flags->json, "As a JSON document");
  return [flags] { return ExplainCommand(flags->name, flags->json); };
}

}  // namespace watchproof
