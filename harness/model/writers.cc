// SPDX-License-Identifier: Apache-2.0
#include "harness/model/writers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace watchproof {
namespace {

bool Explains(const std::vector<Operation>& way, const std::vector<Observation>& seen) {
  return std::all_of(seen.begin(), seen.end(), [&](const Observation& observation) {
    return std::any_of(way.begin(), way.end(), [&](const Operation& operation) {
      return Explains(operation, observation);
    });
  });
}

bool UsesLease(const std::vector<Operation>& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](const Operation& operation) { return operation.lease != 0; });
}

// What a write that changed nothing would have changed: all of one that was refused, the other
// branch of a transaction.
std::vector<Operation> NeverDone(const RecordedCall& call) {
  std::vector<Operation> never;
  if (call.outcome == CallOutcome::kRefused) {
    auto ways = PossibleEffects(call.method, call.request.view());
    if (!ways.has_value()) return never;
    for (const auto& way : *ways) never.insert(never.end(), way.begin(), way.end());
    return never;
  }
  TxnRequestView txn;
  TxnResponseView answer;
  if (call.method != Method::kTxn || !Parse(call.request.view(), txn).ok() ||
      !Parse(call.response.view(), answer).ok()) {
    return never;
  }
  for (const OperationView& operation : answer.succeeded ? txn.failure : txn.success) {
    if (operation.kind != Method::kPut) continue;
    auto ways = PossibleEffects(Method::kPut, operation.body);
    if (ways.has_value()) never.push_back(ways->front().front());
  }
  return never;
}

}  // namespace

bool Explains(const Operation& operation, const Observation& observation) {
  if (operation.deletes != observation.deleted) return false;
  if (operation.deletes) {
    return KeyRange(operation.key, operation.range_end).Contains(observation.kv.key);
  }
  return operation.key == observation.kv.key &&
         (operation.keeps_value || operation.value == observation.kv.value);
}

// If two writes have one revision, the one that began first counts.
void Writers::Acknowledge(const RecordedCall& call, const Effect& effect) {
  others_write_ = others_write_ || UsesLease(effect.operations);
  Writer& writer = writers_[effect.revision];
  const RecordedCall* other = std::exchange(writer.call, &call);
  if (other != nullptr && other->began < call.began) {
    writer.call = other;
    clashes_.push_back({effect.revision, other, &call});
    return;
  }
  if (other != nullptr) clashes_.push_back({effect.revision, &call, other});
  writer.acknowledged = true;
  writer.operations = effect.operations;
}

void Writers::Unfit(const RecordedCall& call, std::string reason) {
  unfitting_.push_back({&call, std::move(reason)});
}

void Writers::Conclude(const CallLog& log, const ControlLog& control, Revision base,
                       const std::map<Revision, SettledWrite>& settled) {
  control_watch_ = &control;
  base_ = base;
  writers_.erase(writers_.begin(), writers_.upper_bound(base_));
  std::erase_if(clashes_, [&](const Clash& clash) { return clash.revision <= base_; });
  const auto fits = [&](const RecordedCall& call) {
    return std::none_of(unfitting_.begin(), unfitting_.end(),
                        [&](const Unfitting& unfitting) { return unfitting.call == &call; });
  };
  for (const RecordedCall& call : log.calls()) {
    if (!IsWrite(call.method)) continue;
    if (call.outcome == CallOutcome::kOpen || !fits(call)) FileOpen(call);
  }
  for (const auto& [revision, write] : settled) {
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&](const Open& one) { return one.call->id == write.call.id; });
    if (open == open_.end() || writers_.contains(revision)) continue;
    open->settled = true;
    Writer& writer = writers_[revision];
    writer.call = open->call;
    writer.operations = write.operations;
  }
  GatherObservations(log, control);
  for (auto& [revision, writer] : writers_) {
    if (writer.call == nullptr) Settle(revision, writer);
  }
  FindPhantoms(log);
  Revision highest = writers_.empty() ? base_ : writers_.rbegin()->first;
  for (const RecordedCall* call : log.ended()) highest = std::max(highest, call->revision);
  FindHoles(highest);
  Line latest{};
  for (const auto& [revision, writer] : writers_) {
    if (writer.call == nullptr || writer.call->began < latest) continue;
    latest = writer.call->began;
    beginnings_.emplace_back(revision, latest);
  }
}

