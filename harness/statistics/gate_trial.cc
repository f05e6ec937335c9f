// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/gate_trial.h"

#include <algorithm>
#include <iterator>

namespace watchproof {
namespace {

constexpr double kShareOfAll = 0.5;
constexpr double kShareOfCases = 0.2;
constexpr double kShareOfGuarantees = 0.1;
constexpr double kShareOfScripts = 0.2;
// One case has no more at a time, so that a slow one does not take every process.
constexpr int kMostInFlight = 4;

using Broken = std::map<std::string, std::set<std::string>>;

std::size_t Beyond(const Broken& some, const Broken& others) {
  return static_cast<std::size_t>(
      std::ranges::count_if(some, [&](const auto& one) { return !others.contains(one.first); }));
}

// Takes out the guarantees of which `shared` explains every finding, and notes the bugs.
Broken Without(const std::set<std::string>& shared, Broken broken, std::set<std::string>& noted) {
  std::erase_if(broken, [&](const auto& one) {
    const std::set<std::string>& bugs = one.second;
    if (bugs.empty() || !std::includes(shared.begin(), shared.end(), bugs.begin(), bugs.end())) {
      return false;
    }
    noted.insert(bugs.begin(), bugs.end());
    return true;
  });
  return broken;
}

void Count(std::size_t head_alone, std::size_t base_alone, Pairs& pairs) {
  if (head_alone > base_alone) {
    ++pairs.against;
  } else if (head_alone < base_alone) {
    ++pairs.in_favour;
  } else {
    ++pairs.alike;
  }
}

}  // namespace

double CaseState::limit() const {
  if (suspect()) return kSuspectDrop;
  const int n = pairs.count();
  const bool luck = (base_other > 0 && base_other < n) || (head_other > 0 && head_other < n);
  return luck || info.lucky ? kLuckyDrop : kOrdinaryDrop;
}

GateTrial::GateTrial(const std::vector<GateCase>& cases, const std::set<std::string>& guarantees) {
  for (const GateCase& info : cases) cases_.push_back({.info = info});
  counted_.resize(cases.size());
  for (const std::string& name : guarantees) guarantees_[name] = {};
}

std::vector<NextPair> GateTrial::Next(std::size_t most, Depth depth) {
  std::vector<std::size_t> suspects;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const CaseState& one = cases_[i];
    const bool open = !one.finished();
    if (open && one.suspect()) suspects.push_back(i);
    if (one.suspect() || one.in_vain() || (!open && depth == Depth::kEnough)) continue;
    // What is under way may be all that it needs.
    const bool waits = open && one.in_flight > 0 && one.limit() == kOrdinaryDrop &&
                       one.tried + one.in_flight >= kTriesInVain;
    if (!waits) others.push_back(i);
  }
  std::ranges::stable_sort(suspects, [this](std::size_t a, std::size_t b) {
    return cases_[a].evidence > cases_[b].evidence;
  });
  std::ranges::stable_sort(others, [this](std::size_t a, std::size_t b) {
    return cases_[a].tried + cases_[a].in_flight < cases_[b].tried + cases_[b].in_flight;
  });
  std::vector<NextPair> chosen;
  const auto choose = [&](std::size_t index, std::size_t until) {
    if (chosen.size() >= until || cases_[index].in_flight >= kMostInFlight) return false;
    ++cases_[index].in_flight;
    chosen.push_back({index});
    return true;
  };
  // The worst has as many as may be under way; the search for others goes on beside it.
  for (const std::size_t index : suspects) {
    while (choose(index, others.empty() ? most : (most + 1) / 2)) {
    }
  }
  for (const std::size_t index : others) choose(index, most);
  return chosen;
}

