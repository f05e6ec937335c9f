// SPDX-License-Identifier: Apache-2.0
// The declared differences of a store from etcd that affect judging: written into the first line of
// a recording, so that judging it again applies the same rules.
//
//   if (deviations.unset.contains("lease")) ...   // events without a lease are no finding
//
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace watchproof {

// The fields of a message that may be declared to be 0 always.
inline constexpr std::array<std::string_view, 5> kFieldsThatMayBeUnset = {
    "header.cluster_id", "header.member_id", "create_revision", "version", "lease"};

struct Deviations {
  // Fields that are always 0. A value other than 0 is judged as usual.
  std::set<std::string, std::less<>> unset = {};
  // Previous values come with every event, also where the watch did not ask for them.
  bool previous_unasked = false;
  // A compaction is acknowledged and history below it is served all the same.
  bool keeps_history = false;

  template <typename F>
  void Fields(F& field) {
    field("unset", unset);
    field("previous_unasked", previous_unasked);
    field("keeps_history", keeps_history);
  }
  bool any() const { return !unset.empty() || previous_unasked || keeps_history; }
  bool operator==(const Deviations&) const = default;
};

// Whether the value of a field carries no information because the field is declared never to be
// set.
inline bool IsUnset(const Deviations& deviations, std::string_view field, std::int64_t value) {
  return value == 0 && !deviations.unset.empty() && deviations.unset.contains(field);
}

}  // namespace watchproof
