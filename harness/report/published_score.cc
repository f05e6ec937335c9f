// SPDX-License-Identifier: Apache-2.0
#include "harness/report/published_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/history/json_fields.h"
#include "harness/releases/etcd_version.h"
#include "harness/report/text.h"

namespace watchproof {

// The document. Not unnamed: what writes a list of them looks in the namespace that they are in.
struct PublishedLevel {
  std::string name;
  bool reached = false;
  std::vector<std::string> missing{};
  template <typename F>
  void Fields(F& field) {
    field.Required("name", name);
    field.Required("reached", reached);
    field("missing", missing);
  }
};

struct PublishedClause {
  std::string clause;
  std::string is;
  // Empty, unless it is broken: in the case, or by a known bug.
  std::string case_name{};
  std::string bug{};
  std::string observed{};
  template <typename F>
  void Fields(F& field) {
    field.Required("clause", clause);
    field.Required("is", is);
    field("case", case_name);
    field("bug", bug);
    field("observed", observed);
  }
};

struct PublishedDocument {
  static constexpr int kSchema = 1;
  int schema = kSchema;
  std::string target{};
  std::string spec{};
  std::string api{};  // "3.7"
  double points = 0;
  std::string seed{};
  std::map<std::string, std::string> flags{};
  std::string watchproof{};
  std::string replay{};
  std::string behaves_like{};  // releases of etcd
  std::vector<PublishedLevel> levels{};
  std::vector<PublishedClause> clauses{};
  template <typename F>
  void Fields(F& field) {
    field.Required("schema", schema);
    field.Required("target", target);
    field.Required("spec", spec);
    field.Required("api", api);
    field.Required("points", points);
    field.Required("seed", seed);
    field("flags", flags);
    field("watchproof", watchproof);
    field("replay", replay);
    field("behaves_like", behaves_like);
    field.Required("levels", levels);
    field.Required("clauses", clauses);
  }
};

namespace {

constexpr double kRounded = 0.05;  // points

Status Wrong(std::string_view field, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument, "{}: {}; expected what score --json has written", field,
              why);
}

Result<Kept> KeptOf(std::string_view name) {
  for (const Kept kept : {Kept::kKept, Kept::kBroken, Kept::kNotOffered, Kept::kNotShown}) {
    if (Name(kept) == name) return kept;
  }
  return Wrong("is", fmt::format("'{}'", name));
}

// What is left out, or there twice, would change points and levels.
Status CheckWhole(const Score& score) {
  auto next = score.clauses.begin();
  for (const Clause& clause : Contract::BuiltIn().clauses()) {
    if (!clause.Binds(score.minor)) continue;
    if (next != score.clauses.end() && next->clause == &clause) {
      ++next;
    } else if (clause.profile.empty()) {
      return Wrong("clauses", fmt::format("{} is not in its place among those of etcd 3.{}",
                                          clause.id, score.minor));
    }
  }
  if (next == score.clauses.end()) return {};
  return Wrong("clauses", fmt::format("{} is one too many", next->clause->id));
}

std::string ReplayOf(const Score& score) {
  std::string words = fmt::format("watchproof score --target {}", ShellQuote(score.spec));
  for (const char* const name : kFlagsOfScore) {
    const auto flag = score.flags.find(name);
    if (flag != score.flags.end()) words += fmt::format(" {} {}", name, ShellQuote(flag->second));
  }
  return words + " --seed " + score.seed;
}

std::vector<PublishedLevel> LevelsOf(const Score& score) {
  std::vector<PublishedLevel> levels;
  for (const ReachScore& level : score.levels) {
    PublishedLevel entry{.name = level.reach->name, .reached = level.missing.empty()};
    for (const ClauseScore* const one : level.missing) entry.missing.push_back(one->clause->id);
    levels.push_back(std::move(entry));
  }
  return levels;
}

const ClauseScore* Find(const Score& score, const Clause* clause) {
  const auto found = std::ranges::find(score.clauses, clause, &ClauseScore::clause);
  return found == score.clauses.end() ? nullptr : &*found;
}

bool IsBroken(const ScoreShift& shift) {
  return shift.says->kept == Kept::kKept && shift.is->kept == Kept::kBroken;
}

}  // namespace

std::string ToJson(const Score& score) {
  PublishedDocument document{.target = score.label,
                             .spec = score.spec,
                             .api = fmt::format("3.{}", score.minor),
                             .points = score.points,
                             .seed = score.seed,
                             .flags = score.flags,
                             .watchproof = score.tool,
                             .replay = ReplayOf(score),
                             .behaves_like = score.nearest.releases,
                             .levels = LevelsOf(score)};
  for (const ClauseScore& one : score.clauses) {
    document.clauses.push_back({.clause = one.clause->id,
                                .is = std::string(Name(one.kept)),
                                .case_name = one.case_name,
                                .bug = one.bug,
                                .observed = one.observed});
  }
  Json json = WriteFields(document);
  for (Json& clause : json["clauses"]) {
    for (const char* const field : {"case", "bug", "observed"}) {
      if (clause[field] == "") clause.erase(field);
    }
  }
  return DumpJson(json);
}

