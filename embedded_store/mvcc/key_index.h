// SPDX-License-Identifier: Apache-2.0
// The revisions at which each key was changed, grouped into generations: a generation lasts from a
// put to the delete that ends it.
//
//   Lineage put = index.Put("k", at);                    // create revision and version of this put
//   if (auto at = index.FindAt("k", Revision{5})) ...    // the put that was visible at 5
//
// Not thread-safe. Ownership: by value, inside the store; borrows the hooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "embedded_store/mvcc/change.h"
#include "embedded_store/mvcc/hooks.h"
#include "embedded_store/mvcc/key_range.h"

namespace watchproof::store {

class KeyIndex {
 public:
  explicit KeyIndex(const Hooks& hooks = Hooks::None()) : hooks_(hooks) {}

  struct Lineage {
    Revision create;
    std::int64_t version = 0;
  };

  Lineage Put(const std::string& key, RevisionPair at);
  // Requires: the key exists.
  void Delete(const std::string& key, RevisionPair at);

  // The put that was visible at this revision; nothing when the key did not exist then. Requires:
  // the revision is not below the last compaction.
  std::optional<RevisionPair> FindAt(const std::string& key, Revision revision) const;
  enum class Then { kGoOn, kStop };
  using Visit = std::function<Then(const std::string& key, RevisionPair at)>;
  // In key order, the keys of the range that existed at this revision, until `visit` stops it.
  void VisitAt(const KeyRange& range, Revision revision, const Visit& visit) const;

  // Adds a change that was made before a restart. In the order of revisions. Returns whether it was
  // kept.
  bool Restore(const Change& change);

  // One step of a compaction, over at most `most` keys from `from` on: removes what no reader and
  // no watcher at or above the floor can need. A delete exactly at the floor stays: a watch may
  // start there (#18089).
  struct Trimmed {
    std::vector<RevisionPair> dropped;  // of one key in ascending order
    std::optional<std::string> next;    // where the next step begins; none: that was all
  };
  Trimmed Compact(Revision floor, const std::string& from, std::size_t most);

 private:
  struct Generation {
    Lineage lineage;  // of the newest put
    bool ended = false;
    std::vector<RevisionPair> revisions;  // ascending; the last one is the delete when ended
  };
  using Generations = std::vector<Generation>;

  static std::optional<RevisionPair> Visible(const Generations& generations, Revision revision);
  Lineage NextLineage(const Generations& generations, Revision create) const;
  void Trim(Generation& generation, Revision floor, std::vector<RevisionPair>& dropped) const;

  const Hooks& hooks_;
  std::map<std::string, Generations, std::less<>> keys_;
};

}  // namespace watchproof::store
