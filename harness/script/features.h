// SPDX-License-Identifier: Apache-2.0
// What a script reached: hooks of the store called, shapes of replies and errors, states of watches
// that met on a stream, kinds of steps that followed each other. A script that reached something
// new is worth changing further.
//
//   Features all, reached;
//   reached.Sequence(before, step);
//   if (all.Add(reached) > 0) corpus.push_back(script);
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>

#include "harness/history/entry.h"
#include "harness/script/script.h"
#include "harness/script/situation.h"

namespace watchproof::explore {

class Features {
 public:
  void Hook(std::size_t hook) { Set(kHooks + hook); }
  void Sequence(const Step& before, const Step& after) {
    Set(kSequences + KindOf(before) * kKinds + KindOf(after));
  }
  // A reply as a number below 1024 that describes it.
  void Reply(std::size_t shape) { Set(kReplies + shape); }
  void Error(Method method, StatusCode code) {
    Set(kErrors + static_cast<std::size_t>(method) * 32 + static_cast<std::size_t>(code));
  }
  struct Backlog {
    bool unsynced = false;
    bool victims = false;
  };
  void Met(WatchPhase a, WatchPhase b, Backlog backlog) {
    const auto low = static_cast<std::size_t>(std::min(a, b));
    const auto high = static_cast<std::size_t>(std::max(a, b));
    Set(kMeetings + (low * 8 + high) * 4 + (backlog.unsynced ? 1 : 0) + (backlog.victims ? 2 : 0));
  }
  // What each step came upon.
  Situations situations;

  // Returns how many were new.
  std::size_t Add(const Features& other) {
    const std::size_t before = reached_.count();
    reached_ |= other.reached_;
    return reached_.count() - before;
  }
  std::size_t count() const { return reached_.count(); }

 private:
  static constexpr std::size_t kHooks = 0;
  static constexpr std::size_t kSequences = 64;
  static constexpr std::size_t kReplies = 1280;
  static constexpr std::size_t kErrors = 2304;
  static constexpr std::size_t kMeetings = 3328;
  static constexpr std::size_t kAll = 4352;
  static constexpr std::size_t kKinds = std::variant_size_v<Step> + 7;  // loops
  static_assert(kSequences + kKinds * kKinds <= kReplies);

  static std::size_t KindOf(const Step& step) {
    const auto* turn = std::get_if<Turn>(&step);
    if (turn == nullptr) return step.index();
    return std::variant_size_v<Step> + static_cast<std::size_t>(turn->loop);
  }
  void Set(std::size_t feature) { reached_.set(feature % kAll); }

  std::bitset<kAll> reached_;
};

}  // namespace watchproof::explore
