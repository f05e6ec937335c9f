// SPDX-License-Identifier: Apache-2.0
#include "harness/contract/contract.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/toml_fields.h"

namespace watchproof {
namespace {

using namespace toml_fields;

constexpr std::string_view kMinors = "3.";  // of all releases with this API

std::optional<int> MinorIn(std::string_view text) {
  if (!text.starts_with(kMinors)) return std::nullopt;
  text.remove_prefix(kMinors.size());
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return minor;
}

// "W-*" of "W-12".
bool IsGroup(std::string_view text) { return text.ends_with("-*"); }
std::string_view LetterOf(std::string_view id) { return id.substr(0, id.find('-')); }

Result<Level> ReadLevel(const toml::table& table) {
  constexpr std::string_view kField = "level";
  WP_ASSIGN_OR_RETURN(const std::string text, Text(table, kField));
  for (const Level level : {Level::kMust, Level::kShould, Level::kMay}) {
    if (Name(level) == text) return level;
  }
  return FailAt(Place(table, kField), "expected 'level' with must, should or may");
}

Result<std::string> ReadMinor(const toml::table& table, std::string_view field) {
  WP_ASSIGN_OR_RETURN(std::string text, OptionalText(table, field));
  if (text.empty() || MinorIn(text)) return text;
  return FailAt(Place(table, field), fmt::format("expected '{}' with a minor version", field));
}

Result<Clause> ReadClause(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"id", "says", "level", "guarantee", "cases", "promises",
                                        "source", "since", "until", "differs", "profile"}));
  Clause clause;
  WP_ASSIGN_OR_RETURN(clause.id, Text(table, "id"));
  WP_ASSIGN_OR_RETURN(clause.says, Text(table, "says"));
  WP_ASSIGN_OR_RETURN(clause.level, ReadLevel(table));
  WP_ASSIGN_OR_RETURN(clause.guarantee, Text(table, "guarantee"));
  WP_ASSIGN_OR_RETURN(clause.cases, OptionalList<std::string>(table, "cases"));
  WP_ASSIGN_OR_RETURN(clause.promises, OptionalList<std::string>(table, "promises"));
  WP_ASSIGN_OR_RETURN(clause.source, Text(table, "source"));
  WP_ASSIGN_OR_RETURN(clause.since, ReadMinor(table, "since"));
  WP_ASSIGN_OR_RETURN(clause.until, ReadMinor(table, "until"));
  WP_ASSIGN_OR_RETURN(clause.differs, OptionalText(table, "differs"));
  WP_ASSIGN_OR_RETURN(clause.profile, OptionalText(table, "profile"));
  if (clause.cases.empty() && clause.promises.empty()) {
    return FailAt(table, "expected 'cases' or 'promises': nothing tests the clause");
  }
  return clause;
}

Result<Reach> ReadReach(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"name", "about", "clauses"}));
  Reach reach;
  WP_ASSIGN_OR_RETURN(reach.name, Text(table, "name"));
  WP_ASSIGN_OR_RETURN(reach.about, Text(table, "about"));
  WP_ASSIGN_OR_RETURN(reach.clauses, List<std::string>(table, "clauses"));
  return reach;
}

}  // namespace

bool Clause::TestedBy(std::string_view case_name) const {
  const std::string_view suite = case_name.substr(0, case_name.find('.'));
  return std::ranges::any_of(cases, [&](std::string_view one) {
    return one == case_name || (one.ends_with(".*") && one.substr(0, one.size() - 2) == suite);
  });
}

bool Clause::Binds(int minor) const {
  if (!since.empty() && minor < *MinorIn(since)) return false;
  return until.empty() || minor <= *MinorIn(until);
}

Result<Contract> Contract::Parse(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, Document(text));
  WP_RETURN_IF_ERROR(OnlyFields(root, {"clause", "reach"}));
  Contract contract;
  WP_ASSIGN_OR_RETURN(const auto clauses, Tables(root, "clause"));
  for (const toml::table* table : clauses) {
    WP_ASSIGN_OR_RETURN(Clause clause, ReadClause(*table));
    if (contract.Find(clause.id) != nullptr) {
      return FailAt(Place(*table, "id"), fmt::format("{} is there twice", clause.id));
    }
    contract.clauses_.push_back(std::move(clause));
  }
  WP_ASSIGN_OR_RETURN(const auto reaches, Tables(root, "reach"));
  for (const toml::table* table : reaches) {
    WP_ASSIGN_OR_RETURN(Reach reach, ReadReach(*table));
    for (const std::string& id : reach.clauses) {
      if (IsGroup(id) || contract.Find(id) != nullptr) continue;
      return FailAt(Place(*table, "clauses"), fmt::format("there is no clause {}", id));
    }
    contract.reaches_.push_back(std::move(reach));
  }
  return contract;
}

const Contract& Contract::BuiltIn() {
  static const Contract kBuiltIn = [] {
    Result<Contract> parsed = Parse(BuiltInText());
    WP_CHECK(parsed.has_value(),
             ("fixtures/contract/etcd.toml: " + parsed.error().message()).c_str());
    return std::move(parsed).value();
  }();
  return kBuiltIn;
}

const Clause* Contract::Find(std::string_view id) const {
  const auto found = std::ranges::find(clauses_, id, &Clause::id);
  return found == clauses_.end() ? nullptr : &*found;
}

const Clause& Contract::Get(std::string_view id) const {
  const Clause* const clause = Find(id);
  WP_CHECK(clause != nullptr, "fixtures/contract/etcd.toml has the clause");
  return *clause;
}

std::vector<const Clause*> Contract::TestedBy(std::string_view case_name) const {
  std::vector<const Clause*> tested;
  for (const Clause& clause : clauses_) {
    if (clause.TestedBy(case_name)) tested.push_back(&clause);
  }
  return tested;
}

std::vector<const Clause*> Contract::Of(const Reach& reach) const {
  std::vector<const Clause*> needed;
  for (const Clause& clause : clauses_) {
    const bool needs = std::ranges::any_of(reach.clauses, [&clause](const std::string& id) {
      const bool of_group = IsGroup(id) && LetterOf(id) == LetterOf(clause.id);
      return id == clause.id || (of_group && clause.level == Level::kMust);
    });
    if (needs) needed.push_back(&clause);
  }
  return needed;
}

}  // namespace watchproof
