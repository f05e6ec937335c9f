// SPDX-License-Identifier: Apache-2.0
#include "harness/model/model.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

constexpr std::size_t kMostContradictions = 10;
// Above every revision, with room for arithmetic.
constexpr Revision kEverything(INT64_MAX / 2);

bool Touches(const std::vector<Operation>& operations, std::string_view key) {
  return std::any_of(operations.begin(), operations.end(), [key](const Operation& operation) {
    if (!operation.deletes || operation.range_end.empty()) return operation.key == key;
    return KeyRange(operation.key, operation.range_end).Contains(key);
  });
}

// Whether watchers see the same of both.
bool SameChanges(const std::vector<Change>& a, const std::vector<Change>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Change& x, const Change& y) {
    return x.key == y.key && x.deleted == y.deleted && x.value == y.value &&
           x.value_known == y.value_known && x.lease == y.lease && x.lease_known == y.lease_known;
  });
}

void AddWays(const std::vector<std::vector<Operation>>& more,
             std::vector<std::vector<Operation>>& ways) {
  for (const std::vector<Operation>& way : more) {
    const bool known = std::any_of(ways.begin(), ways.end(),
                                   [&](const auto& one) { return SameEffect(one, way); });
    if (!known) ways.push_back(way);
  }
}

}  // namespace

Model::Model(const Observed& observed) : Model(Revisions::kObserved, CallLog::Keep::kOpen) {
  timeline_.SetBase(Revision(0));
  base_settled_ = true;
  for (const auto& [revision, at] : observed.revisions()) {
    // A revision that no store has is judged as what the watch received, and no part of a history.
    if (revision.value < 1) continue;
    timeline_.ApplyObserved(revision, at.changes, at.owners);
  }
  if (timeline_.known_through() < kEverything) timeline_.Skip(kEverything);
}

const RecordedCall* Model::Consume(const NumberedEntry& line) {
  const RecordedCall* call = calls_.Consume(line);
  if (call == nullptr) return nullptr;
  if (revisions_ == Revisions::kObserved) return call;
  const bool writes = IsWrite(call->method);
  if (call->ended.value == 0) {
    writes_out_ += writes ? 1 : 0;
    return call;
  }
  if (call->outcome == CallOutcome::kAnswered) {
    HeaderSeen(call->revision, true);
  } else if (call->code == StatusCode::kOk) {
    HeaderView header;
    Contradiction(fmt::format("the answer in line {} cannot be read: {}", line.line.value,
                              ParseHeader(line.entry.payload.view(), header).message()));
  }
  if (!writes) return call;
  --writes_out_;
  if (call->code == StatusCode::kOk) {
    Answered(*call, line);
  } else if (call->outcome == CallOutcome::kOpen) {
    open_.emplace_back(*call);
  }
  SettleBase();
  Advance();
  return call;
}

void Model::Answered(const RecordedCall& call, const NumberedEntry& end) {
  auto effect = AcknowledgedEffect(call.method, call.request.view(), end.entry.payload.view());
  const bool kept = keep_ == CallLog::Keep::kAll;
  if (!effect.has_value()) {
    if (kept) writers_.Unfit(call, effect.error().message());
    // What it did is unknown, as without an answer.
    open_.emplace_back(call);
    return Contradiction(fmt::format("the answer in line {} does not fit its request: {}",
                                     end.line.value, effect.error().message()));
  }
  if (!effect->changes()) return;
  if (kept) writers_.Acknowledge(call, *effect);
  const Revision revision = effect->revision;
  if (!first_acknowledged_at_) first_acknowledged_at_ = end.line;
  Claim(revision, {call.began, std::move(effect->operations), call.request});
}

void Model::Claim(Revision revision, Applied write) {
  const Line started = write.line;
  if (!base_settled_ || revision > timeline_.known_through()) {
    const auto [first, is_new] = waiting_.emplace(revision, std::move(write));
    if (is_new) return;
    return Contradiction(
        fmt::format("the writes of lines {} and {} were both answered with revision {}",
                    first->second.line.value, started.value, revision));
  }
  // The control watch's event had been matched to another write with the same effect: that write is
  // open again.
  if (const auto settled = settled_.find(revision); settled != settled_.end()) {
    open_.emplace_back(std::move(settled->second.call));
    settled_.erase(settled);
    return;
  }
  Contradiction(fmt::format("the write of line {} was answered with revision {}, which was taken",
                            started.value, revision));
}

