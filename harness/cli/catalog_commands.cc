// SPDX-License-Identifier: Apache-2.0
// `list` and `explain`: all things with a name, with their explanations.
#include <algorithm>
#include <map>

#include "cases/support/case_registry.h"
#include "embedded_store/defects/defect.h"
#include "harness/api/api_table.h"
#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/cli/bug_facts.h"
#include "harness/cli/commands.h"
#include "harness/cli/words.h"
#include "harness/consumers/consumer_check.h"
#include "harness/consumers/consumer_source.h"
#include "harness/faults/fault.h"
#include "harness/report/run_json.h"
#include "harness/runs/console.h"
#include "harness/runs/parse.h"
#include "harness/scenario/step.h"
#include "harness/targets/product.h"
#include "harness/targets/target_spec.h"
#include "harness/targets/topology.h"
#include "proxies/disk/disk_effect.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

constexpr std::string_view kApi = "api";

struct CatalogEntry {
  // "case", "guarantee", "clause", "fault", "effect", "disk-effect", "defect", "bug", "consumer",
  // "check", "step", "target", "signature", "api", and the kinds of words
  std::string kind;
  std::string name;
  std::string summary;                 // one line; may be empty
  std::string explain;                 // a paragraph
  Facts facts;                         // "level": "must"
  std::vector<std::string> aliases{};  // further names
};

void AddCases(std::vector<CatalogEntry>& catalog) {
  for (const CaseInfo& info : AllCases()) {
    std::vector<std::string> needs, clauses;
    for (const Clause* const clause : Contract::BuiltIn().TestedBy(info.name)) {
      clauses.push_back(clause->id);
    }
    for (const Capability need : info.needs) needs.emplace_back(Name(need));
    Facts facts = {{"requirement", info.requirement},
                   {"level", std::string(Name(info.level))},
                   {"judges", fmt::format("{}", fmt::join(info.guarantees, ", "))},
                   {"clauses", fmt::format("{}", fmt::join(clauses, ", "))},
                   {"needs", fmt::format("{}", fmt::join(needs, ", "))},
                   {"upstream", IssueUrls(info.upstream)},
                   {"source", info.file.empty() ? "" : fmt::format("{}:{}", info.file, info.line)}};
    catalog.push_back({"case", info.name, info.requirement, info.explain, std::move(facts)});
  }
}

void AddGuarantees(std::vector<CatalogEntry>& catalog) {
  for (const Guarantee guarantee : AllGuarantees()) {
    const std::string& promise = HeadlineOf(guarantee).says;
    std::vector<std::string> clauses;
    for (const Clause& clause : Contract::BuiltIn().clauses()) {
      if (clause.guarantee == Name(guarantee)) clauses.push_back(clause.id);
    }
    catalog.push_back({"guarantee",
                       std::string(Name(guarantee)),
                       promise,
                       std::string(Explain(guarantee)),
                       {{"promise", promise},
                        {"clauses", fmt::format("{}", fmt::join(clauses, ", "))},
                        {"gravity", std::string(Name(GravityOf(guarantee)))}}});
  }
}

// The known bugs of any product: "etcd #18089 (3.4 < 3.4.34, 3.5 < 3.5.16)".
std::string BugsThatBroke(const Clause& clause) {
  std::vector<std::string> bugs;
  for (const AnswerKey& key : AnswerKey::All()) {
    for (const Bug& bug : key.bugs()) {
      if (std::ranges::count(bug.clauses, clause.id) == 0) continue;
      std::vector<std::string> ranges;
      for (const AffectedRange& range : bug.affected) ranges.push_back(range.text);
      bugs.push_back(fmt::format("{} ({})", bug.Label(), fmt::join(ranges, ", ")));
    }
  }
  return fmt::format("{}", fmt::join(bugs, "; "));
}

std::string VersionsOf(const Clause& clause) {
  if (clause.since.empty() && clause.until.empty()) return {};
  if (clause.until.empty()) return fmt::format("from {} on", clause.since);
  return clause.since.empty() ? fmt::format("up to {}", clause.until)
                              : fmt::format("{} to {}", clause.since, clause.until);
}

