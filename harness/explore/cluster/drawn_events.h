// SPDX-License-Identifier: Apache-2.0
// The faults of one round of a cluster's plan: which ones meet, on which members, and what each
// needs of those beside it.
//
//   EventDrawer drawer(scenario, options, {.sends_snapshots = true});
//   for (const DrawnEvent& event : drawer.Draw()) ...
//
// Not thread-safe. Ownership: borrows the scenario and draws from its seed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cases/support/scenario.h"
#include "harness/explore/cluster/cluster_grammar.h"

namespace watchproof {

// A round has at most one fault of each kind.
struct DrawnEvent {
  enum class Kind { kLinks, kClients, kProcess, kDisk, kCall };
  Kind kind = Kind::kCall;
  std::string fault;
  std::map<std::string, std::string> parameters{};
  int member = 0;             // that it is about; 0: none of them
  bool awaited = false;       // it shows before it is healed
  bool at_once = false;       // it is over as soon as it has begun
  bool ends_watches = false;  // on every path, or of clients' links: on the proxied path
  bool far_behind = false;    // so much is written meanwhile that the member is sent a snapshot
  bool may_end = false;       // the process, by itself
  bool quiet = false;         // no load runs beside it
  Duration most = 800ms;      // that it is held before it is healed
};

// What the whole plan is like.
struct PlanTraits {
  bool sends_snapshots = false;  // to a member that is far behind
  bool short_log = false;        // which takes some hundred writes, and not thousands
  bool rights = false;           // users have them, and they change
  bool leases = false;           // that are older than any round
};

int AnyOtherMember(Scenario& scenario, int members, int member);

class EventDrawer {
 public:
  EventDrawer(Scenario& scenario, const ClusterDraw& options, const PlanTraits& traits)
      : scenario_(scenario), options_(options), traits_(traits) {}

  // More often than not on one member.
  std::vector<DrawnEvent> Draw();
  // Those beside a given one.
  std::vector<DrawnEvent> DrawBeside(DrawnEvent process);

 private:
  int AnyMember() { return static_cast<int>(scenario_.Between(1, options_.members)); }
  DrawnEvent DrawLinks(int member);
  DrawnEvent DrawClients();
  DrawnEvent DrawProcess(int member);
  DrawnEvent DrawBadDisk(int member);
  DrawnEvent DrawDisk(int member);
  DrawnEvent DrawWhole(int member);
  DrawnEvent DrawCall(int member);
  std::vector<DrawnEvent> Among(int member, std::vector<DrawnEvent> events);
  void FitTogether(std::vector<DrawnEvent>& events);

  Scenario& scenario_;
  const ClusterDraw options_;
  const PlanTraits traits_;
};

}  // namespace watchproof