void Model::HeaderSeen(Revision revision, bool control) {
  if (revisions_ == Revisions::kObserved) return;
  if (!control && calls_.reached().value != 0) return;
  if (calls_.any_write() || revision.value < 1 || revision < timeline_.base()) return;
  timeline_.SetBase(revision);
  base_settled_ = true;
}

// Without a header from before the first write: the lowest acknowledged revision was the first,
// once every write that began before its answer has ended. A write that begins later has a higher
// revision.
void Model::SettleBase() {
  if (base_settled_ || waiting_.empty()) return;
  for (const auto& [id, call] : calls_.out()) {
    const bool earlier = IsWrite(call->method) && call->began < *first_acknowledged_at_;
    if (earlier && !finished_) return;
  }
  timeline_.SetBase(waiting_.begin()->first.previous());
  base_settled_ = true;
}

void Model::Advance() {
  if (!base_settled_) return;
  while (true) {
    const Revision next = timeline_.known_through().next();
    const auto waiting = waiting_.find(next);
    if (waiting != waiting_.end()) {
      Applied write = std::move(waiting->second);
      waiting_.erase(waiting);
      Apply(next, std::move(write));
    } else if (const auto gap = EndOfGap(next)) {
      timeline_.Skip(*gap);
    } else if (!SettleByEvidence(next)) {
      break;
    }
  }
  if (keep_ == CallLog::Keep::kOpen) control_.Forget(timeline_.known_through());
}

// A control watch receives events in order: a revision that is missing before a later one never
// was. An answer still under way that names such a revision becomes a contradiction.
std::optional<Revision> Model::EndOfGap(Revision next) const {
  if (revisions_ == Revisions::kDense || control_.latest() <= next) return std::nullopt;
  const auto seen = control_.reported().lower_bound(next);
  if (!control_.AnyAt(next) || seen == control_.reported().end() || seen->first == next) {
    return std::nullopt;
  }
  Revision end = seen->first.previous();
  // A revision that answers a write is no gap either.
  if (!waiting_.empty()) end = std::min(end, waiting_.begin()->first.previous());
  return end;
}

void Model::Apply(Revision revision, Applied write) {
  auto contradiction = timeline_.Apply(revision, std::move(write));
  if (contradiction) Contradiction(*std::move(contradiction));
}

bool Model::WasSpared(std::string_view key, Revision revision, const Evidence& seen) const {
  const bool shown =
      std::any_of(seen.begin(), seen.end(), [&](const auto& it) { return it.kv.key == key; });
  return !shown && control_.Covers(key, revision);
}

void Model::ControlEvents(StreamId stream, const std::vector<EventView>& events,
                          const Bytes& payload, Line line) {
  control_.Receive(stream, events, payload, line);
  if (revisions_ == Revisions::kWithGaps || !open_.empty() || !calls_.leases().empty()) Advance();
}

bool Model::Explains(const std::vector<Change>& changes, const Evidence& seen, bool exactly) const {
  if (changes.empty() || (exactly && changes.size() != seen.size())) return false;
  return std::all_of(seen.begin(), seen.end(), [&](const Observation& one) {
    const KeyValueView& kv = one.kv;
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
      return change.key == kv.key && change.deleted == one.deleted &&
             (change.deleted || change.value == kv.value);
    });
  });
}

bool Model::SettleByEvidence(Revision revision) {
  const auto seen = control_.reported().find(revision);
  if (seen == control_.reported().end()) return false;
  // The control watch may cover only part of the change; an exact match is the better explanation.
  for (const bool exactly : {true, false}) {
    if (!exactly && MayBeAnswered(seen->second)) return false;
    if (SettleAsWrite(revision, seen->second, exactly)) return true;
    if (SettleAsEndOfLease(revision, seen->second, exactly)) return true;
  }
  return false;
}

bool Model::HaveTheirLeases(const std::vector<Change>& changes, const Evidence& seen) {
  return std::ranges::all_of(seen, [&](const Observation& one) {
    return std::ranges::any_of(changes, [&](const Change& change) {
      return change.key == one.kv.key && (!change.lease_known || change.lease == one.kv.lease);
    });
  });
}