void GateTrial::Add(std::size_t index, const AttemptEnd& base, const AttemptEnd& head) {
  CaseState& one = cases_[index];
  --one.in_flight;
  ++one.tried;
  one.base_conclusive += base.conclusive ? 1 : 0;
  one.head_conclusive += head.conclusive ? 1 : 0;
  if (!base.conclusive) one.base_reason = base.reason;
  if (!head.conclusive) one.head_reason = head.reason;
  if (!base.conclusive || !head.conclusive) return;
  one.base_failed += base.broken.empty() ? 0 : 1;
  one.head_failed += head.broken.empty() ? 0 : 1;
  const std::size_t head_alone = Beyond(head.broken, base.broken);
  const std::size_t base_alone = Beyond(base.broken, head.broken);
  Count(head_alone, base_alone, one.pairs);
  Count(head_alone, base_alone, all_);
  for (auto& [name, pairs] : guarantees_) {
    Count(head.broken.count(name), base.broken.count(name), pairs);
  }
  one.evidence = Evidence(one.pairs);
  counted_[index].push_back({base, head});
  if (!Shares(counted_[index].back())) {
    CountWithoutShared(index, counted_[index].back());
    return;
  }
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    cases_[i].other_pairs = {};
    cases_[i].base_other = cases_[i].head_other = 0;
    for (const CountedPair& pair : counted_[i]) CountWithoutShared(i, pair);
  }
}

bool GateTrial::Shares(const CountedPair& pair) {
  for (const auto& [guarantee, bugs] : pair.base.broken)
    base_bugs_.insert(bugs.begin(), bugs.end());
  for (const auto& [guarantee, bugs] : pair.head.broken)
    head_bugs_.insert(bugs.begin(), bugs.end());
  const std::size_t before = shared_.size();
  std::set_intersection(base_bugs_.begin(), base_bugs_.end(), head_bugs_.begin(), head_bugs_.end(),
                        std::inserter(shared_, shared_.end()));
  shared_.erase("");
  return shared_.size() > before;
}

void GateTrial::CountWithoutShared(std::size_t index, const CountedPair& pair) {
  CaseState& one = cases_[index];
  const Broken base = Without(shared_, pair.base.broken, one.shared);
  const Broken head = Without(shared_, pair.head.broken, one.shared);
  one.base_other += base.empty() ? 0 : 1;
  one.head_other += head.empty() ? 0 : 1;
  Count(Beyond(head, base), Beyond(base, head), one.other_pairs);
  one.excluded = Excludes(one.other_pairs, one.limit());
}

void GateTrial::AddScript(int script, bool base_shows, bool head_shows) {
  Count(head_shows ? 1 : 0, base_shows ? 1 : 0, scripts_[script]);
}

std::size_t GateTrial::PairsToGo() const {
  constexpr int kMost = 1'000;  // of one case
  std::size_t pairs = 0;
  for (const CaseState& one : cases_) {
    if (one.finished()) continue;
    Pairs counted = one.other_pairs;
    int more = 0;
    while (more < kMost && !Excludes(counted, one.limit())) {
      ++counted.alike;
      ++more;
    }
    pairs += static_cast<std::size_t>(more);
  }
  return pairs;
}

double GateTrial::evidence() const {
  double of_cases = 0;
  for (const CaseState& one : cases_) of_cases += one.evidence / static_cast<double>(cases_.size());
  double of_guarantees = 0;
  for (const auto& [name, pairs] : guarantees_) {
    of_guarantees += Evidence(pairs) / static_cast<double>(guarantees_.size());
  }
  // A fixed share for each, 1/2, 1/6, 1/12, ... of the whole: those that will be found have theirs.
  double of_scripts = 1;
  for (const auto& [number, pairs] : scripts_) {
    of_scripts += (Evidence(pairs) - 1) / (number * (number + 1.0));
  }
  return kShareOfAll * Evidence(all_) + kShareOfCases * of_cases +
         kShareOfGuarantees * of_guarantees + kShareOfScripts * of_scripts;
}

GateState GateTrial::state() const {
  if (evidence() >= kEnoughEvidence) return GateState::kWorse;
  bool lost = false;
  for (const CaseState& one : cases_) {
    if (!one.finished()) return GateState::kOpen;
    lost = lost || one.lost();
  }
  return lost ? GateState::kLost : GateState::kNotWorse;
}

}  // namespace watchproof
