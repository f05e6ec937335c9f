// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/shrinker.h"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/base/check.h"

namespace watchproof {
namespace {

template <typename... Kinds>
bool IsOneOf(const Step& step) {
  return (std::holds_alternative<Kinds>(step) || ...);
}
bool IsWrite(const Step& step) { return IsOneOf<PutStep, DeleteStep, TxnStep>(step); }

// The group that a step refers to and depends on.
std::string GroupUsed(const Step& step) {
  return std::visit(
      [](const auto& s) -> std::string {
        using Kind = std::decay_t<decltype(s)>;
        if constexpr (!std::is_same_v<Kind, WatchStep> && !std::is_same_v<Kind, ChurnStep> &&
                      requires { s.group; })
          return s.group;
        return {};
      },
      step);
}
std::string GroupMade(const Step& step) {
  if (const auto* watch = std::get_if<WatchStep>(&step)) return watch->group;
  if (const auto* churn = std::get_if<ChurnStep>(&step)) return churn->group;
  if (const auto* resume = std::get_if<ResumeStep>(&step)) return resume->as;
  return {};
}
// The lease that a step depends on; a put does not.
std::string LeaseNeeded(const Step& step) {
  if (const auto* revoke = std::get_if<RevokeStep>(&step)) return revoke->lease;
  if (const auto* expired = std::get_if<AwaitExpiredStep>(&step)) return expired->lease;
  return {};
}
void KeepLease(PutStep& put, const std::set<std::string>& leases) {
  if (!leases.contains(put.lease)) put.lease.clear();
}
void KeepLeases(Step& step, const std::set<std::string>& leases) {
  if (auto* put = std::get_if<PutStep>(&step)) KeepLease(*put, leases);
  auto* txn = std::get_if<TxnStep>(&step);
  if (txn == nullptr) return;
  for (auto& write : txn->writes) {
    if (auto* put = std::get_if<PutStep>(&write)) KeepLease(*put, leases);
  }
}
std::string FaultOf(const Step& step) {
  return std::visit(
      [](const auto& s) -> std::string {
        if constexpr (requires { s.fault; }) return s.fault;
        return {};
      },
      step);
}
std::string KeyOf(const Step& step) {
  if (const auto* put = std::get_if<PutStep>(&step)) return put->key;
  if (const auto* erase = std::get_if<DeleteStep>(&step)) return erase->key;
  return {};
}

RevisionRef* RevisionOf(Step& step) {
  if (auto* compact = std::get_if<CompactStep>(&step)) return &compact->at;
  if (auto* refused = std::get_if<RefusedTxnStep>(&step)) return &refused->at;
  if (auto* watch = std::get_if<WatchStep>(&step)) return &watch->start;
  if (auto* churn = std::get_if<ChurnStep>(&step)) return &churn->start;
  return nullptr;
}

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

}  // namespace

PlanSize SizeOf(const Plan& plan) {
  PlanSize size;
  for (const Step& step : plan.steps) {
    if (const auto* watch = std::get_if<WatchStep>(&step)) {
      size.operations += watch->count;
    } else if (const auto* load = std::get_if<LoadStep>(&step)) {
      size.operations += load->clients * load->calls;
    } else if (IsWrite(step) || IsOneOf<CompactStep, LeaseStep, RevokeStep, ChurnStep, CancelStep,
                                        ResumeStep, RequestProgressStep, AwaitProgressStep>(step)) {
      ++size.operations;
    }
    if (std::holds_alternative<InjectStep>(step)) ++size.faults;
  }
  return size;
}

Plan KeepSteps(const Plan& plan, const std::vector<bool>& keep) {
  WP_CHECK(keep.size() == plan.steps.size(), "one word about each step");
  Plan result = plan;
  result.steps.clear();
  std::vector<bool> writes;  // those of the whole plan: is it kept
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (IsWrite(plan.steps[i])) writes.push_back(keep[i]);
  }
  std::set<std::string> groups;
  std::set<std::string> faults;
  std::set<std::string> leases;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    Step step = plan.steps[i];
    const std::string needed = GroupUsed(step);
    if (!needed.empty() && !groups.contains(needed)) continue;
    if (const auto* lease = std::get_if<LeaseStep>(&step)) leases.insert(lease->lease);
    const std::string lease = LeaseNeeded(step);
    if (!lease.empty() && !leases.contains(lease)) continue;
    KeepLeases(step, leases);
    const std::string fault = FaultOf(step);
    if (std::holds_alternative<InjectStep>(step)) faults.insert(fault);
    if (!fault.empty() && !faults.contains(fault)) continue;
    RevisionRef* const revision = RevisionOf(step);
    if (revision != nullptr && revision->base == RevisionRef::Base::kWrite) {
      const auto number = Renumbered(revision->number, writes);
      if (!number) continue;
      revision->number = *number;
    }
    if (const std::string made = GroupMade(step); !made.empty()) groups.insert(made);
    result.steps.push_back(std::move(step));
  }
  return result;
}

