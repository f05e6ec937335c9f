// SPDX-License-Identifier: Apache-2.0
// What each call needs of its user on a store with authentication enabled: one table, by etcd's
// documents and the advisories on what it once overlooked.
//
//   const CallNeeds needs = NeedsOf(Method::kTxn, request, keys_of_lease);
//   for (const NeededRight& right : needs.rights) ... right.range, right.write ...
//
// Threads: functions without state.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/method.h"
#include "harness/model/key_range.h"

namespace watchproof {

// What kind of caller may make the call, beside the rights on keys that it needs.
enum class CallOf {
  kAnyone,        // no token: whether it needs one follows from the keys, if there are any
  kUser,          // any token that the store has issued
  kUserOrRoot,    // a release decides between these two
  kAnyoneOrRoot,  // likewise
  kRoot,          // the role root
  kItself,        // the role root, or the user itself, or one with the role that it is about
};

struct NeededRight {
  enum class For {
    kKeys,      // that are read, written or deleted
    kCompared,  // by a transaction
    kReplaced,  // the value that a put replaces, asked for with prev_kv
    kDeleted,   // likewise those of a deletion
    kLeased,    // the other keys of a lease, which end with it
  };
  bool write = false;  // or read
  KeyRange range;
  For what = For::kKeys;
  int depth = 0;  // 1: of an operation of a transaction; more: of a transaction in one
};

struct CallNeeds {
  CallOf of = CallOf::kAnyone;
  std::string about{};  // of kItself: the user or role
  std::vector<NeededRight> rights{};
};

// The keys on a lease; on any, for 0.
using KeysOfLease = std::function<std::vector<std::string>(std::int64_t lease)>;

// What cannot be read needs nothing.
CallNeeds NeedsOf(Method method, std::string_view request, const KeysOfLease& keys_of);

}  // namespace watchproof