void Writers::FileOpen(const RecordedCall& call) {
  const std::size_t index = open_.size();
  Open& open = open_.emplace_back();
  open.call = &call;
  auto ways = PossibleEffects(call.method, call.request.view());
  open.anything = !ways.has_value();
  if (open.anything) return open_anything_.push_back(index);
  open.ways = std::move(*ways);
  for (const Way& way : open.ways) {
    others_write_ = others_write_ || UsesLease(way);
    for (const Operation& operation : way) {
      if (operation.deletes && !operation.range_end.empty()) {
        open_ranges_.emplace_back(KeyRange(operation.key, operation.range_end), index);
        continue;
      }
      std::vector<std::size_t>& opens = open_keys_[std::string(operation.key)];
      if (opens.empty() || opens.back() != index) opens.push_back(index);
    }
  }
}

// For revisions that no acknowledged write made.
void Writers::GatherObservations(const CallLog& log, const ControlLog& control) {
  std::map<Revision, std::unordered_set<std::string_view>> keys;
  const auto gather = [&](Revision revision, const Observation& observation) {
    if (revision <= base_ || base_.value == 0) return;
    Writer& writer = writers_[revision];
    if (writer.call != nullptr) return;
    if (keys[revision].insert(observation.kv.key).second) writer.seen.push_back(observation);
  };
  // A transaction may change a key more than once: the last change is what the revision left.
  for (const auto& [revision, reported] : control.reported()) {
    for (auto last = reported.rbegin(); last != reported.rend(); ++last) gather(revision, *last);
  }
  for (const RecordedCall* call : log.ended()) {
    if (call->outcome != CallOutcome::kAnswered) continue;
    EachShown(
        call->method, call->request.view(), call->response.view(), [&](const KeyValueView& kv) {
          gather(Revision(kv.mod_revision), {.deleted = false, .kv = kv, .line = call->ended});
        });
  }
}

std::vector<Writers::Candidate> Writers::Candidates(Revision revision,
                                                    const Observation& observation) const {
  std::vector<Candidate> candidates;
  const auto consider = [&](std::size_t index) {
    const Open& open = open_[index];
    if (open.settled || open.call->before.revision >= revision) return;
    if (observation.line < open.call->began) return;
    if (open.anything) candidates.push_back({index, nullptr});
    for (const Way& way : open.ways) candidates.push_back({index, &way});
  };
  const auto named = open_keys_.find(observation.kv.key);
  if (named != open_keys_.end())
    std::for_each(named->second.begin(), named->second.end(), consider);
  for (const auto& [range, index] : open_ranges_) {
    if (observation.deleted && range.Contains(observation.kv.key)) consider(index);
  }
  std::for_each(open_anything_.begin(), open_anything_.end(), consider);
  return candidates;
}

void Writers::Settle(Revision revision, Writer& writer) {
  // Keys that were deleted, and nothing else: the end of a lease may have done it.
  const bool only_deleted = std::ranges::all_of(writer.seen, &Observation::deleted);
  if (only_deleted && others_write_) return;
  std::optional<Candidate> only;
  for (const Candidate& candidate : Candidates(revision, writer.seen.front())) {
    if (candidate.way == nullptr) return;
    if (!Explains(*candidate.way, writer.seen)) continue;
    if (!only) {
      only = candidate;
    } else if (!SameEffect(*only->way, *candidate.way)) {
      return;
    }
  }
  if (!only) return;
  Open& open = open_[only->open];
  open.settled = true;
  writer.call = open.call;
  writer.operations = *only->way;
}

void Writers::FindPhantoms(const CallLog& log) {
  std::unordered_map<std::string_view, std::vector<std::pair<Revision, const Observation*>>>
      strange;
  for (const auto& [revision, writer] : writers_) {
    if (writer.call != nullptr) continue;
    for (const Observation& observation : writer.seen) {
      if (observation.deleted || !Candidates(revision, observation).empty()) continue;
      strange[observation.kv.key].emplace_back(revision, &observation);
    }
  }
  if (strange.empty()) return;
  for (const RecordedCall& call : log.calls()) {
    if (!IsWrite(call.method) || call.outcome == CallOutcome::kOpen) continue;
    for (const Operation& operation : NeverDone(call)) {
      const auto found = strange.find(operation.key);
      // One that would have kept the value could be seen in any put of the key.
      if (operation.deletes || operation.keeps_value || found == strange.end()) continue;
      for (const auto& [revision, observation] : found->second) {
        const bool then = call.before.revision < revision && call.began < observation->line;
        if (then && Explains(operation, *observation))
          phantoms_.push_back({revision, &call, *observation});
      }
    }
  }
}

