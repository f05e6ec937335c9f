// SPDX-License-Identifier: Apache-2.0
#include "harness/model/key_space.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace watchproof {
namespace {

template <typename Value>
bool Compares(std::int64_t result, const Value& given, const Value& operand) {
  switch (static_cast<CompareResult>(result)) {
    case CompareResult::kEqual:
      return given == operand;
    case CompareResult::kGreater:
      return given > operand;
    case CompareResult::kLess:
      return given < operand;
    case CompareResult::kNotEqual:
      return given != operand;
  }
  return false;
}

}  // namespace

std::optional<bool> HoldsFor(const CompareView& compare, const KeyFacts* facts) {
  const KeyValueView none;
  const KeyValueView& kv = facts == nullptr ? none : facts->kv;
  const auto known = [&](bool KeyFacts::*what) { return facts == nullptr || facts->*what; };
  switch (static_cast<CompareTarget>(compare.target)) {
    case CompareTarget::kVersion:
      if (!known(&KeyFacts::metadata_known)) return std::nullopt;
      return Compares(compare.result, kv.version, compare.version);
    case CompareTarget::kCreate:
      if (!known(&KeyFacts::metadata_known)) return std::nullopt;
      return Compares(compare.result, kv.create_revision, compare.create_revision);
    case CompareTarget::kMod:
      return Compares(compare.result, kv.mod_revision, compare.mod_revision);
    case CompareTarget::kValue:
      if (facts == nullptr) return false;
      if (!facts->value_known) return std::nullopt;
      return Compares(compare.result, kv.value, compare.value);
    case CompareTarget::kLease:
      if (!known(&KeyFacts::lease_known)) return std::nullopt;
      return Compares(compare.result, kv.lease, compare.lease);
  }
  return std::nullopt;
}

Found KeySpace::Judge(std::string_view key, const KeyFacts& facts) const {
  if (writers_.MayHaveChanged(key, facts.since, at_)) return {Knowledge::kUnknown, &facts};
  return {facts.alive ? Knowledge::kAlive : Knowledge::kAbsent, &facts};
}

Found KeySpace::LookUnnamed(std::string_view key) const {
  if (began_empty_ && !writers_.MayHaveChanged(key, writers_.base(), at_)) {
    return {Knowledge::kAbsent, nullptr};
  }
  const bool cleared = std::any_of(cleared_.begin(), cleared_.end(), [&](const auto& entry) {
    return entry.first.Contains(key) && !writers_.MayHaveChanged(key, entry.second, at_);
  });
  return {cleared ? Knowledge::kAbsent : Knowledge::kUnknown, nullptr};
}

Found KeySpace::Look(std::string_view key) const {
  const auto known = keys_.find(key);
  return known == keys_.end() ? LookUnnamed(key) : Judge(known->first, known->second);
}

bool KeySpace::MayHoldUnknownKeys(const KeyRange& range) const {
  if (range.single()) return false;  // the one key is named
  if (began_empty_ && !writers_.UnknownKeysMayHaveChanged(range, writers_.base(), at_))
    return false;
  return std::none_of(cleared_.begin(), cleared_.end(), [&](const auto& entry) {
    return entry.first.ContainsAll(range) &&
           !writers_.UnknownKeysMayHaveChanged(range, entry.second, at_);
  });
}

void KeySpace::Restore(Revision revision) {
  std::tie(keys_, cleared_) = std::exchange(kept_, {});
  at_ = revision;
}

KeyFacts& KeySpace::Intern(std::string_view key) {
  const auto known = keys_.find(key);
  return known != keys_.end() ? known->second : keys_[std::string(key)];
}

void KeySpace::Put(const Operation& operation, Revision revision, Line line) {
  const Found before = Look(operation.key);
  KeyFacts facts{.since = revision, .alive = true, .line = line};
  facts.kv = {.key = operation.key,
              .value = operation.value,
              .create_revision = revision.value,
              .mod_revision = revision.value,
              .version = 1,
              .lease = operation.lease};
  const bool alive = before.knowledge == Knowledge::kAlive;
  if (alive) {
    const KeyFacts& old = *before.facts;
    facts.metadata_known = old.metadata_known;
    facts.kv.create_revision = old.kv.create_revision;
    facts.kv.version = old.kv.version + 1;
    if (operation.keeps_value) facts.kv.value = old.kv.value;
    if (operation.keeps_lease) facts.kv.lease = old.kv.lease;
  } else if (before.knowledge == Knowledge::kUnknown) {
    facts.metadata_known = false;
  }
  if (operation.keeps_value) facts.value_known = alive && before.facts->value_known;
  if (operation.keeps_lease) facts.lease_known = alive && before.facts->lease_known;
  Intern(operation.key) = facts;
}

void KeySpace::Apply(const Operation& operation, Revision revision, Line line) {
  if (!operation.deletes) return Put(operation, revision, line);
  const KeyRange range(operation.key, operation.range_end);
  const KeyFacts gone{.since = revision, .alive = false, .line = line};
  if (range.single()) {
    Intern(operation.key) = gone;
    return;
  }
  for (auto key = keys_.lower_bound(range.first()); key != keys_.end(); ++key) {
    if (!range.Contains(key->first)) break;
    // A key that was absent before stays absent; the line that deleted it is the better evidence.
    if (key->second.alive || writers_.MayHaveChanged(key->first, key->second.since, at_)) {
      key->second = gone;
    }
  }
  if (!began_empty_ || !writers_.holes().empty()) KeepUnknownKeys(range);
}

void KeySpace::Learn(const KeyValueView& kv, Line line) {
  KeyFacts facts{.since = at_,
                 .alive = true,
                 .metadata_known = !without_metadata_,
                 .lease_known = !without_metadata_,
                 .line = line};
  facts.kv = kv;
  Intern(kv.key) = facts;
}

void KeySpace::LearnAbsent(std::string_view key, Line line) {
  Intern(key) = {.since = at_, .alive = false, .line = line};
}

void KeySpace::KeepUnknownKeys(const KeyRange& range) {
  for (auto& [known, since] : cleared_) {
    if (!(known == range)) continue;
    since = std::max(since, at_);
    return;
  }
  if (cleared_.size() < kMostCleared) cleared_.emplace_back(range, at_);
}

}  // namespace watchproof
