// SPDX-License-Identifier: Apache-2.0
// The compactions requested so far, and those acknowledged.
//
//   floors.Ask(call, Revision(50));  floors.Acknowledge(call);
//   floors.acknowledged();  floors.requested();
//
// A watch that starts between the two may succeed or be answered as compacted. A request that was
// refused for certain does not count; one with an open outcome counts as requested. Not
// thread-safe. Ownership: holds values only.
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

  // Revisions below it cannot be read any more; 0 before the first compaction.
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
