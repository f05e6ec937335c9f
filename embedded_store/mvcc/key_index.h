// SPDX-License-Identifier: Apache-2.0
// Which revisions each key was changed at, grouped into generations: a generation is one life of a
// key, from a put to the delete that ends it.
//
//   Life life = index.Put("k", at);                      // create revision and version of this put
//   if (auto at = index.FindAt("k", Revision{5})) ...    // the put that was visible at 5
//
// Not thread-safe. Ownership: by value, inside the store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "embedded_store/mvcc/key_range.h"
#include "embedded_store/mvcc/revision_pair.h"

namespace watchproof::store {

class KeyIndex {
 public:
  struct Life {
    Revision create;
    std::int64_t version = 0;
  };

  Life Put(const std::string& key, RevisionPair at);
  // Requires: the key is alive.
  void Delete(const std::string& key, RevisionPair at);

  // The put that was visible at this revision; nothing when the key did not live then. Requires:
  // the revision is not below the last compaction.
  std::optional<RevisionPair> FindAt(const std::string& key, Revision revision) const;
  using Visit = std::function<void(const std::string& key, RevisionPair at)>;
  // In key order, every key of the range that lived at this revision.
  void VisitAt(const KeyRange& range, Revision revision, const Visit& visit) const;

  // Forgets what no reader and no watcher at or above the floor can need, and returns what was
  // forgotten. A delete exactly at the floor stays: a watch may start there (#18089).
  std::vector<RevisionPair> Compact(Revision floor);

 private:
  struct Generation {
    Life life;  // of the newest put
    bool ended = false;
    std::vector<RevisionPair> revisions;  // ascending; the last one is the delete when ended
  };
  using Generations = std::vector<Generation>;

  static std::optional<RevisionPair> Visible(const Generations& lives, Revision revision);
  static void Trim(Generation& life, Revision floor, std::vector<RevisionPair>& dropped);

  std::map<std::string, Generations, std::less<>> keys_;
};

}  // namespace watchproof::store