// If several writes may have done it, all with the same changes, the one that began first counts.
// Which one it was stays unknown: each of the others may have done instead what this one asked for.
// Where a lease may have ended instead, even this one is still open.
bool Model::SettleAsWrite(Revision revision, const Evidence& seen, bool exactly) {
  std::vector<std::size_t> candidates;
  std::size_t first = 0;
  std::vector<Operation> done;
  std::vector<Change> changes;
  for (std::size_t index = 0; index < open_.size(); ++index) {
    const RecordedCall& call = open_[index].call;
    if (call.before.revision >= revision || call.began > seen.front().line) continue;
    if (!open_[index].ways.has_value()) continue;
    for (const std::vector<Operation>& way : *open_[index].ways) {
      if (!Touches(way, seen.front().kv.key)) continue;
      std::vector<Change> preview = timeline_.Preview(way);
      if (!Explains(preview, seen, exactly)) continue;
      // A value that was kept says nothing of its writer, the lease does.
      const bool kept = std::ranges::any_of(way, &Operation::keeps_value);
      if (kept && !HaveTheirLeases(preview, seen)) continue;
      if (!candidates.empty() && !SameChanges(preview, changes)) return false;
      if (candidates.empty() || call.began < open_[first].call.began) {
        first = index;
        done = way;
        changes = std::move(preview);
      }
      if (candidates.empty() || candidates.back() != index) candidates.push_back(index);
    }
  }
  if (candidates.empty()) return false;
  for (const std::size_t other : candidates) {
    if (other != first) AddWays(*open_[first].ways, *open_[other].ways);
  }
  SettledWrite settled{open_[first].call, done};
  const std::int64_t lease = timeline_.LeaseOf(seen.front().kv.key);
  const bool may_be_lease = MayBeOf(lease, seen) &&
                            Explains(timeline_.Preview(timeline_.EndOfLease(lease)), seen, exactly);
  if (!may_be_lease) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(first));
  Apply(revision, {settled.call.began, std::move(done), settled.call.request});
  settled_.emplace(revision, std::move(settled));
  return true;
}

bool Model::SettleAsEndOfLease(Revision revision, const Evidence& seen, bool exactly) {
  const std::int64_t lease = timeline_.LeaseOf(seen.front().kv.key);
  const auto known = calls_.leases().find(lease);
  if (known == calls_.leases().end()) return false;
  std::vector<Operation> deletes = timeline_.EndOfLease(lease);
  // A store may delete the keys of a lease one by one. Once a later revision was seen, this one is
  // known to hold no further keys.
  const auto spared = [&](const Operation& one) { return WasSpared(one.key, revision, seen); };
  if (!exactly && std::any_of(deletes.begin(), deletes.end(), spared)) {
    if (!finished_ && control_.latest() <= revision) return false;
    std::erase_if(deletes, spared);
  }
  if (!Explains(timeline_.Preview(deletes), seen, exactly)) return false;
  if (MayBeAnswered(seen)) return false;
  Apply(revision, {known->second.explained(), std::move(deletes), {}, lease});
  return true;
}

// A write without an answer so far may explain the changes, too, and better: its answer decides.
bool Model::MayBeAnswered(const Evidence& seen) const {
  const auto& out = calls_.out();
  return !finished_ && std::any_of(out.begin(), out.end(), [&](const auto& call) {
    return IsWrite(call.second->method) && MayExplain(OpenWrite(*call.second), seen);
  });
}

bool Model::MayExplain(const OpenWrite& write, const Evidence& seen) const {
  if (!write.ways.has_value()) return true;
  return std::any_of(write.ways->begin(), write.ways->end(), [&](const auto& way) {
    return Explains(timeline_.Preview(way), seen, false);
  });
}

// Whether every one of the changes deletes a key of the lease.
bool Model::MayBeOf(std::int64_t lease, const Evidence& seen) const {
  return calls_.leases().contains(lease) &&
         std::all_of(seen.begin(), seen.end(), [&](const Observation& one) {
           return one.deleted && timeline_.LeaseOf(one.kv.key) == lease;
         });
}

