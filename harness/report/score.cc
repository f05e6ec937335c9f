// SPDX-License-Identifier: Apache-2.0
#include "harness/report/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "harness/history/json_fields.h"
#include "harness/releases/etcd_version.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr int kNewest = 7;              // the minor version that the contract describes
constexpr std::size_t kMostLines = 10;  // of a level
constexpr std::size_t kColumns = 98;
// Flags of a run that change which cases there are, which requests they make, and whether these are
// answered in time.
constexpr const char* kFlags[] = {"--target-profile", "--profile", "--filter", "--exclude",
                                  "--case-timeout"};

int WeightOf(const Clause& clause) {
  return clause.level == Level::kMust ? 3 : clause.level == Level::kShould ? 1 : 0;
}

bool IsJudged(const AttemptResult& result) {
  return result.verdict == Verdict::kPass || result.verdict == Verdict::kFail;
}

// The attempts of the target, and the number of the first finding of each.
struct Numbered {
  const AttemptResult* result;
  std::size_t first;
};
std::vector<Numbered> AttemptsOf(const RunRecord& record, std::string_view target) {
  std::vector<Numbered> attempts;
  std::size_t findings = 0;
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& result = attempt.result;
    if (result.target == target) attempts.push_back({&result, findings + 1});
    if (result.verdict == Verdict::kFail) {
      findings += std::max<std::size_t>(1, result.findings.size());
    }
  }
  return attempts;
}

// A case that came to a verdict tests its clauses. Any attempt may show more: what all of a
// guarantee says, if the target could have broken it there, and what a standing promise asks for.
// A guarantee and a watch have one finding, which may hide that more of it was broken.
bool Shows(const AttemptResult& result, const Clause& clause, bool headline) {
  const bool broken =
      std::ranges::count(result.findings, clause.guarantee, &FindingRecord::guarantee) > 0;
  if (!IsJudged(result) || broken) return false;
  const Exercise& exercise = result.exercise;
  return clause.TestedBy(result.case_name) ||
         (headline && exercise.opportunities.contains(clause.guarantee)) ||
         std::ranges::any_of(clause.promises, [&exercise](const std::string& promise) {
           return std::ranges::count(exercise.asked, promise) > 0;
         });
}

bool IsHeadline(const Clause& clause) {
  return std::ranges::any_of(AllGuarantees(), [&clause](Guarantee guarantee) {
    return &HeadlineOf(guarantee) == &clause;
  });
}

// By its signature, "kine#614: a watch receives nothing more" or "#17529 or #19179: ...". Null: it
// looks like none.
const Bug* LookedLike(const FindingRecord& finding) {
  constexpr std::string_view kEtcd = "etcd ";
  std::string_view name = finding.signature;
  name = name.substr(0, std::min(name.find(": "), name.find(" or ")));
  if (name.starts_with(kEtcd)) name.remove_prefix(kEtcd.size());
  return name.empty() ? nullptr : AnswerKey::FindBug(name);
}

// What no bug explains comes first, then the costliest.
int RankOf(const Bug* bug) { return bug == nullptr ? 0 : 1 + static_cast<int>(bug->cost); }

// The finding that ranks first of those that name the clause.
ClauseScore BrokenIn(const Clause& clause, const std::vector<Numbered>& attempts) {
  ClauseScore score{.clause = &clause};
  int rank = kCosts + 1;
  for (const auto& [result, first] : attempts) {
    for (std::size_t i = 0; i < result->findings.size(); ++i) {
      const FindingRecord& finding = result->findings[i];
      if (finding.clause != clause.id) continue;
      const Bug* const bug = LookedLike(finding);
      if (RankOf(bug) >= rank) continue;
      rank = RankOf(bug);
      score.kept = Kept::kBroken;
      score.finding = first + i;
      score.case_name = result->case_name;
      score.observed = finding.observed;
      score.bug = bug == nullptr ? "" : bug->name;
    }
  }
  return score;
}

ClauseScore ScoreOf(const Clause& clause, const std::vector<Numbered>& attempts) {
  ClauseScore score = BrokenIn(clause, attempts);
  if (score.kept == Kept::kBroken) return score;
  const bool headline = IsHeadline(clause);
  bool shown = false;
  bool judged = false;
  bool unsupported = false;
  for (const auto& [result, first] : attempts) {
    shown = shown || Shows(*result, clause, headline);
    if (!clause.TestedBy(result->case_name)) continue;
    judged = judged || IsJudged(*result);
    unsupported = unsupported || (result->verdict == Verdict::kUnsupported && !result->hindered);
  }
  if (shown) {
    score.kept = Kept::kKept;
  } else if (unsupported && !judged) {
    score.kept = Kept::kNotOffered;
  }
  return score;
}

// Whether a case of the bug came to a verdict, be it by luck that it passed.
bool IsAskedFor(const Bug& bug, const std::vector<Numbered>& attempts) {
  return std::ranges::any_of(attempts, [&bug](const Numbered& one) {
    const auto& name = one.result->case_name;
    return IsJudged(*one.result) && std::ranges::count(bug.shown, name, &ShownBy::case_name) > 0;
  });
}

