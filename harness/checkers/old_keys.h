// SPDX-License-Identifier: Apache-2.0
// Checks the metadata of keys, also of those that may be older than the recording.
//
//   if (!old_keys.Fits(change, event.kv, base)) ...     // change: a put of unknown lineage
//
// The create revision and the version of such a key are unknown. But they are fixed: every event
// and every previous value of one generation of the key must agree on them. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "harness/history/run_started.h"
#include "harness/history/wire.h"
#include "harness/model/timeline.h"

namespace watchproof {

// A field that differs from what follows from the writes.
struct WrongField {
  std::string_view name;
  std::int64_t reported = 0;
  std::int64_t known = 0;
};
// The first of create revision, version and lease, as far as the change is known; fields that the
// store is declared never to set do not count.
inline std::optional<WrongField> FirstWrongField(const KeyValueView& kv, const Change& change,
                                                 const Deviations& deviations) {
  const auto differs = [&](std::string_view field, std::int64_t reported, std::int64_t known) {
    return reported != known && !IsUnset(deviations, field, reported);
  };
  const std::int64_t created = change.create_revision.value;
  if (change.lineage_known && differs("create_revision", kv.create_revision, created)) {
    return WrongField{"create revision", kv.create_revision, created};
  }
  if (change.lineage_known && differs("version", kv.version, change.version)) {
    return WrongField{"version", kv.version, change.version};
  }
  if (change.lease_known && differs("lease", kv.lease, change.lease)) {
    return WrongField{"lease", kv.lease, change.lease};
  }
  return std::nullopt;
}

class OldKeys {
 public:
  // Whether the metadata can be that of the put, and agrees with earlier events. The version of a
  // change of unknown lineage is counted as if the first put of the recording had made the key.
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
  // By key and the first recorded put of the generation: how many puts came before, and the create
  // revision.
  std::map<std::pair<std::uint32_t, Revision>, std::pair<std::int64_t, std::int64_t>> reported_;
};

}  // namespace watchproof
