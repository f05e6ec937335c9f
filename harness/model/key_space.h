// SPDX-License-Identifier: Apache-2.0
// Every key of the store at one revision, as far as it is known.
//
//   KeySpace keys(writers);
//   keys.MoveTo(revision);                              // what happened in between may be unknown
//   keys.Apply(operation, revision, line);              // what is known to have happened
//   const Found found = keys.Look("k");                 // alive, absent or unknown
//   keys.Learn(kv, line);                               // an answer showed an unknown state
//
// Not thread-safe. Ownership: refers to the writers; views look into messages that outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/writers.h"

namespace watchproof {

enum class Knowledge { kAlive, kAbsent, kUnknown };

// What is known of a key since a revision.
struct KeyFacts {
  Revision since{};
  bool alive = false;
  bool value_known = true;
  bool metadata_known = true;  // create_revision and version
  bool lease_known = true;
  KeyValueView kv;
  Line line{};  // the evidence: a write, or an answer that showed the key
};

struct Found {
  Knowledge knowledge = Knowledge::kUnknown;
  const KeyFacts* facts = nullptr;  // null: never named; else the last that was known
};

// Evaluates a compare of a transaction on an existing key, or a missing one (null): for that etcd
// compares revisions and version as 0, and its value as unequal to everything. Empty: too little is
// known of the key.
std::optional<bool> HoldsFor(const CompareView& compare, const KeyFacts* facts);

class KeySpace {
 public:
  // without_metadata: answers that show a key carry no create revision, version and lease.
  explicit KeySpace(const Writers& writers, bool without_metadata = false)
      : writers_(writers),
        at_(writers.base()),
        began_empty_(writers.base() == Revision(1)),
        without_metadata_(without_metadata) {}

  Revision at() const { return at_; }
  void MoveTo(Revision revision) { at_ = revision; }
  bool began_empty() const { return began_empty_; }
  bool without_metadata() const { return without_metadata_; }

  Found Look(std::string_view key) const;
  // Whether keys in the range that no call has named may exist.
  bool MayHoldUnknownKeys(const KeyRange& range) const;
  // Calls `visit(key, found)` on each key of the range that any call has named, in key order.
  template <typename Visit>
  void Each(const KeyRange& range, Visit visit) const;

  // Keeps what is known of this revision, and has it again as what is known of a later one.
  void Keep() { kept_ = {keys_, cleared_}; }
  void Restore(Revision revision);

  void Apply(const Operation& operation, Revision revision, Line line);
  // At this revision, the key is as shown, or absent; of a range, no key but those named is there.
  void Learn(const KeyValueView& kv, Line line);
  void LearnAbsent(std::string_view key, Line line);
  void KeepUnknownKeys(const KeyRange& range);

 private:
  static constexpr std::size_t kMostCleared = 64;

  Found Judge(std::string_view key, const KeyFacts& facts) const;
  Found LookUnnamed(std::string_view key) const;
  KeyFacts& Intern(std::string_view key);
  void Put(const Operation& operation, Revision revision, Line line);

  const Writers& writers_;
  Revision at_;
  const bool began_empty_;
  const bool without_metadata_;
  using Keys = std::map<std::string, KeyFacts, std::less<>>;
  using Cleared = std::vector<std::pair<KeyRange, Revision>>;
  Keys keys_;
  Cleared cleared_;  // without unknown keys since
  std::pair<Keys, Cleared> kept_;
};

template <typename Visit>
void KeySpace::Each(const KeyRange& range, Visit visit) const {
  std::vector<std::string_view> others;  // named by open writes only
  writers_.EachOpenKey(range, [&](const std::string& key) {
    if (!keys_.contains(key)) others.push_back(key);
  });
  auto other = others.begin();
  for (auto key = keys_.lower_bound(range.first()); key != keys_.end(); ++key) {
    if (!range.Contains(key->first)) break;
    for (; other != others.end() && *other < key->first; ++other) visit(*other, Look(*other));
    visit(std::string_view(key->first), Judge(key->first, key->second));
  }
  for (; other != others.end(); ++other) visit(*other, Look(*other));
}

}  // namespace watchproof