void AddClauses(std::vector<CatalogEntry>& catalog) {
  for (const Clause& clause : Contract::BuiltIn().clauses()) {
    catalog.push_back({"clause",
                       clause.id,
                       clause.says,
                       clause.says,
                       {{"level", std::string(Name(clause.level))},
                        {"judged by", clause.guarantee},
                        {"tested by", fmt::format("{}", fmt::join(clause.cases, ", "))},
                        {"in profile", clause.profile},
                        {"asked by", fmt::format("{}", fmt::join(clause.promises, ", "))},
                        {"in etcd", VersionsOf(clause)},
                        {"differs", clause.differs},
                        {"broken by", BugsThatBroke(clause)},
                        {"source", clause.source}}});
  }
  for (const Reach& reach : Contract::BuiltIn().reaches()) {
    catalog.push_back({"level",
                       reach.name,
                       "",
                       reach.about,
                       {{"clauses", fmt::format("{}", fmt::join(reach.clauses, ", "))}}});
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
  for (const Product& product : Products()) {
    for (const ProductDriver& driver : product.drivers) {
      const std::string explain =
          fmt::format("{}: {}{}", product.about, driver.about,
                      driver.since.empty() ? "" : ", since " + driver.since);
      catalog.push_back({"target", fmt::format("{}@VERSION,{}", product.name, driver.name), explain,
                         explain + "."});
    }
  }
  for (const Word& word : Words()) {
    catalog.push_back({word.kind, word.name, "", word.explain, {}, word.aliases});
  }
}

void AddBugEntries(std::vector<CatalogEntry>& catalog) {
  for (const AnswerKey& key : AnswerKey::All()) {
    for (const Bug& bug : key.bugs()) {
      CatalogEntry entry{"bug", bug.name, "", bug.title, FactsOf(bug), bug.aliases};
      const std::string before = bug.issues.empty() ? "" : bug.product;
      for (const int number : bug.upstream) {
        entry.aliases.push_back(fmt::format("{}#{}", before, number));
      }
      catalog.push_back(std::move(entry));
    }
  }
}

void AddSignatures(std::vector<CatalogEntry>& catalog) {
  using Labels = std::vector<std::string>;
  std::map<std::string, std::pair<std::string, Labels>> signatures;
  for (const AnswerKey& key : AnswerKey::All()) {
    for (const auto& [name, signature] : key.signatures()) {
      auto& [title, bugs] = signatures.try_emplace(name, signature.title, Labels()).first->second;
      for (const Bug& bug : key.bugs()) {
        if (Contains(bug.signatures, name)) bugs.push_back(bug.Label());
      }
    }
  }
  for (const auto& [name, one] : signatures) {
    catalog.push_back({"signature",
                       name,
                       "",
                       fmt::format("What findings look like in which {}.", one.first),
                       {{"bugs", fmt::format("{}", fmt::join(one.second, ", "))}}});
  }
}

// What a cell says: "drawn by get, txn", "not drawn (between members only)".
std::string CellText(std::string_view verb, const ApiCell& cell) {
  if (!cell.names.empty()) return fmt::format("{} by {}", verb, fmt::join(cell.names, ", "));
  return fmt::format("not {}{}", verb,
                     cell.why_none.empty() ? "" : fmt::format(" ({})", cell.why_none));
}

void AddApi(std::vector<CatalogEntry>& catalog) {
  for (const ApiRow& row : ApiTable::BuiltIn().rows()) {
    CatalogEntry entry{.kind = std::string(kApi),
                       .name = row.name,
                       .explain = "A call, field or option of etcd's API."};
    std::vector<std::string> texts;
    for (const auto& [verb, cell] :
         {std::pair("drawn", &row.drawn), {"asked for", &row.asked}, {"judged", &row.judged}}) {
      texts.push_back(CellText(verb, *cell));
      entry.facts.emplace_back(fmt::format("{} by", verb),
                               fmt::format("{}", fmt::join(cell->names, ", ")));
      entry.facts.emplace_back(fmt::format("not {}", verb), cell->why_none);
    }
    entry.facts.emplace_back("right", row.right);
    entry.summary = fmt::format("{}; right: {}", fmt::join(texts, "; "), row.right);
    catalog.push_back(std::move(entry));
  }
}

// By kind, within a kind by name; calls and fields as they stand in the API.
std::vector<CatalogEntry> Catalog() {
  std::vector<CatalogEntry> catalog;
  AddCases(catalog);
  AddGuarantees(catalog);
  AddClauses(catalog);
  AddFaults(catalog);
  AddEffects(catalog);
  AddDiskEffects(catalog);
  AddDefects(catalog);
  // Before the bugs, some of which have the same name: what is said of a bug ends with a command.
  AddSignatures(catalog);
  AddBugEntries(catalog);
  AddConsumers(catalog);
  AddApi(catalog);
  AddWords(catalog);
  return catalog;
}

// The other kinds are words that only `explain` needs.
const std::vector<std::string>& ListedKinds() {
  static const std::vector<std::string> kKinds = {"case",   "guarantee",   "clause", "fault",
                                                  "effect", "disk-effect", "defect", "consumer",
                                                  "target", "step",        "api"};
  return kKinds;
}

std::string Plural(const std::string& kind) { return kind == kApi ? kind : kind + "s"; }

// As `list` takes them.
std::vector<std::string> ListedPlurals() {
  std::vector<std::string> plurals;
  for (const std::string& known : ListedKinds()) plurals.push_back(Plural(known));
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
  fmt::print("{}\n", Plural(kind));
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind != kind) continue;
    PrintLine(fmt::format("  {}  {}", PadRight(entry.name, width), CleanText(Summary(entry))),
              style);
  }
}

