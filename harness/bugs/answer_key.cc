// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/answer_key.h"

#include "harness/base/check.h"
#include "harness/base/toml_fields.h"

namespace watchproof {
namespace {

using namespace toml_fields;

constexpr std::string_view kEtcd = "etcd";
constexpr std::string_view kExploration = "exploration: ";
constexpr std::string_view kProbing = "probing: ";
constexpr std::string_view kCostNames[kCosts] = {"data",  "security",  "outage", "silence",
                                                 "order", "resources", "noise"};

Result<ShownBy> ReadShown(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"case", "guarantees", "rate", "reason", "topology"}));
  ShownBy shown;
  WP_ASSIGN_OR_RETURN(shown.case_name, Text(table, "case"));
  WP_ASSIGN_OR_RETURN(shown.guarantees, List<std::string>(table, "guarantees"));
  WP_ASSIGN_OR_RETURN(shown.rate, OptionalText(table, "rate"));
  WP_ASSIGN_OR_RETURN(shown.reason, OptionalText(table, "reason"));
  WP_ASSIGN_OR_RETURN(shown.topology, OptionalText(table, "topology"));
  return shown;
}

Result<std::vector<AffectedRange>> ReadRanges(const toml::table& table) {
  WP_ASSIGN_OR_RETURN(const auto texts, List<std::string>(table, "affected"));
  std::vector<AffectedRange> ranges;
  for (const std::string& text : texts) {
    Result<AffectedRange> range = ParseRange(text);
    if (!range.has_value()) return FailAt(*table.get("affected"), range.error().message());
    if (!ranges.empty() && ranges.back().branch >= range->branch) {
      return FailAt(
          *table.get("affected"),
          fmt::format("expected the branches in their order, each once; '{}' is not", text));
    }
    ranges.push_back(*std::move(range));
  }
  return ranges;
}

Status ReadEvidence(const toml::table& table, Bug& bug) {
  WP_ASSIGN_OR_RETURN(const auto rows, Tables(table, "shown"));
  for (const toml::table* row : rows) {
    WP_ASSIGN_OR_RETURN(ShownBy shown, ReadShown(*row));
    for (const ShownBy& other : bug.shown) {
      if (other.case_name != shown.case_name) continue;
      return FailAt(*row, fmt::format("{} is listed twice for {}", shown.case_name, bug.name));
    }
    if (shown.reason.empty()) shown.reason = bug.title;
    bug.shown.push_back(std::move(shown));
  }
  WP_ASSIGN_OR_RETURN(bug.met, OptionalText(table, "met"));
  WP_ASSIGN_OR_RETURN(bug.permitted, OptionalText(table, "permitted"));
  WP_ASSIGN_OR_RETURN(bug.not_shown, OptionalText(table, "not_shown"));
  if (!bug.met.empty() && !bug.met.starts_with(kExploration) && !bug.met.starts_with(kProbing)) {
    return FailAt(*table.get("met"),
                  fmt::format("expected 'met' to begin with '{}' or '{}'", kExploration, kProbing));
  }
  const int given = (bug.shown.empty() ? 0 : 1) + (bug.met.empty() ? 0 : 1) +
                    (bug.permitted.empty() ? 0 : 1) + (bug.not_shown.empty() ? 0 : 1);
  if (given == 1) return {};
  return FailAt(table, fmt::format("expected one of [[bug.shown]], 'met', 'permitted' and "
                                   "'not_shown' for {}",
                                   bug.name));
}

Result<TrackRecord> ReadTrackRecord(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"red", "green", "first_red", "theirs"}));
  TrackRecord record;
  WP_ASSIGN_OR_RETURN(record.red, OptionalText(table, "red"));
  WP_ASSIGN_OR_RETURN(record.green, OptionalText(table, "green"));
  WP_ASSIGN_OR_RETURN(record.first_red, OptionalText(table, "first_red"));
  WP_ASSIGN_OR_RETURN(record.theirs, Text(table, "theirs"));
  return record;
}

Result<Cost> ReadCost(const toml::table& table) {
  WP_ASSIGN_OR_RETURN(const std::string text, Text(table, "cost"));
  const auto* const found = std::ranges::find(kCostNames, text);
  if (found != std::end(kCostNames)) return static_cast<Cost>(found - std::begin(kCostNames));
  return FailAt(*table.get("cost"),
                fmt::format("expected 'cost' to be one of {}", fmt::join(kCostNames, ", ")));
}

