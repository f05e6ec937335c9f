// SPDX-License-Identifier: Apache-2.0
#include "harness/model/timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/base/check.h"

namespace watchproof {

std::uint32_t ExpectedList::LowerBound(Revision revision) const {
  const auto found = std::lower_bound(
      list_.begin(), list_.end(), revision,
      [](const ExpectedChange& expected, Revision wanted) { return expected.revision < wanted; });
  return forgotten_ + static_cast<std::uint32_t>(found - list_.begin());
}

void ExpectedList::Forget(Revision below) {
  const std::uint32_t end = LowerBound(below);
  list_.erase(list_.begin(), list_.begin() + (end - forgotten_));
  forgotten_ = end;
}

void Timeline::SetBase(Revision base) {
  WP_CHECK(changes() == 0 && known_through_ == base_, "the base comes before the first change");
  base_ = base;
  known_through_ = base;
}

// A key never seen is absent for certain only if the store was empty at the base.
Change Timeline::PutOver(const Key* key, const Operation& operation) const {
  Change change{.value = operation.value, .version = 1, .lease = operation.lease};
  const bool seen = key != nullptr && key->latest != Change::kNone;
  if (!seen) {
    change.lineage_known = base_.value <= 1;
    change.value_known = !operation.keeps_value;
    change.lease_known = !operation.keeps_lease;
    return change;
  }
  if (!key->alive) return change;
  const Change& before = this->change(key->latest);
  change.create_revision = before.create_revision;
  change.version = before.version + 1;
  change.lineage_known = before.lineage_known;
  change.previous = key->latest;
  if (operation.keeps_value) {
    change.value = before.value;
    change.value_known = before.value_known;
  }
  if (operation.keeps_lease) {
    change.lease = before.lease;
    change.lease_known = before.lease_known;
  }
  return change;
}

template <typename Visit>
void Timeline::EachAlive(const KeyRange& range, Visit visit) const {
  for (auto key = keys_.lower_bound(range.first()); key != keys_.end(); ++key) {
    if (!range.Contains(key->first)) break;
    if (key->second.alive) visit(key);
  }
}

std::vector<Change> Timeline::Preview(const std::vector<Operation>& operations) const {
  std::vector<Change> preview;
  std::map<std::string_view, bool> alive;  // of the keys that the operations before have changed
  for (const Operation& operation : operations) {
    if (!operation.deletes) {
      const auto key = keys_.find(operation.key);
      preview.push_back(PutOver(key == keys_.end() ? nullptr : &key->second, operation));
      preview.back().key = operation.key;
      alive[operation.key] = true;
      continue;
    }
    const KeyRange range(operation.key, operation.range_end);
    std::set<std::string_view> deleted;
    EachAlive(range, [&](const auto& key) { deleted.insert(key->first); });
    for (const auto& [key, is_alive] : alive) {
      if (!is_alive) deleted.erase(key);
      if (is_alive && range.Contains(key)) deleted.insert(key);
    }
    for (const std::string_view key : deleted) {
      preview.push_back({.key = key, .deleted = true});
      alive[key] = false;
    }
  }
  return preview;
}

std::int64_t Timeline::LeaseOf(const Key& key) const {
  if (!key.alive) return 0;
  const Change& latest = change(key.latest);
  return latest.lease_known ? latest.lease : 0;
}

std::int64_t Timeline::LeaseOf(std::string_view name) const {
  const auto key = keys_.find(name);
  return key == keys_.end() ? 0 : LeaseOf(key->second);
}

const Change* Timeline::Latest(std::string_view name) const {
  const auto key = keys_.find(name);
  if (key == keys_.end() || key->second.latest == Change::kNone) return nullptr;
  const std::uint32_t latest = key->second.latest;
  const bool forgotten = latest < first_ && !kept_.contains(latest);
  return forgotten ? nullptr : &change(latest);
}

std::vector<Operation> Timeline::EndOfLease(std::int64_t lease) const {
  std::vector<Operation> deletes;
  const auto keys = leased_.find(lease);
  if (keys == leased_.end()) return deletes;
  for (const std::string_view name : keys->second) {
    deletes.push_back({.deletes = true, .key = name});
  }
  return deletes;
}

Timeline::Keys::iterator Timeline::Intern(std::string_view name) {
  auto key = keys_.find(name);
  if (key != keys_.end()) return key;
  key = keys_.emplace(std::string(name), Key{}).first;
  if (free_ids_.empty()) {
    key->second.id = static_cast<std::uint32_t>(ranges_of_key_.size());
    ranges_of_key_.emplace_back();
  } else {
    key->second.id = free_ids_.back();
    free_ids_.pop_back();
  }
  std::vector<RangeId>& mine = ranges_of_key_[key->second.id];
  for (RangeId range = 0; range < ranges_.size(); ++range) {
    if (ranges_[range].what->range.Contains(name)) mine.push_back(range);
  }
  return key;
}

std::optional<std::string> Timeline::Apply(Revision revision, Applied write) {
  WP_CHECK(revision == known_through_.next(), "revisions are applied in order");
  owners_.emplace_back(revision, std::move(write.request));
  known_through_ = revision;
  std::optional<std::string> contradiction;
  for (const Operation& operation : write.operations) {
    if (!operation.deletes) {
      const auto key = Intern(operation.key);
      Change change = PutOver(&key->second, operation);
      change.revision = revision;
      change.written = write.line;
      if (change.version == 1) change.create_revision = revision;
      Record(key, change);
      continue;
    }
    std::vector<Keys::iterator> matches;
    EachAlive(KeyRange(operation.key, operation.range_end),
              [&](const auto& key) { matches.push_back(keys_.find(key->first)); });
    for (const auto& key : matches)
      Record(key, {.revision = revision,
                   .written = write.line,
                   .deleted = true,
                   .ended_lease = write.ended_lease});
    const auto known = static_cast<std::int64_t>(matches.size());
    const std::int64_t deleted = operation.deleted.value_or(known);
    if (deleted > known && base_.value > 1) {
      partly_known_.insert(revision);
    } else if (deleted != known) {
      contradiction = fmt::format(
          "the answer to the delete at revision {} counts {} removed keys, but by the writes "
          "before "
          "it {} existed",
          revision, deleted, known);
    }
  }
  CloseRuns();
  return contradiction;
}

void Timeline::ApplyObserved(Revision revision, const std::vector<Change>& changes,
                             const std::vector<Bytes>& owners) {
  WP_CHECK(revision > known_through_, "revisions are applied in order");
  for (const Bytes& owner : owners) owners_.emplace_back(revision, owner);
  known_through_ = revision;
  for (Change change : changes) {
    const auto key = Intern(change.key);
    change.previous = key->second.latest;
    Record(key, change);
  }
  CloseRuns();
}

void Timeline::Skip(Revision through) {
  WP_CHECK(through > known_through_, "revisions are skipped in order");
  known_through_ = through;
}

bool Timeline::Restore(Revision saved, Revision revision) {
  if (saved.next() < forgotten_) return false;
  const auto since = std::ranges::upper_bound(changes_, saved, {}, &Change::revision);
  std::set<std::uint32_t> seen;  // key ids: what counts is the first change since
  for (auto change = since; change != changes_.end(); ++change) {
    if (!seen.insert(change->key_id).second) continue;
    const auto key = keys_.find(change->key);
    const std::int64_t lease_before = LeaseOf(key->second);
    key->second.alive = change->previous != Change::kNone;
    key->second.latest = change->previous;
    NoteLease(key, lease_before);
  }
  known_through_ = revision;
  return true;
}

void Timeline::Record(Keys::iterator key, Change change) {
  const std::uint32_t index = changes();
  change.key = key->first;
  change.key_id = key->second.id;
  if (change.deleted) change.previous = key->second.latest;
  const std::int64_t lease_before = LeaseOf(key->second);
  const std::uint32_t latest = key->second.latest;
  if (latest >= first_ && latest < index && this->change(latest).revision == change.revision) {
    twice_.insert(change.revision);
  }
  key->second.alive = !change.deleted;
  key->second.latest = index;
  changes_.push_back(change);
  NoteLease(key, lease_before);
  for (const RangeId range : ranges_of_key_[change.key_id]) File(range, index);
}

void Timeline::NoteLease(Keys::iterator key, std::int64_t before) {
  const std::int64_t after = LeaseOf(key->second);
  if (after == before) return;
  if (const auto keys = leased_.find(before); keys != leased_.end()) {
    keys->second.erase(key->first);
    if (keys->second.empty()) leased_.erase(keys);
  }
  if (after != 0) leased_[after].insert(key->first);
}

bool Timeline::Concerns(RangeId range, const Change& change) const {
  const TrackedRange& what = *ranges_[range].what;
  return change.deleted ? what.deletes : what.puts;
}

void Timeline::File(RangeId range, std::uint32_t index) {
  const Change& change = this->change(index);
  if (!Concerns(range, change)) return;
  ExpectedList& expected = ranges_[range].expected;
  const std::uint32_t place = expected.size();
  const bool continues =
      place > expected.first() && expected[place - 1].revision == change.revision;
  expected.Add({.revision = change.revision,
                .change = index,
                .run_begin = continues ? expected[place - 1].run_begin : place,
                .run_size = 1});
  if (continues) open_runs_.push_back(range);
}

// Only runs of more than one change were left open.
void Timeline::CloseRuns() {
  for (const RangeId range : open_runs_) {
    ExpectedList& expected = ranges_[range].expected;
    const std::uint32_t last = expected.size() - 1;
    const std::uint32_t begin = expected[last].run_begin;
    const std::uint32_t size = last + 1 - begin;
    if (expected[last].run_size == size) continue;  // listed twice
    for (std::uint32_t i = begin; i <= last; ++i) expected[i].run_size = size;
  }
  open_runs_.clear();
}

RangeId Timeline::Track(const TrackedRange& range) {
  const auto [entry, is_new] = range_ids_.emplace(range, static_cast<RangeId>(ranges_.size()));
  const RangeId id = entry->second;
  if (!is_new) return id;
  ranges_.push_back({.what = &entry->first, .expected = {}});
  std::vector<bool> inside(ranges_of_key_.size());
  for (auto key = keys_.lower_bound(range.range.first()); key != keys_.end(); ++key) {
    if (!range.range.Contains(key->first)) break;
    inside[key->second.id] = true;
    ranges_of_key_[key->second.id].push_back(id);
  }
  Revision run{};
  for (std::uint32_t i = first_; i < changes(); ++i) {
    if (change(i).revision != run) CloseRuns();
    run = change(i).revision;
    if (inside[change(i).key_id]) File(id, i);
  }
  CloseRuns();
  return id;
}

void Timeline::Keep(std::uint32_t index, std::unordered_map<std::uint32_t, Kept>& kept) const {
  if (kept.contains(index)) return;
  // A value may point into a large message, so it is copied.
  Kept copy{.change = change(index), .value = Bytes::Copy(change(index).value)};
  copy.change.value = copy.value.view();
  copy.change.previous = Change::kNone;
  kept.emplace(index, std::move(copy));
}

// Nothing is kept of a deleted key, unless it may have existed before the base: then the record
// that it was seen is still needed.
void Timeline::ForgetKeys(std::uint32_t end) {
  if (base_.value > 1) return;
  std::erase_if(keys_, [&](const auto& entry) {
    const Key& key = entry.second;
    if (key.alive || key.latest == Change::kNone || key.latest >= end) return false;
    ranges_of_key_[key.id].clear();
    free_ids_.push_back(key.id);
    return true;
  });
}

void Timeline::Forget(Revision below) {
  WP_CHECK(below <= known_through_.next(), "revisions beyond known_through cannot be forgotten");
  if (below <= forgotten_ || below <= base_.next()) return;
  const auto end = std::lower_bound(
      changes_.begin(), changes_.end(), below,
      [](const Change& change, Revision wanted) { return change.revision < wanted; });
  const std::uint32_t first = first_ + static_cast<std::uint32_t>(end - changes_.begin());
  std::unordered_map<std::uint32_t, Kept> kept;
  for (const auto& [name, key] : keys_) {
    if (key.alive && key.latest < first) Keep(key.latest, kept);
  }
  for (auto change = end; change != changes_.end(); ++change) {
    if (change->previous < first) Keep(change->previous, kept);
  }
  ForgetKeys(first);
  kept_ = std::move(kept);
  changes_.erase(changes_.begin(), end);
  first_ = first;
  owners_.erase(owners_.begin(), std::lower_bound(owners_.begin(), owners_.end(), below,
                                                  [](const auto& owner, Revision wanted) {
                                                    return owner.first < wanted;
                                                  }));
  for (Range& range : ranges_) range.expected.Forget(below);
  partly_known_.erase(partly_known_.begin(), partly_known_.lower_bound(below));
  forgotten_ = below;
}

}  // namespace watchproof
