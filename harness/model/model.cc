// SPDX-License-Identifier: Apache-2.0
#include "harness/model/model.h"

#include <algorithm>
#include <utility>

#include "harness/model/calls.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostContradictions = 10;

}  // namespace

void Model::CallStarted(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.method == Method::kCompact) {
    CompactionRequestView request;
    if (!Parse(entry.payload.view(), request).ok()) return;
    floors_.Ask(entry.call, Revision(request.revision));
    compaction_requested_ = floors_.requested();
    return;
  }
  if (entry.method == Method::kRange) past_reads_.Started(line);
  if (entry.method == Method::kRange && !IsSerializable(entry.method, entry.payload.view())) {
    reading_[entry.call.value] = line.line;
  }
  LeaseSeen(entry, line.line);
  any_write_ = any_write_ || IsWrite(entry.method);
  if (IsWrite(entry.method)) {
    out_[entry.call.value] = {line.line, entry.method, entry.payload};
  }
}

void Model::CallEnded(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.code == StatusCode::kOk) {
    HeaderView header;
    if (Status status = ParseHeader(entry.payload.view(), header); !status.ok()) {
      Contradiction(fmt::format("the answer in line {} cannot be read: {}", line.line.value,
                                status.message()));
    }
    const Revision revision(header.revision);
    if (!any_write_) HeaderSeen(revision);
    ReadingSeen(entry.call, revision);
    highest_header_ = std::max(highest_header_, revision);
    LeaseSeen(entry, line.line);
  }
  if (entry.method == Method::kCompact) {
    if (entry.code == StatusCode::kOk) floors_.Acknowledge(entry.call);
    if (IsDefiniteRefusal(entry.code)) floors_.Refuse(entry.call);
    compaction_requested_ = floors_.requested();
    return;
  }
  reading_.erase(entry.call.value);
  past_reads_.Ended(line);
  const auto out = out_.find(entry.call.value);
  if (out == out_.end()) return;
  const Call call = std::move(out->second);
  out_.erase(out);
  if (entry.code == StatusCode::kOk) {
    Answered(call, line);
  } else if (!IsDefiniteRefusal(entry.code)) {
    open_.push_back({call, entry.code});
  }
  SettleBase();
  Advance();
}

void Model::ReadingSeen(CallId call, Revision revision) {
  const auto reading = reading_.find(call.value);
  if (reading == reading_.end()) return;
  if (reading->second > latest_reading_.started) latest_reading_ = {reading->second, revision};
}

// A granted lease may end by itself; a request to revoke it is the better explanation.
void Model::LeaseSeen(const Entry& entry, Line line) {
  LeaseGrantResponseView granted;
  LeaseRevokeRequestView revoked;
  const bool answer = entry.kind == EntryKind::kCallEnded;
  if (entry.method == Method::kLeaseGrant && answer && Parse(entry.payload.view(), granted).ok()) {
    leases_.emplace(granted.id, line);
  }
  if (entry.method == Method::kLeaseRevoke && !answer &&
      Parse(entry.payload.view(), revoked).ok()) {
    leases_[revoked.id] = line;
  }
}

void Model::Answered(const Call& call, const NumberedEntry& end) {
  auto effect = AcknowledgedEffect(call.method, call.request.view(), end.entry.payload.view());
  if (!effect.has_value()) {
    return Contradiction(fmt::format("the answer in line {} does not fit its request: {}",
                                     end.line.value, effect.error().message()));
  }
  if (!effect->changes()) return;
  const Revision revision = effect->revision;
  if (!first_acknowledged_at_) first_acknowledged_at_ = end.line;
  Claim(revision, {call.started, *std::move(effect), call.request});
}

void Model::Claim(Revision revision, Acknowledged write) {
  const Line started = write.started;
  if (!base_settled_ || revision > timeline_.known_through()) {
    const auto [first, is_new] = waiting_.emplace(revision, std::move(write));
    if (is_new) return;
    return Contradiction(
        fmt::format("the writes of lines {} and {} were both answered with revision {}",
                    first->second.started.value, started.value, revision));
  }
  // The control watch's event had been matched to another write with the same effect: that write is
  // open again.
  if (const auto settled = settled_.find(revision); settled != settled_.end()) {
    open_.push_back(std::move(settled->second));
    settled_.erase(settled);
    return;
  }
  Contradiction(fmt::format("the write of line {} was answered with revision {}, which was taken",
                            started.value, revision));
}

void Model::HeaderSeen(Revision revision) {
  if (any_write_ || revision.value < 1 || revision < timeline_.base()) return;
  timeline_.SetBase(revision);
  base_settled_ = true;
}