Result<Bug> ReadBug(const toml::table& table, const std::string& product,
                    const std::string& issues) {
  WP_RETURN_IF_ERROR(OnlyFields(
      table,
      {"name",       "upstream", "aliases", "title",     "cost",      "impact",      "affected",
       "signatures", "clauses",  "members", "needs",     "source",    "topology",    "link",
       "every_case", "shown",    "met",     "permitted", "not_shown", "track_record"}));
  Bug bug{.name = {}, .product = product, .issues = issues};
  if (table.contains("upstream")) {
    WP_ASSIGN_OR_RETURN(bug.upstream, List<int>(table, "upstream"));
    bug.name = fmt::format("{}#{}", product == kEtcd ? "" : product, bug.upstream.front());
  }
  if (table.contains("name") || bug.upstream.empty()) {
    WP_ASSIGN_OR_RETURN(bug.name, Text(table, "name"));
  }
  if (table.contains("aliases")) {
    WP_ASSIGN_OR_RETURN(bug.aliases, List<std::string>(table, "aliases"));
  }
  WP_ASSIGN_OR_RETURN(bug.title, Text(table, "title"));
  WP_ASSIGN_OR_RETURN(bug.cost, ReadCost(table));
  WP_ASSIGN_OR_RETURN(bug.impact, Text(table, "impact"));
  WP_ASSIGN_OR_RETURN(bug.affected, ReadRanges(table));
  if (table.contains("signatures")) {
    WP_ASSIGN_OR_RETURN(bug.signatures, List<std::string>(table, "signatures"));
  }
  if (table.contains("clauses")) {
    WP_ASSIGN_OR_RETURN(bug.clauses, List<std::string>(table, "clauses"));
  }
  bug.members = table["members"].value_or(1);
  if (bug.members < 1) return FailAt(*table.get("members"), "expected 'members' of at least 1");
  bug.every_case = table["every_case"].value_or(false);
  WP_ASSIGN_OR_RETURN(bug.topology, OptionalText(table, "topology"));
  if (bug.every_case && bug.signatures.empty()) {
    return FailAt(*table.get("every_case"), "expected 'signatures' beside 'every_case'");
  }
  WP_ASSIGN_OR_RETURN(bug.needs, OptionalText(table, "needs"));
  WP_ASSIGN_OR_RETURN(bug.source, Text(table, "source"));
  WP_ASSIGN_OR_RETURN(bug.link, OptionalText(table, "link"));
  WP_RETURN_IF_ERROR(ReadEvidence(table, bug));
  if (const toml::table* const record = table["track_record"].as_table()) {
    WP_ASSIGN_OR_RETURN(bug.track_record, ReadTrackRecord(*record));
  }
  if (!bug.shown.empty() && bug.signatures.empty()) {
    return FailAt(table, fmt::format("expected 'signatures' for {}: a bug that cases show explains "
                                     "only findings that look like it",
                                     bug.name));
  }
  return bug;
}

Result<Signature> ReadSignature(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"name", "title", "members", "guarantee", "says"}));
  Signature signature{.title = {}, .members = table["members"].value_or(1)};
  WP_ASSIGN_OR_RETURN(signature.title, Text(table, "title"));
  if (!table.contains("says")) return signature;
  WP_ASSIGN_OR_RETURN(signature.says, List<std::string>(table, "says"));
  WP_ASSIGN_OR_RETURN(signature.guarantee, Text(table, "guarantee"));
  return signature;
}

// How the bugs with the signature stand on the target, without those that it cannot have.
std::vector<std::pair<const Bug*, BugState>> Candidates(std::string_view name,
                                                        const BugCarrier& target) {
  const AnswerKey& key = AnswerKey::For(target.product);
  const auto signature = key.signatures().find(name);
  std::vector<std::pair<const Bug*, BugState>> candidates;
  if (signature == key.signatures().end()) return candidates;
  const bool is_product = target.product == key.product();
  const auto version = ParseVersion(target.version);
  for (const Bug& bug : key.bugs()) {
    const auto& names = bug.signatures;
    if (std::ranges::find(names, name) == names.end()) continue;
    const bool too_few = is_product && target.members > 0 &&
                         target.members < std::max(bug.members, signature->second.members);
    const bool elsewhere =
        target.topology && !bug.topology.empty() && bug.topology != *target.topology;
    BugState state = is_product && version ? StateIn(bug.affected, *version)
                                           : BugState{.presence = Presence::kAffected};
    if (too_few || elsewhere || state.presence == Presence::kNever) continue;
    candidates.emplace_back(&bug, std::move(state));
  }
  return candidates;
}

}  // namespace

std::string_view Name(Cost cost) { return kCostNames[static_cast<int>(cost)]; }

std::string IssueUrl(int issue) {
  return fmt::format("https://github.com/etcd-io/etcd/issues/{}", issue);
}

std::string Bug::UrlOf(int issue) const {
  return issues.empty() ? IssueUrl(issue) : issues + std::to_string(issue);
}

std::string Bug::Url() const { return upstream.empty() ? link : UrlOf(upstream.front()); }

std::string Bug::Label() const { return name.starts_with('#') ? "etcd " + name : name; }

const std::string& Bug::WhyNoCase() const {
  if (!met.empty()) return met;
  return permitted.empty() ? not_shown : permitted;
}

