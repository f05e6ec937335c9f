// SPDX-License-Identifier: Apache-2.0
// The store's data: versions of keys, the changes that made them, and the commits that group those.
//
// A change is allocated once, never modified, and shared by the log, the commit feed and every
// queue that carries it to a watcher; the last of them to let go frees it. Threads: immutable
// values behind shared pointers.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/units.h"

namespace watchproof::store {

struct KeyValue {
  std::string key;
  std::string value;
  Revision create{0};  // where the present generation of the key began
  Revision mod{0};
  std::int64_t version = 0;  // 1 at creation, one more with every put
  std::int64_t lease = 0;
  bool operator==(const KeyValue&) const = default;
};

enum class ChangeKind { kPut, kDelete };

// A delete carries the key and its own revision, nothing else.
struct Change {
  ChangeKind kind = ChangeKind::kPut;
  std::int64_t sub = 0;
  KeyValue kv;
};
using ChangePtr = std::shared_ptr<const Change>;

// A change together with what the key held one revision earlier; `previous` is null when there was
// nothing, when compaction took it, or when previous values were not requested.
struct Event {
  ChangePtr change;
  ChangePtr previous;
};

// The full name of one change: the revision of its transaction, and its place within it.
struct RevisionPair {
  Revision main;
  std::int64_t sub = 0;
  auto operator<=>(const RevisionPair&) const = default;
};

// Everything one transaction changed, in the order of its operations.
struct Commit {
  Revision revision;
  std::vector<Event> events;
};

}  // namespace watchproof::store