void BreakWhatIsKnown(ClauseScore& score, const TargetSpec& target, std::string_view version,
                      const std::vector<Numbered>& attempts) {
  const AnswerKey* const key = AnswerKey::Find(target.product);
  const auto release = ParseVersion(version);
  if (target.release.empty() || key == nullptr || !release) return;
  if (score.kept == Kept::kBroken || score.kept == Kept::kNotOffered) return;
  for (const Bug* const bug : BreakersOf(score.clause->id, *key, *release, target.topology)) {
    if (!IsAskedFor(*bug, attempts)) continue;
    score.kept = Kept::kBroken;
    score.bug = bug->name;
    score.observed = bug->title;
    return;
  }
}

// Another profile than that of its product may leave out the requests that a known bug takes.
bool AsksAsUsual(const Score& score, const TargetSpec& target) {
  const auto profile = score.flags.find("--target-profile");
  if (profile == score.flags.end()) return true;
  return profile->second == target.profile;
}

// With its spec, if another target of the run has the same label.
std::string LabelOf(const RunRecord& record, const TargetSpec& target, const std::string& version) {
  const std::string label = target.Label(version);
  const bool shared = std::ranges::any_of(record.attempts, [&](const AttemptSummary& attempt) {
    const AttemptResult& result = attempt.result;
    const auto other = std::ranges::find(record.targets, result.target, &TargetSpec::text);
    return other != record.targets.end() && other->text != target.text &&
           other->Label(result.target_version) == label;
  });
  return shared ? fmt::format("{} ({})", label, CleanText(target.text)) : label;
}

// What breaks clauses: a bug of the key, or what a case shows that none explains.
struct Breach {
  int rank;
  std::string text;
  std::vector<std::string> clauses{};
};

Breach BreachOf(const ClauseScore& broken) {
  const Bug* const bug = broken.bug.empty() ? nullptr : AnswerKey::FindBug(broken.bug);
  if (bug == nullptr) return {.rank = RankOf(bug), .text = BrokenBy(broken)};
  const std::string where =
      broken.finding == 0 ? "known of this release" : fmt::format("#{}", broken.finding);
  return {.rank = RankOf(bug),
          .text = fmt::format("{}, {} ({}): {}", Name(bug->cost), bug->name, where, bug->title)};
}

// Those of one bug together, and of one case.
std::vector<Breach> BreachesOf(const std::vector<const ClauseScore*>& missing) {
  std::vector<Breach> breaches;
  std::map<std::string, std::size_t> places;
  for (const ClauseScore* const one : missing) {
    if (one->kept != Kept::kBroken) continue;
    const auto [place, added] =
        places.emplace(one->bug.empty() ? one->case_name : one->bug, breaches.size());
    if (added) breaches.push_back(BreachOf(*one));
    breaches[place->second].clauses.push_back(one->clause->id);
  }
  std::ranges::stable_sort(breaches, {}, &Breach::rank);
  return breaches;
}

std::string OneLine(const std::string& head, const std::string& text) {
  constexpr std::size_t kHead = 12;
  const std::string line = fmt::format("  {} {}", PadRight(head, kHead), CleanText(text));
  return ShortenEnd(line, kColumns, Charset::kAscii) + "\n";
}

// What is missing for a level, in so many lines at most.
std::string LinesOf(const std::vector<const ClauseScore*>& missing) {
  std::vector<std::string> ends;
  for (const Kept kept : {Kept::kNotOffered, Kept::kNotShown}) {
    std::vector<std::string> ids;
    for (const ClauseScore* const one : missing) {
      if (one->kept == kept) ids.push_back(one->clause->id);
    }
    if (ids.empty()) continue;
    ends.push_back(OneLine(std::string(Words(kept)), fmt::to_string(fmt::join(ids, " "))));
  }
  const std::vector<Breach> breaches = BreachesOf(missing);
  const std::size_t room = kMostLines - ends.size();
  const std::size_t shown = breaches.size() <= room ? breaches.size() : room - 1;
  std::string text;
  for (const Breach& one : std::span(breaches).first(shown)) {
    text += OneLine(fmt::to_string(fmt::join(one.clauses, " ")), one.text);
  }
  if (shown < breaches.size()) {
    text += fmt::format("  and {}\n", Count(breaches.size() - shown, "more cause"));
  }
  for (const std::string& line : ends) text += line;
  return text;
}

std::string SummaryOf(const ReachScore& level, std::size_t needed) {
  if (level.missing.empty()) return fmt::format("reached: {} clauses", needed);
  std::map<Kept, int> counts;
  for (const ClauseScore* const one : level.missing) ++counts[one->kept];
  std::vector<std::string> parts;
  for (const auto& [kept, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, Words(kept)));
  }
  return fmt::format("not reached: of {} clauses {}", needed, fmt::join(parts, ", "));
}