Result<Score> ReadScore(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return Wrong("the document", "no object");
  PublishedDocument document;
  if (const auto wrong = ReadFields(parsed, document)) {
    return Wrong(*wrong, "missing, or of another type");
  }
  if (document.schema != PublishedDocument::kSchema) {
    return Wrong("schema", fmt::format("{}, of another version", document.schema));
  }
  Score score;
  score.label = document.target;
  score.spec = document.spec;
  const auto minor = MinorOf(document.api + ".0");
  if (!minor) return Wrong("api", fmt::format("'{}'", document.api));
  score.minor = *minor;
  score.seed = document.seed;
  score.flags = document.flags;
  score.tool = document.watchproof;
  score.nearest.releases = document.behaves_like;
  for (const PublishedClause& entry : document.clauses) {
    const Clause* const clause = Contract::BuiltIn().Find(entry.clause);
    if (clause == nullptr) {
      return Wrong("clause", fmt::format("there is no {}", entry.clause));
    }
    WP_ASSIGN_OR_RETURN(const Kept kept, KeptOf(entry.is));
    score.clauses.push_back({.clause = clause,
                             .kept = kept,
                             .case_name = entry.case_name,
                             .observed = entry.observed,
                             .bug = entry.bug});
  }
  WP_RETURN_IF_ERROR(CheckWhole(score));
  Conclude(score);
  if (std::abs(score.points - document.points) > kRounded) {
    return Wrong("points",
                 fmt::format("{}, and {} follow from its clauses", document.points, score.points));
  }
  const auto reached = [](const std::vector<PublishedLevel>& levels) {
    std::map<std::string, bool> names;
    for (const PublishedLevel& level : levels) names[level.name] = level.reached;
    return names;
  };
  if (reached(LevelsOf(score)) != reached(document.levels)) {
    return Wrong("levels", "others follow from its clauses");
  }
  return score;
}

bool ScoreCheck::holds() const {
  return published->minor == now->minor && std::ranges::none_of(shifts, IsBroken);
}

bool ScoreCheck::confirmed() const {
  return std::ranges::none_of(
      shifts, [](const ScoreShift& shift) { return shift.says->kept == Kept::kKept; });
}

ScoreCheck Check(const Score& published, const Score& now) {
  ScoreCheck check{.published = &published, .now = &now};
  for (const ClauseScore& says : published.clauses) {
    const ClauseScore* const is = Find(now, says.clause);
    if (is != nullptr && is->kept != says.kept) check.shifts.push_back({&says, is});
  }
  std::ranges::stable_partition(check.shifts, IsBroken);
  return check;
}

std::string ToJson(const ScoreCheck& check) {
  Json document = {
      {"schema", PublishedDocument::kSchema},
      {"target", check.now->label},
      {"holds", check.holds()},
      {"confirmed", check.confirmed()},
      {"points", {{"said", check.published->points}, {"seen", check.now->points}}},
      {"behaves_like",
       {{"said", check.published->nearest.releases}, {"seen", check.now->nearest.releases}}},
      {"clauses", Json::array()}};
  for (const ScoreShift& shift : check.shifts) {
    document["clauses"].push_back({{"clause", shift.says->clause->id},
                                   {"said", Name(shift.says->kept)},
                                   {"seen", Name(shift.is->kept)},
                                   {"observed", shift.is->observed}});
  }
  return DumpJson(document);
}

std::string ToText(const ScoreCheck& check) {
  std::string text = fmt::format("{}: the document says {:.0f}/100, this run {:.0f}/100\n",
                                 check.now->label, check.published->points, check.now->points);
  if (check.published->minor != check.now->minor) {
    text += fmt::format("  It is about etcd 3.{}, and the target serves the API of 3.{}.\n",
                        check.published->minor, check.now->minor);
  }
  const std::string& said = check.published->nearest.releases;
  if (said != check.now->nearest.releases) {
    text += fmt::format("  It is said to behave most like etcd {}; in this run, {}.\n", said,
                        check.now->nearest.releases);
  }
  for (const ScoreShift& shift : check.shifts) {
    text += fmt::format("  {:<5} said to be {}, is {}\n", shift.says->clause->id,
                        Words(shift.says->kept), Words(shift.is->kept));
    if (!IsBroken(shift)) continue;
    text += fmt::format("        {}\n", BrokenBy(*shift.is));
  }
  return text + (!check.holds() ? "It does not hold: something that it says is kept is broken.\n"
                 : !check.confirmed() ? "Nothing that it says is kept is broken; not all of it was "
                                        "shown.\n"
                                      : "It holds.\n");
}

}  // namespace watchproof