// Without a header from before the first write: the lowest acknowledged revision was the first,
// once every write that began before its answer has ended. A write that begins later has a higher
// revision.
void Model::SettleBase() {
  if (base_settled_ || waiting_.empty()) return;
  for (const auto& [id, call] : out_) {
    if (call.started < *first_acknowledged_at_) return;
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
      Acknowledged write = std::move(waiting->second);
      waiting_.erase(waiting);
      Apply(next, std::move(write));
    } else if (const auto gap = EndOfGap(next)) {
      timeline_.Skip(*gap);
    } else if (!SettleByEvidence(next)) {
      break;
    }
  }
  seen_.erase(seen_.begin(), seen_.upper_bound(timeline_.known_through()));
}

// A control watch receives events in order: a revision that is missing before a later one never
// was. An answer still under way that names such a revision becomes a contradiction.
std::optional<Revision> Model::EndOfGap(Revision next) const {
  if (revisions_ == Revisions::kDense || control_through_ <= next) return std::nullopt;
  const bool watched = std::any_of(control_ranges_.begin(), control_ranges_.end(),
                                   [&](const auto& range) { return range.second <= next; });
  const auto seen = seen_.lower_bound(next);
  if (!watched || seen == seen_.end() || seen->first == next) return std::nullopt;
  Revision end = seen->first.previous();
  // A revision that answers a write is no gap either.
  if (!waiting_.empty()) end = std::min(end, waiting_.begin()->first.previous());
  return end;
}

bool Model::IsUnderControl(const KeyRange& range) const {
  return std::any_of(control_ranges_.begin(), control_ranges_.end(),
                     [&](const auto& watched) { return watched.first.ContainsAll(range); });
}

void Model::Apply(Revision revision, Acknowledged write) {
  auto contradiction = timeline_.Apply(revision, {write.started, std::move(write.effect.operations),
                                                  std::move(write.request), write.ended_lease});
  if (contradiction) Contradiction(*std::move(contradiction));
}

void Model::ControlAsked(const WatchCreateView& create) {
  if (create.no_put || create.no_delete || create.start_revision <= 0) return;
  control_ranges_.emplace_back(KeyRange(create.key, create.range_end),
                               Revision(create.start_revision));
}

bool Model::WasSpared(std::string_view key, Revision revision,
                      const std::vector<Evidence>& seen) const {
  const bool shown =
      std::any_of(seen.begin(), seen.end(), [&](const auto& it) { return it.event.kv.key == key; });
  return !shown &&
         std::any_of(control_ranges_.begin(), control_ranges_.end(), [&](const auto& watched) {
           return watched.second <= revision && watched.first.Contains(key);
         });
}

void Model::ControlEvents(const std::vector<EventView>& events, const Bytes& payload, Line line) {
  bool updates = false;
  for (const EventView& event : events) {
    const Revision revision(event.kv.mod_revision);
    control_through_ = std::max(control_through_, revision);
    if (base_settled_ && revision <= timeline_.known_through()) continue;
    seen_[revision].push_back({event, payload, line});
    updates = true;
  }
  const bool may_settle = revisions_ == Revisions::kWithGaps || !open_.empty() || !leases_.empty();
  if (updates && may_settle) Advance();
}

bool Model::Explains(const std::vector<Change>& changes, const std::vector<Evidence>& seen,
                     bool exactly) const {
  if (changes.empty() || (exactly && changes.size() != seen.size())) return false;
  return std::all_of(seen.begin(), seen.end(), [&](const Evidence& evidence) {
    const KeyValueView& kv = evidence.event.kv;
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
      return change.key == kv.key && change.deleted == (evidence.event.type == 1) &&
             (change.deleted || change.value == kv.value);
    });
  });
}

bool Model::SettleByEvidence(Revision revision) {
  const auto seen = seen_.find(revision);
  if (seen == seen_.end()) return false;
  // The control watch may cover only part of the change; an exact match is the better explanation.
  for (const bool exactly : {true, false}) {
    if (SettleAsWrite(revision, seen->second, exactly)) return true;
    if (SettleAsEndOfLease(revision, seen->second, exactly)) return true;
  }
  return false;
}

bool Model::SettleAsWrite(Revision revision, const std::vector<Evidence>& seen, bool exactly) {
  for (auto open = open_.begin(); open != open_.end(); ++open) {
    auto ways = PossibleEffects(open->call.method, open->call.request.view());
    if (!ways.has_value()) continue;
    for (std::vector<Operation>& way : *ways) {
      if (!Explains(timeline_.Preview(way), seen, exactly)) continue;
      Unanswered settled = std::move(*open);
      open_.erase(open);
      Apply(revision, {settled.call.started, {revision, std::move(way)}, settled.call.request});
      settled_.emplace(revision, std::move(settled));
      return true;
    }
  }
  return false;
}