void Writers::FindHoles(Revision highest) {
  if (base_.value == 0) return;
  std::int64_t unknown = 0;
  Revision next = base_.next();
  const auto leave = [&](Revision end) {
    if (next >= end) return;
    holes_.push_back({next, end.previous()});
    unknown += end.value - next.value;
  };
  auto restoration = restorations_.begin();
  const auto pass = [&](Revision end) {
    for (; restoration != restorations_.end() && restoration->revision < end; ++restoration) {
      leave(restoration->reached.next());
      next = restoration->revision.next();
    }
    leave(end);
  };
  for (const auto& [revision, writer] : writers_) {
    if (writer.call == nullptr) continue;
    pass(revision);
    next = revision.next();
  }
  pass(highest.next());
  const std::vector<const RecordedCall*> opens = unsettled();
  const bool too_late =
      !holes_.empty() && !opens.empty() && opens.front()->before.revision >= holes_.front().last;
  others_write_ = others_write_ || too_late || unknown > static_cast<std::int64_t>(opens.size());
}

std::vector<const RecordedCall*> Writers::unsettled() const {
  std::vector<const RecordedCall*> calls;
  for (const Open& open : open_) {
    if (!open.settled) calls.push_back(open.call);
  }
  return calls;
}

Line Writers::LatestBeginning(Revision through) const {
  const auto after = std::upper_bound(
      beginnings_.begin(), beginnings_.end(), through,
      [](Revision revision, const auto& beginning) { return revision < beginning.first; });
  return after == beginnings_.begin() ? Line() : std::prev(after)->second;
}

std::optional<Revision> Writers::HighestUncovered(const KeyRange& range, Revision after,
                                                  Revision through) const {
  auto hole = std::upper_bound(holes_.begin(), holes_.end(), through,
                               [](Revision revision, const Hole& h) { return revision < h.first; });
  while (hole != holes_.begin()) {
    --hole;
    if (hole->last <= after) break;
    const Revision first = std::max(hole->first, after.next());
    const Revision last = std::min(hole->last, through);
    if (first > last) continue;
    const auto since = control_watch_->CoveredSince(range, first, last);
    if (!since) return last;
    // The control watch settles everything back to its start.
    while (hole != holes_.begin() && std::prev(hole)->first >= *since) --hole;
  }
  return std::nullopt;
}

bool Writers::AnyOpen(const std::vector<std::size_t>& opens, Revision revision) const {
  return std::any_of(opens.begin(), opens.end(), [&](std::size_t index) {
    return !open_[index].settled && open_[index].call->before.revision < revision;
  });
}

bool Writers::MayHaveChanged(std::string_view key, Revision after, Revision through) const {
  if (holes_.empty() || holes_.back().last <= after) return false;
  const auto named = open_keys_.find(key);
  const auto over_it = [&](const auto& entry) { return entry.first.Contains(key); };
  // Most keys are named by no open write: that is the cheapest test.
  const bool possible = others_write_ || named != open_keys_.end() || !open_anything_.empty() ||
                        std::any_of(open_ranges_.begin(), open_ranges_.end(), over_it);
  const auto highest =
      possible ? HighestUncovered(KeyRange(key, {}), after, through) : std::nullopt;
  if (!highest) return false;
  if (others_write_ || AnyOpen(open_anything_, *highest)) return true;
  if (named != open_keys_.end() && AnyOpen(named->second, *highest)) return true;
  return std::any_of(open_ranges_.begin(), open_ranges_.end(), [&](const auto& entry) {
    return over_it(entry) && AnyOpen({entry.second}, *highest);
  });
}

bool Writers::UnknownKeysMayHaveChanged(const KeyRange& range, Revision after,
                                        Revision through) const {
  if (holes_.empty() || holes_.back().last <= after) return false;
  const auto highest = HighestUncovered(range, after, through);
  return highest && (others_write_ || AnyOpen(open_anything_, *highest));
}

}  // namespace watchproof
