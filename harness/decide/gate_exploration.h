// SPDX-License-Identifier: Apache-2.0
// What no case asks, on the head of a gate, with the base as control: the same drawn scripts on
// both. A script with a finding that only the head showed runs alone on a server of each, pair
// after pair, as evidence for the trial, and is made smaller.
//
//   GateExploration exploration({.base = base, .head = head, ...});
//   const GateExplored explored = exploration.Run(trial, until);
//   exploration.Run(trial, later);   // goes on with what is known by then
//
// Not thread-safe. Ownership: borrows the folder.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/decide/gate.h"
#include "harness/explore/live/live_explorer.h"
#include "harness/runs/run_folder.h"

namespace watchproof {

struct GateExplorationOptions {
  TargetSpec base;
  TargetSpec head;
  std::uint64_t seed = 0;
  RunFolder& folder;
  std::function<bool()> interrupted;
  std::function<void(const std::string&)> progress;
};

class GateExploration {
 public:
  explicit GateExploration(const GateExplorationOptions& options);

  // Until the time is over or the trial says worse; early if a server did not start. What came of
  // every run so far.
  GateExplored Run(GateTrial& trial, TimePoint until);

 private:
  // A kind of finding that was compared: its place in what was found, and the script of its pairs.
  struct Begun {
    std::size_t place = 0;
    explore::Script script;
  };

  explore::LiveExploreOptions OptionsFor(const TargetSpec& target);
  bool Over() const { return options_.interrupted() || Clock::now() >= until_; }
  bool BaseShows(const std::string& shape) const;
  Status Explore(GateTrial& trial);
  Status Examine(const explore::Bucket& bucket, GateTrial& trial);
  Status Compare(const explore::Script& script, const std::string& shape, GateScript& found,
                 GateTrial& trial);

  const GateExplorationOptions options_;
  TimePoint until_{};
  Mutex mu_;
  int servers_ GUARDED_BY(mu_) = 0;
  explore::LiveExplorer head_;
  explore::LiveExplorer base_;
  std::set<std::string> seen_;          // shapes
  std::set<std::string> examined_;      // likewise; without those that the end of a turn cut off
  std::map<std::string, Begun> begun_;  // by shape
  GateExplored explored_;
};

}  // namespace watchproof
