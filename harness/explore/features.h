// SPDX-License-Identifier: Apache-2.0
// What a script reached: hooks of the store called, shapes of replies and errors, states of watches
// that met on a stream, kinds of steps that followed each other. A script that reached something
// new is worth changing further.
//
//   Features all, reached;
//   ObservedHooks hooks({}, reached);            // hook_observer.h
//   if (all.Add(reached) > 0) corpus.push_back(script);
//
// Not thread-safe.
#pragma once

#include <bitset>
#include <cstddef>

#include "embedded_store/watch/watch_types.h"
#include "harness/explore/script.h"
#include "harness/explore/situation.h"
#include "harness/history/entry.h"

namespace watchproof::explore {

class Features {
 public:
  void Hook(std::size_t hook) { Set(kHooks + hook); }
  void Sequence(const Step& before, const Step& after);
  void Reply(const store::WatchReply& reply, std::size_t parts);
  void Error(Method method, StatusCode code);
  struct Backlog {
    bool unsynced = false;
    bool victims = false;
  };
  void Met(WatchPhase a, WatchPhase b, Backlog backlog);
  // What each step came upon.
  Situations situations;

  // Returns how many were new.
  std::size_t Add(const Features& other);
  std::size_t count() const { return reached_.count(); }
  void Clear() { reached_.reset(); }

 private:
  static constexpr std::size_t kHooks = 0;
  static constexpr std::size_t kSequences = 64;
  static constexpr std::size_t kReplies = 1024;
  static constexpr std::size_t kErrors = 2048;
  static constexpr std::size_t kMeetings = 3072;
  static constexpr std::size_t kAll = 4096;
  void Set(std::size_t feature) { reached_.set(feature % kAll); }

  std::bitset<kAll> reached_;
};

}  // namespace watchproof::explore