std::optional<Model::Unexplained> Model::unexplained() const {
  const Revision next = timeline_.known_through().next();
  const auto found = control_.reported().find(next);
  if (revisions_ != Revisions::kDense || !base_settled_ || timeline_.base().value > 1 ||
      found == control_.reported().end() || waiting_.contains(next)) {
    return std::nullopt;
  }
  const Evidence& seen = found->second;
  const bool open = std::any_of(open_.begin(), open_.end(), [&](const OpenWrite& write) {
    return std::any_of(seen.begin(), seen.end(),
                       [&](const Observation& one) { return MayExplain(write, {one}); });
  });
  if (open) return std::nullopt;
  std::optional<Unexplained> first;
  for (const Observation& one : seen) {
    const KeyValueView& kv = one.kv;
    const Change* before = timeline_.Latest(kv.key);
    const bool alive = before != nullptr && !before->deleted;
    if (alive && !before->lease_known) return std::nullopt;
    const std::int64_t lease = alive ? before->lease : 0;
    if (MayBeOf(lease, seen)) return std::nullopt;
    // A key without a lease says more than a key on another lease.
    if (first && (first->lease == 0 || lease != 0)) continue;
    first = Unexplained{.revision = next,
                        .key = std::string(kv.key),
                        .deleted = one.deleted,
                        .seen = one.line,
                        .written = before == nullptr ? Line() : before->written,
                        .lease = lease};
  }
  return first;
}

void Model::Restored(Revision saved, Revision revision) {
  const Revision reached = calls_.reached();
  calls_.Restored(revision);
  if (revisions_ == Revisions::kObserved) return;
  Advance();
  const Revision known = timeline_.known_through();
  const bool whole =
      waiting_.empty() && known >= saved && (revisions_ != Revisions::kDense || known >= reached);
  if (!whole || !timeline_.Restore(saved, revision)) {
    return Contradiction(
        fmt::format("the state at revision {}, which was restored, is not known in full", saved));
  }
  open_.clear();
  if (keep_ == CallLog::Keep::kAll) writers_.Restored({saved, known, revision});
}

void Model::Finish() {
  finished_ = true;
  for (const auto& [id, call] : calls_.out()) {
    if (IsWrite(call->method)) open_.emplace_back(*call);
  }
  writes_out_ = 0;
  if (revisions_ == Revisions::kObserved) return;
  SettleBase();
  Advance();
  if (keep_ == CallLog::Keep::kOpen) return;
  writers_.Conclude(calls_, control_, base_settled_ ? timeline_.base() : Revision(), settled_);
}

Revision Model::Highest() const {
  Revision highest = std::max(calls_.reached(), timeline_.known_through());
  if (!waiting_.empty()) highest = std::max(highest, waiting_.rbegin()->first);
  return highest.plus(static_cast<std::int64_t>(open_.size() + writes_out_));
}

std::optional<Revision> Model::Ceiling() const {
  if (revisions_ != Revisions::kDense || !calls_.leases().empty()) return std::nullopt;
  return Highest();
}

bool Model::MayExist(Revision revision) const {
  return revisions_ != Revisions::kDense || revision <= Highest();
}

std::vector<std::string> Model::undecided() const {
  std::vector<std::string> reasons = contradictions_;
  // With gaps a header may count revisions that others wrote.
  Revision reached = revisions_ == Revisions::kDense ? calls_.reached() : control_.latest();
  if (!waiting_.empty()) reached = std::max(reached, waiting_.rbegin()->first);
  const Revision known = timeline_.known_through();
  if (revisions_ != Revisions::kObserved && calls_.any_write() && reached > known) {
    reasons.push_back(
        open_.empty()
            ? fmt::format("no write in this recording made revision {} (the store reached {}); "
                          "events after revision {} were not judged",
                          known.next(), reached, known)
            : fmt::format("revision {} may belong to one of {} writes with an unknown outcome "
                          "(the first: line {}, {}); events after revision {} were not judged",
                          known.next(), open_.size(), open_.front().call.began.value,
                          Name(open_.front().call.code), known));
  }
  return reasons;
}

void Model::Contradiction(std::string text) {
  if (contradictions_.size() < kMostContradictions) contradictions_.push_back(std::move(text));
}

}  // namespace watchproof
