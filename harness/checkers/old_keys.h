// SPDX-License-Identifier: Apache-2.0
// What can be said of the marks of keys that may be older than the recording.
//
//   if (!old_keys.Fits(change, event.kv, base)) ...     // change: a put whose lineage is not known
//
// Nobody knows when such a key was made, nor how often it had been put by then. But it is one fact:
// every event and every previous value of the same life of the key must agree on it. Not
// thread-safe.
#pragma once

#include <map>
#include <utility>

#include "harness/history/wire.h"
#include "harness/model/timeline.h"

namespace watchproof {

class OldKeys {
 public:
  // Whether the marks can be those of the put, and agree with what was told before. A change of
  // unknown lineage is counted as if the first put of the recording had made the key.
  bool Fits(const Change& put, const KeyValueView& kv, Revision base) {
    const std::int64_t puts_before = kv.version - put.version;
    const std::int64_t made = kv.create_revision;
    if (puts_before == 0) {
      if (made != put.create_revision.value) return false;
    } else if (made < 1 || made > base.value || puts_before < 1 ||
               puts_before > base.value - made + 1) {
      return false;
    }
    const auto [reported, is_new] =
        reported_.try_emplace({put.key_id, put.create_revision}, puts_before, made);
    return is_new || reported->second == std::pair(puts_before, made);
  }

 private:
  // By key and the first put of the life that the recording knows: how many puts came before, and
  // where the key was made.
  std::map<std::pair<std::uint32_t, Revision>, std::pair<std::int64_t, std::int64_t>> reported_;
};

}  // namespace watchproof