Shrinker::Shrinker(Plan plan) : plan_(std::move(plan)) { Begin(Phase::kSubjects); }

void Shrinker::Begin(Phase phase) {
  candidates_.clear();
  phase_ = phase;
  if (phase_ == Phase::kSubjects) {
    OfferWithoutSubjects();
    if (!candidates_.empty()) return;
    phase_ = Phase::kChunks;
    chunk_ = 0;
  }
  if (phase_ == Phase::kChunks) {
    if (chunk_ == 0) {
      chunk_ = std::max<std::size_t>(1, plan_.steps.size() / 2);
      smaller_ = false;
    }
    OfferWithoutChunks();
    if (!candidates_.empty()) return;
    phase_ = Phase::kNumbers;
  }
  OfferSmallerNumbers();
}

void Shrinker::Tried(std::optional<std::size_t> still_fails) {
  if (still_fails) {
    plan_ = std::move(candidates_[*still_fails]);
    smaller_ = true;
    // What was needed before may be superfluous now; large parts first.
    chunk_ = std::min(chunk_, std::max<std::size_t>(1, plan_.steps.size() / 2));
    return Begin(phase_);
  }
  switch (phase_) {
    case Phase::kSubjects:
      chunk_ = 0;
      return Begin(Phase::kChunks);
    case Phase::kChunks:
      if (chunk_ > 1) {
        chunk_ /= 2;
        return Begin(Phase::kChunks);
      }
      return Begin(Phase::kNumbers);
    case Phase::kNumbers:
      if (smaller_) {
        chunk_ = 0;
        return Begin(Phase::kChunks);
      }
      candidates_.clear();
  }
}

void Shrinker::Offer(Plan candidate) {
  if (candidate.steps.empty()) return;
  candidates_.push_back(std::move(candidate));
}

void Shrinker::OfferWithoutSubjects() {
  // By kind, so that a group and a key of one name stay separate.
  std::vector<std::pair<std::string (*)(const Step&), std::string>> subjects;
  for (const auto subject : {&FaultOf, &GroupMade, &KeyOf}) {
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
  for (std::size_t from = 0; from < size; from += chunk_) {
    std::vector<bool> keep(size, true);
    std::fill(keep.begin() + static_cast<std::ptrdiff_t>(from),
              keep.begin() + static_cast<std::ptrdiff_t>(std::min(size, from + chunk_)), false);
    Offer(KeepSteps(plan_, keep));
  }
}

void Shrinker::OfferSmallerNumbers() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const auto with = [&](Step step) {
      Plan smaller = plan_;
      smaller.steps[i] = std::move(step);
      Offer(std::move(smaller));
    };
    if (const auto* watch = std::get_if<WatchStep>(&plan_.steps[i]); watch && watch->count > 1) {
      for (const std::size_t count : {std::size_t{1}, watch->count / 2, watch->count * 3 / 4}) {
        if (count == 0 || count == watch->count) continue;
        WatchStep fewer = *watch;
        fewer.count = count;
        with(std::move(fewer));
      }
    } else if (const auto* hold = std::get_if<HoldStep>(&plan_.steps[i]);
               hold && hold->duration > 1ms) {
      with(HoldStep{hold->duration / 2});
    } else if (const auto* put = std::get_if<PutStep>(&plan_.steps[i]);
               put && put->value.bytes > 1) {
      PutStep shorter = *put;
      shorter.value.bytes = put->value.bytes > 64 ? put->value.bytes / 8 : 1;
      with(std::move(shorter));
    } else if (const auto* txn = std::get_if<TxnStep>(&plan_.steps[i]);
               txn && txn->writes.size() > 1) {
      for (std::size_t w = 0; w < txn->writes.size(); ++w) {
        TxnStep fewer = *txn;
        fewer.writes.erase(fewer.writes.begin() + static_cast<std::ptrdiff_t>(w));
        with(std::move(fewer));
      }
    }
  }
}

}  // namespace watchproof