bool Model::SettleAsEndOfLease(Revision revision, const std::vector<Evidence>& seen, bool exactly) {
  const std::int64_t lease = timeline_.LeaseOf(seen.front().event.kv.key);
  const auto known = leases_.find(lease);
  if (known == leases_.end()) return false;
  std::vector<Operation> deletes = timeline_.EndOfLease(lease);
  // A store may delete the keys of a lease one by one. Once a later revision was seen, this one is
  // known to hold no further keys.
  const auto spared = [&](const Operation& one) { return WasSpared(one.key, revision, seen); };
  if (!exactly && std::any_of(deletes.begin(), deletes.end(), spared)) {
    if (!finished_ && seen_.upper_bound(revision) == seen_.end()) return false;
    std::erase_if(deletes, spared);
  }
  if (!Explains(timeline_.Preview(deletes), seen, exactly)) return false;
  // A write without an answer so far may explain the changes as well: wait for its answer.
  const bool claimed = std::any_of(out_.begin(), out_.end(),
                                   [&](const auto& out) { return MayExplain(out.second, seen); });
  if (claimed) return false;
  Apply(revision, {known->second, {revision, std::move(deletes)}, {}, lease});
  return true;
}

bool Model::MayExplain(const Call& call, const std::vector<Evidence>& seen) const {
  const auto ways = PossibleEffects(call.method, call.request.view());
  if (!ways.has_value()) return true;
  return std::any_of(ways->begin(), ways->end(), [&](const std::vector<Operation>& way) {
    return Explains(timeline_.Preview(way), seen, false);
  });
}

// Whether every one of the changes deletes a key of the lease.
bool Model::MayBeOf(std::int64_t lease, const std::vector<Evidence>& seen) const {
  return leases_.contains(lease) &&
         std::all_of(seen.begin(), seen.end(), [&](const Evidence& evidence) {
           return evidence.event.type == 1 && timeline_.LeaseOf(evidence.event.kv.key) == lease;
         });
}

std::optional<Model::Unexplained> Model::unexplained() const {
  const Revision next = timeline_.known_through().next();
  const auto found = seen_.find(next);
  if (revisions_ == Revisions::kWithGaps || !base_settled_ || timeline_.base().value > 1 ||
      found == seen_.end() || waiting_.contains(next)) {
    return std::nullopt;
  }
  const std::vector<Evidence>& seen = found->second;
  const bool open = std::any_of(open_.begin(), open_.end(), [&](const Unanswered& unanswered) {
    return std::any_of(seen.begin(), seen.end(), [&](const Evidence& evidence) {
      return MayExplain(unanswered.call, {evidence});
    });
  });
  if (open) return std::nullopt;
  std::optional<Unexplained> first;
  for (const Evidence& evidence : seen) {
    const KeyValueView& kv = evidence.event.kv;
    const Change* before = timeline_.Latest(kv.key);
    const bool alive = before != nullptr && !before->deleted;
    if (alive && !before->lease_known) return std::nullopt;
    const std::int64_t lease = alive ? before->lease : 0;
    if (MayBeOf(lease, seen)) return std::nullopt;
    // A key without a lease says more than a key on another lease.
    if (first && (first->lease == 0 || lease != 0)) continue;
    first = Unexplained{.revision = next,
                        .key = std::string(kv.key),
                        .deleted = evidence.event.type == 1,
                        .seen = evidence.line,
                        .written = before == nullptr ? Line() : before->written,
                        .lease = lease};
  }
  return first;
}

void Model::Finish() {
  finished_ = true;
  for (auto& [id, call] : out_) open_.push_back({std::move(call), StatusCode::kUnknown});
  out_.clear();
  SettleBase();
  Advance();
}

std::optional<Revision> Model::Ceiling() const {
  if (revisions_ == Revisions::kWithGaps || !leases_.empty()) return std::nullopt;
  Revision highest = std::max(highest_header_, timeline_.known_through());
  if (!waiting_.empty()) highest = std::max(highest, waiting_.rbegin()->first);
  return highest.plus(static_cast<std::int64_t>(open_.size() + out_.size()));
}

bool Model::MayExist(Revision revision) const {
  if (revisions_ == Revisions::kWithGaps) return true;
  Revision highest = std::max(highest_header_, timeline_.known_through());
  if (!waiting_.empty()) highest = std::max(highest, waiting_.rbegin()->first);
  return revision <= highest.plus(static_cast<std::int64_t>(open_.size() + out_.size()));
}

std::vector<std::string> Model::undecided() const {
  std::vector<std::string> reasons = contradictions_;
  // With gaps a header may count revisions that others wrote.
  Revision reached = revisions_ == Revisions::kDense ? highest_header_ : control_through_;
  if (!waiting_.empty()) reached = std::max(reached, waiting_.rbegin()->first);
  const Revision known = timeline_.known_through();
  if (any_write_ && reached > known) {
    reasons.push_back(
        open_.empty()
            ? fmt::format("no write in this recording made revision {} (the store reached {}); "
                          "events after revision {} were not judged",
                          known.next(), reached, known)
            : fmt::format("revision {} may belong to one of {} writes with an unknown outcome "
                          "(the first: line {}, {}); events after revision {} were not judged",
                          known.next(), open_.size(), open_.front().call.started.value,
                          Name(open_.front().code), known));
  }
  return reasons;
}

void Model::Contradiction(std::string text) {
  if (contradictions_.size() < kMostContradictions) contradictions_.push_back(std::move(text));
}

}  // namespace watchproof
