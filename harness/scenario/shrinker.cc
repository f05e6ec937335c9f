// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/shrinker.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/base/check.h"

namespace watchproof {
namespace {

using Role = Field::Role;

// What the step itself names; not what is in its parts.
std::string NameIn(Step step, Role role, Subject subject) {
  for (const Field& field : step.fields()) {
    if (field.role == role && field.subject == subject) return *std::get<std::string*>(field.value);
  }
  return {};
}

// What is left out as a whole; the steps that use it go with it.
std::string FaultOf(const Step& step) { return NameIn(step, Role::kDefines, Subject::kFault); }
std::string GroupOf(const Step& step) { return NameIn(step, Role::kDefines, Subject::kGroup); }
std::string KeyOf(const Step& step) { return NameIn(step, Role::kIs, Subject::kKey); }

// The number that the write has among those that are kept; failing that, the kept one before it;
// failing that, the one after it.
std::optional<std::int64_t> Renumbered(std::int64_t write, const std::vector<bool>& kept) {
  const auto at = static_cast<std::size_t>(write);
  if (at >= kept.size()) return std::nullopt;
  const auto before = std::count(kept.begin(), kept.begin() + write, true);
  if (kept[at] || before == 0) {
    if (std::none_of(kept.begin() + write, kept.end(), [](bool k) { return k; })) {
      return std::nullopt;
    }
    return before;
  }
  return before - 1;
}

// Whether the step still makes sense among the steps that are kept. Adapts what it refers to.
class Keeper {
 public:
  // Says of each write of the plan whether it is kept.
  explicit Keeper(std::vector<bool> writes) : writes_(std::move(writes)) {}

  bool Keep(Step& step) {
    bool fits = true;
    ForEachField(step, [&](Field& field) { fits = fits && Fits(field); });
    if (!fits) return false;
    ForEachField(step, [&](const Field& field) {
      if (field.role == Role::kDefines) {
        known_[field.subject].insert(*std::get<std::string*>(field.value));
      }
    });
    return true;
  }

 private:
  bool Fits(Field& field) {
    if (auto* const ref = std::get_if<RevisionRef*>(&field.value)) return Renumber(**ref);
    if (field.role != Role::kUses && field.role != Role::kMayUse) return true;
    std::string& name = *std::get<std::string*>(field.value);
    if (name.empty() || known_[field.subject].contains(name)) return true;
    if (field.role == Role::kMayUse) name.clear();
    return field.role == Role::kMayUse;
  }
  bool Renumber(RevisionRef& ref) const {
    if (ref.base != RevisionRef::Base::kWrite) return true;
    const auto number = Renumbered(ref.number, writes_);
    if (number) ref.number = *number;
    return number.has_value();
  }

  const std::vector<bool> writes_;
  std::map<Subject, std::set<std::string>> known_;
};

}  // namespace

Plan KeepSteps(const Plan& plan, const std::vector<bool>& keep) {
  WP_CHECK(keep.size() == plan.steps.size(), "one word about each step");
  Plan result = plan;
  result.steps.clear();
  std::vector<bool> writes;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (plan.steps[i].writes()) writes.push_back(keep[i]);
  }
  Keeper keeper(std::move(writes));
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    Step step = plan.steps[i];
    if (keeper.Keep(step)) result.steps.push_back(std::move(step));
  }
  return result;
}

Shrinker::Shrinker(Plan plan) : plan_(std::move(plan)) {
  OfferOfPhase();
  GoOn();
}

void Shrinker::Tried(std::optional<std::size_t> still_fails) {
  if (still_fails) {
    from_ = changed_from_[*still_fails];
    plan_ = std::move(candidates_[*still_fails]);
    smaller_ = true;
    OfferOfPhase();
  } else {
    candidates_.clear();
  }
  GoOn();
}

// To the next phase that offers something, if there is one.
void Shrinker::GoOn() {
  while (candidates_.empty() && NextPhase()) OfferOfPhase();
}

// What was needed before may be superfluous now; but first the rest is tried.
bool Shrinker::NextPhase() {
  from_ = 0;
  if (phase_ == Phase::kChunks) {
    const std::size_t chunk = std::min(chunk_, plan_.steps.size());
    if (chunk <= 1) phase_ = Phase::kNumbers;
    chunk_ = chunk / 2;
    return true;
  }
  if (phase_ == Phase::kNumbers && !smaller_) return false;
  phase_ = Phase::kChunks;
  chunk_ = std::max<std::size_t>(1, plan_.steps.size() / 2);
  smaller_ = false;
  return true;
}

void Shrinker::OfferOfPhase() {
  candidates_.clear();
  changed_from_.clear();
  switch (phase_) {
    case Phase::kSubjects:
      OfferPlainServer();
      return OfferWithoutSubjects();
    case Phase::kChunks:
      return OfferWithoutChunks();
    case Phase::kNumbers:
      return OfferSmallerNumbers();
  }
}

void Shrinker::Offer(Plan candidate, std::size_t from) {
  if (candidate.steps.empty()) return;
  candidates_.push_back(std::move(candidate));
  changed_from_.push_back(from);
}

void Shrinker::OfferPlainServer() {
  if (plan_.settings == explore::Server()) return;
  Plan plain = plan_;
  plain.settings = {};
  Offer(std::move(plain));
}

void Shrinker::OfferWithoutSubjects() {
  // By kind, so that a group and a key of one name stay separate.
  std::vector<std::pair<std::string (*)(const Step&), std::string>> subjects;
  for (const auto subject : {&FaultOf, &GroupOf, &KeyOf}) {
    std::set<std::string> seen;
    for (const Step& step : plan_.steps) {
      const std::string name = subject(step);
      if (!name.empty() && seen.insert(name).second) subjects.emplace_back(subject, name);
    }
  }
  for (const auto& [subject, name] : subjects) {
    std::vector<bool> keep;
    for (const Step& step : plan_.steps) keep.push_back(subject(step) != name);
    Offer(KeepSteps(plan_, keep));
  }
}

void Shrinker::OfferWithoutChunks() {
  const std::size_t size = plan_.steps.size();
  for (std::size_t from = from_; from < size; from += chunk_) {
    std::vector<bool> keep(size, true);
    std::fill(keep.begin() + static_cast<std::ptrdiff_t>(from),
              keep.begin() + static_cast<std::ptrdiff_t>(std::min(size, from + chunk_)), false);
    Offer(KeepSteps(plan_, keep), from);
  }
}

void Shrinker::OfferSmallerNumbers() {
  for (std::size_t i = from_; i < plan_.steps.size(); ++i) {
    for (Step& step : plan_.steps[i].Smaller()) {
      Plan smaller = plan_;
      smaller.steps[i] = std::move(step);
      Offer(std::move(smaller), i);
    }
  }
}

}  // namespace watchproof
