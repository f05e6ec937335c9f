// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/catalog.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "cases/support/case_registry.h"
#include "embedded_store/defects/defect.h"
#include "harness/checkers/guarantee.h"
#include "harness/checkers/known_bugs.h"
#include "harness/driver/expectations.h"
#include "harness/driver/result.h"
#include "harness/faults/fault.h"
#include "harness/targets/target_info.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string Issues(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers) {
    texts.push_back(fmt::format("https://github.com/etcd-io/etcd/issues/{}", number));
  }
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

}  // namespace

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

const std::vector<std::string>& ListedKinds() {
  static const std::vector<std::string> kKinds = {"case",   "guarantee", "fault",
                                                  "effect", "defect",    "target"};
  return kKinds;
}

}  // namespace watchproof