// How much of the table is filled.
void PrintApiCells() {
  const std::vector<ApiRow>& rows = ApiTable::BuiltIn().rows();
  const auto count = [&rows](ApiCell ApiRow::*cell) {
    const auto named = std::ranges::count_if(
        rows, [cell](const ApiRow& row) { return !(row.*cell).names.empty(); });
    const auto missing =
        std::ranges::count_if(rows, [cell](const ApiRow& row) { return (row.*cell).missing(); });
    return fmt::format("{} ({} not yet)", named, missing);
  };
  fmt::print("{} rows: drawn {}, asked {}, judged {}\n", rows.size(), count(&ApiRow::drawn),
             count(&ApiRow::asked), count(&ApiRow::judged));
}

void PrintEntry(const CatalogEntry& entry, const TerminalStyle& style) {
  fmt::print("{} ({})\n", entry.name, entry.kind);
  for (const std::string& line : Wrap(CleanText(entry.explain), style.width - 2)) {
    fmt::print("  {}\n", line);
  }
  for (const auto& [name, value] : entry.facts) {
    if (value.empty()) continue;
    std::string label = name;
    // A command stays on one line, to be pasted.
    const std::size_t width = value.starts_with("watchproof ") ? value.size() : style.width - 16;
    for (const std::string& line : Wrap(CleanText(value), width)) {
      fmt::print("    {}{}\n", PadRight(std::exchange(label, ""), 12), line);
    }
  }
}

struct NameFlags {
  std::string name;
  bool json = false;
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
    if (!kind.empty() && kind != Plural(known)) continue;
    if (!json) {
      PrintKind(known, catalog, style);
      if (known == kApi) PrintApiCells();
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
    names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
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

CommandBody AddList(const Command& command) {
  const auto flags = std::make_shared<NameFlags>();
  command.Value("what", flags->name, fmt::format("{}", fmt::join(ListedPlurals(), "|")),
                "Only this kind");
  command.Switch("--json", flags->json, "One JSON document per line");
  return [flags] { return ListCommand(flags->name, flags->json); };
}

CommandBody AddExplain(const Command& command) {
  const auto words = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  command
      .Value("name", *words, "NAME",
             "Case, guarantee, fault, effect, defect, consumer, bug by its name or number, or a "
             "word of a report: a verdict, level, exit code, ...")
      ->required();
  command.Switch("--json", *json, "As a JSON document");
  // "fixed early" without quotes.
  return [words, json] { return ExplainCommand(fmt::format("{}", fmt::join(*words, " ")), *json); };
}

}  // namespace watchproof