Result<AnswerKey> AnswerKey::Parse(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, Document(text));
  AnswerKey key;
  std::string issues;
  if (root.contains("product")) {
    WP_ASSIGN_OR_RETURN(key.product_, Text(root, "product"));
    WP_ASSIGN_OR_RETURN(issues, Text(root, "issues"));
  }
  WP_ASSIGN_OR_RETURN(const auto signatures, Tables(root, "signature"));
  for (const toml::table* table : signatures) {
    WP_ASSIGN_OR_RETURN(const std::string name, Text(*table, "name"));
    WP_ASSIGN_OR_RETURN(Signature signature, ReadSignature(*table));
    if (key.signatures_.emplace(name, std::move(signature)).second) continue;
    return FailAt(*table, fmt::format("the signature {} is listed twice", name));
  }
  WP_ASSIGN_OR_RETURN(const auto bugs, Tables(root, "bug"));
  for (const toml::table* table : bugs) {
    WP_ASSIGN_OR_RETURN(Bug bug, ReadBug(*table, key.product_, issues));
    for (const std::string& signature : bug.signatures) {
      if (key.signatures_.contains(signature)) continue;
      return FailAt(*table->get("signatures"),
                    fmt::format("there is no [[signature]] called {}", signature));
    }
    for (const Bug& other : key.bugs_) {
      if (other.name == bug.name) return FailAt(*table, bug.name + " is listed twice");
    }
    key.bugs_.push_back(std::move(bug));
  }
  return key;
}

const AnswerKey& AnswerKey::BuiltIn() { return All().front(); }

const std::vector<AnswerKey>& AnswerKey::All() {
  static const std::vector<AnswerKey> kAll = [] {
    std::vector<AnswerKey> keys;
    for (const auto& [product, text] : KeyTexts()) {
      Result<AnswerKey> parsed = Parse(text);
      const std::string file = fmt::format("fixtures/bugs/{}.toml: ", product);
      WP_CHECK(parsed.has_value(), (file + parsed.error().message()).c_str());
      WP_CHECK(parsed->product_ == product, (file + "it is about another product").c_str());
      const bool first = product == kEtcd;
      keys.insert(first ? keys.begin() : keys.end(), *std::move(parsed));
    }
    WP_CHECK(!keys.empty() && keys.front().product_ == kEtcd, "etcd has an answer key");
    return keys;
  }();
  return kAll;
}

const AnswerKey* AnswerKey::Find(std::string_view product) {
  const auto found = std::ranges::find(All(), product, &AnswerKey::product_);
  return found == All().end() ? nullptr : &*found;
}

const AnswerKey& AnswerKey::For(std::string_view product) {
  static const AnswerKey kNone = [] {
    AnswerKey none;
    none.product_.clear();
    return none;
  }();
  if (product.empty() || product == "embedded") return BuiltIn();
  const AnswerKey* const own = Find(product);
  return own == nullptr ? kNone : *own;
}

std::string AnswerKey::SignatureOf(std::string_view guarantee, std::string_view expected,
                                   std::string_view observed) const {
  for (const auto& [name, signature] : signatures_) {
    if (signature.says.empty() || signature.guarantee != guarantee) continue;
    const auto said = [&](const std::string& words) {
      return expected.find(words) != expected.npos || observed.find(words) != observed.npos;
    };
    if (std::ranges::all_of(signature.says, said)) return name;
  }
  return {};
}

const Bug* AnswerKey::FindBug(std::string_view name) {
  for (const AnswerKey& key : AnswerKey::All()) {
    const auto found = std::ranges::find(key.bugs(), name, &Bug::name);
    if (found != key.bugs().end()) return &*found;
  }
  return nullptr;
}

std::vector<std::string> KnownBugs(std::string_view signature, const BugCarrier& target) {
  std::vector<std::string> names;
  for (const auto& [bug, state] : Candidates(signature, target)) {
    if (state.presence == Presence::kAffected) names.push_back(bug->name);
  }
  return names;
}

bool IsKnownBug(std::string_view signature, const BugCarrier& target) {
  return AnswerKey::Find(target.product) != nullptr && !KnownBugs(signature, target).empty();
}

std::string KnownBugText(std::string_view signature, const BugCarrier& target) {
  const auto& signatures = AnswerKey::For(target.product).signatures();
  const auto found = signatures.find(signature);
  if (found == signatures.end()) {
    const bool of_etcd = AnswerKey::BuiltIn().signatures().contains(signature);
    return of_etcd ? std::string() : std::string(signature);
  }
  std::vector<std::string> possible;
  std::vector<std::string> fixed;
  for (const auto& [bug, state] : Candidates(signature, target)) {
    if (state.presence == Presence::kFixed) {
      fixed.push_back(fmt::format("{}, fixed in {}", bug->Label(), state.fixed));
    } else {
      possible.push_back(bug->Label());
    }
  }
  const std::string& title = found->second.title;
  if (!possible.empty()) return fmt::format("{}: {}", fmt::join(possible, " or "), title);
  if (fixed.empty()) return {};
  return fmt::format("looked like {}: this may be new ({})", fmt::join(fixed, ", and "), title);
}

}  // namespace watchproof