const Reach* HighestOf(const Score& score) {
  const Reach* highest = nullptr;
  for (const ReachScore& level : score.levels) {
    if (level.missing.empty()) highest = level.reach;
  }
  return highest;
}

std::string PointsOf(const Score& score) { return fmt::format("{:.0f}/100", score.points); }

}  // namespace

int Score::Count(Kept kept) const {
  return static_cast<int>(std::ranges::count(clauses, kept, &ClauseScore::kept));
}

std::string BrokenBy(const ClauseScore& broken) {
  if (broken.finding == 0) {
    return fmt::format("known of this release, {}: {}", broken.bug, broken.observed);
  }
  return fmt::format("#{} {}: {}", broken.finding, broken.case_name, broken.observed);
}

void Conclude(Score& score) {
  int all = 0;
  int kept = 0;
  for (const ClauseScore& one : score.clauses) {
    all += WeightOf(*one.clause);
    if (one.kept == Kept::kKept) kept += WeightOf(*one.clause);
  }
  score.points = all == 0 ? 0 : 100.0 * kept / all;
  for (const Reach& reach : Contract::BuiltIn().reaches()) {
    ReachScore level{.reach = &reach};
    for (const Clause* const needed : Contract::BuiltIn().Of(reach)) {
      const auto found = std::ranges::find(score.clauses, needed, &ClauseScore::clause);
      if (found == score.clauses.end() || found->kept == Kept::kKept) continue;
      level.missing.push_back(&*found);
    }
    std::ranges::stable_sort(level.missing, {}, &ClauseScore::kept);
    score.levels.push_back(std::move(level));
  }
}

Score ScoreOf(const RunRecord& record, std::string_view target) {
  const std::vector<Numbered> attempts = AttemptsOf(record, target);
  Score score;
  std::string version;
  std::string api;
  for (const Numbered& one : attempts) {
    if (version.empty()) version = one.result->target_version;
    if (api.empty()) api = one.result->api_version;
  }
  TargetSpec given;
  for (const TargetSpec& spec : record.targets) {
    if (spec.text == target) given = spec;
  }
  score.label = LabelOf(record, given, version);
  // What is no version of etcd is held against the newest.
  score.minor = MinorOf(api.empty() ? version : api).value_or(kNewest);
  score.spec = target;
  score.seed = record.seed;
  for (const char* const name : kFlags) {
    const auto flag = record.flags.find(name);
    if (flag != record.flags.end()) score.flags[name] = flag->second.value;
  }
  const auto tool = record.versions.find("watchproof");
  if (tool != record.versions.end()) score.tool = tool->second;
  std::vector<std::pair<const Clause*, Kept>> all;
  for (const Clause& clause : Contract::BuiltIn().clauses()) {
    ClauseScore one = ScoreOf(clause, attempts);
    if (AsksAsUsual(score, given)) BreakWhatIsKnown(one, given, version, attempts);
    all.emplace_back(&clause, one.kept);
    const bool left_out = !clause.profile.empty() && one.kept == Kept::kNotShown;
    if (clause.Binds(score.minor) && !left_out) score.clauses.push_back(std::move(one));
  }
  score.nearest = NearestReleasesOf(all);
  Conclude(score);
  return score;
}

std::string ToText(const Score& score) {
  std::string text = fmt::format(
      "{}: {}\n  of {} clauses that bind etcd 3.{}: {} kept, {} broken, {} not offered, {} not "
      "shown\n",
      score.label, PointsOf(score), score.clauses.size(), score.minor, score.Count(Kept::kKept),
      score.Count(Kept::kBroken), score.Count(Kept::kNotOffered), score.Count(Kept::kNotShown));
  if (!score.nearest.releases.empty()) {
    text += fmt::format("  behaves most like etcd {}: {} of {} clauses are as there\n",
                        score.nearest.releases, score.nearest.equal, score.nearest.compared);
  }
  std::set<const Clause*> said;
  for (const ReachScore& level : score.levels) {
    std::size_t needed = 0;
    for (const Clause* const one : Contract::BuiltIn().Of(*level.reach)) {
      needed += one->Binds(score.minor) ? 1 : 0;
    }
    text += fmt::format("\n{}: {}\n", level.reach->name, SummaryOf(level, needed));
    std::vector<const ClauseScore*> further;
    for (const ClauseScore* const one : level.missing) {
      if (said.insert(one->clause).second) further.push_back(one);
    }
    if (further.size() < level.missing.size()) {
      text += fmt::format("  {} above{}\n", level.missing.size() - further.size(),
                          further.empty() ? "" : ", and");
    }
    text += LinesOf(further);
  }
  return text;
}

std::string BadgeOf(const Score& score) {
  const Reach* const highest = HighestOf(score);
  const std::string message =
      fmt::format("{} {}", highest == nullptr ? "no level" : highest->name, PointsOf(score));
  const Json document = {{"schemaVersion", 1},
                         {"label", "watchproof"},
                         {"message", message},
                         {"color", highest == nullptr ? "red" : "brightgreen"}};
  return document.dump();
}

}  // namespace watchproof
