// SPDX-License-Identifier: Apache-2.0
// How far compaction has been asked for, and how far it is known to have gone.
//
// Between the two a watch may meet either answer. A request that was refused for certain counts for
// nothing; one whose outcome stayed open counts as asked for. Not thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "harness/history/entry.h"

namespace watchproof {

class Floors {
 public:
  void Ask(CallId call, Revision revision) {
    pending_[call.value] = revision;
    asked_.insert(revision);
  }
  void Acknowledge(CallId call) {
    const auto asked = pending_.find(call.value);
    if (asked == pending_.end()) return;
    acknowledged_ = std::max(acknowledged_, asked->second);
    pending_.erase(asked);
  }
  void Refuse(CallId call) { pending_.erase(call.value); }

  // Below it nothing can be read any more; 0 before the first compaction.
  Revision acknowledged() const { return acknowledged_; }
  // Whether that very compaction was ever asked for.
  bool Asked(Revision revision) const { return asked_.contains(revision); }
  Revision requested() const {
    Revision highest = acknowledged_;
    for (const auto& [call, revision] : pending_) highest = std::max(highest, revision);
    return highest;
  }

 private:
  Revision acknowledged_{};
  std::set<Revision> asked_;
  std::map<std::uint32_t, Revision>
      pending_;  // by call: asked and neither acknowledged nor refused
};

}  // namespace watchproof
