// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/cluster/drawn_events.h"

#include <algorithm>

#include "cases/support/drawn_crash.h"

namespace watchproof {
namespace {

using Kind = DrawnEvent::Kind;

constexpr std::int64_t kMostCrashPoint = 120;

// And those of a snapshot that a member is sent, and of a defragmentation.
std::vector<DiskCalls> CallsToTheDisk() {
  std::vector<DiskCalls> calls = CallsOfFollower();
  calls.insert(calls.end(), {{"*member/snap/db", "rename", 1},
                             {"*member/snap/db.tmp*", "sync", 1},
                             {"*.snap.db|*member/snap/tmp*", "write+sync", 3}});
  return calls;
}
const std::vector<DiskCalls> kDiskCalls = CallsToTheDisk();
// Some of the delays of one link are above the time after which a member repeats what it asked for.
const std::vector<std::string> kDelays = {"100ms", "400ms", "800ms", "1200ms"};

std::string Text(std::int64_t number) { return std::to_string(number); }

}  // namespace

int AnyOtherMember(Scenario& scenario, int members, int member) {
  const int drawn = static_cast<int>(scenario.Between(1, members - 1));
  return drawn < member ? drawn : drawn + 1;
}

std::vector<DrawnEvent> EventDrawer::Draw() {
  const int member = AnyMember();
  if (!traits_.rights && scenario_.Chance(0.2)) return {DrawWhole(member)};
  std::vector<DrawnEvent> process;
  if (scenario_.Chance(0.5)) process.push_back(DrawProcess(member));
  return Among(member, std::move(process));
}

std::vector<DrawnEvent> EventDrawer::DrawBeside(DrawnEvent process) {
  const int member = process.member;
  return Among(member, {std::move(process)});
}

std::vector<DrawnEvent> EventDrawer::Among(int member, std::vector<DrawnEvent> events) {
  const auto on = [&] { return scenario_.Chance(0.65) ? member : member = AnyMember(); };
  // Rights that change while a member is cut off are what it must catch up with.
  if (traits_.rights || scenario_.Chance(0.5)) events.push_back(DrawLinks(on()));
  if (scenario_.Chance(0.25)) events.push_back(DrawClients());
  if (options_.disks && scenario_.Chance(0.35)) events.push_back(DrawDisk(on()));
  if (events.empty() || scenario_.Chance(0.4)) events.push_back(DrawCall(on()));
  scenario_.Shuffle(events);
  FitTogether(events);
  return events;
}

DrawnEvent EventDrawer::DrawLinks(int member) {
  DrawnEvent event{.kind = Kind::kLinks, .member = member, .awaited = true};
  const std::int64_t drawn = scenario_.Between(0, 9);
  if (drawn < 6) {
    event.fault = "isolate";
    event.far_behind = traits_.sends_snapshots && scenario_.Chance(traits_.short_log ? 0.7 : 0.3);
  } else if (drawn < 7) {
    event.fault = "split";
    event.member = 1;
    event.parameters = {{"leader", "minority"}};
    return event;
  } else if (drawn < 8) {
    // From the leader, as a rule: then it is found out by an election.
    const int from = scenario_.Chance(0.6) ? 1 : AnyMember();
    const int to = member == from ? AnyOtherMember(scenario_, options_.members, from) : member;
    const bool late = scenario_.Chance(0.5);
    event.fault = late ? "slow-link" : "one-way-cut";
    event.parameters = {{"from", Text(from)}, {"to", Text(to)}};
    if (late) event.parameters["delay"] = scenario_.Pick(kDelays);
    event.awaited = late || from == 1;
    event.most = 1500ms;
    return event;
  } else if (drawn < 9) {
    event.fault = "slow-peer";
    event.most = 1500ms;
  } else {
    event.fault = "slow-link-to-member";
    event.awaited = false;
    event.most = 1500ms;
    event.parameters = {{"rate", "16KiB"}, {"at-least", "4KiB"}};
  }
  event.parameters["member"] = Text(member);
  return event;
}

// The proxied path is that of the first member.
DrawnEvent EventDrawer::DrawClients() {
  static const std::vector<std::string> kEnds = {"reset", "close", "goaway", "half-open",
                                                 "black-hole"};
  static const std::vector<std::string> kHolds = {"stall", "latency", "bandwidth", "slice"};
  const bool ends = scenario_.Chance(0.5);
  DrawnEvent event{.kind = Kind::kClients,
                   .fault = scenario_.Pick(ends ? kEnds : kHolds),
                   .ends_watches = ends,
                   .most = 1500ms};
  if (event.fault == "stall") event.parameters["at-least"] = "1KiB";
  return event;
}

DrawnEvent EventDrawer::DrawProcess(int member) {
  DrawnEvent event{.kind = Kind::kProcess, .member = member, .ends_watches = true};
  event.parameters = {{"member", Text(member)}, {"stay-down", "yes"}};
  // A member that starts again has forgotten every login.
  const std::int64_t drawn = traits_.rights ? 4 : scenario_.Between(0, options_.disks ? 11 : 4);
  if (drawn < 2) {
    event.fault = "kill";
  } else if (drawn < 3) {
    event.fault = "restart";
  } else if (drawn < 5) {
    event.fault = "pause";
    event.parameters.erase("stay-down");
    event.awaited = true;
    event.ends_watches = false;
    event.most = scenario_.Chance(0.25) ? 5s : 800ms;
  } else if (drawn < 6) {
    event.fault = "power-failure";
    event.parameters.merge(DrawnLoss(scenario_));
  } else if (drawn < 8) {
    return DrawBadDisk(member);
  } else {
    event.fault = "crash-point";
    event.awaited = true;
    const bool any = scenario_.Chance(0.5);
    const DiskCalls calls =
        any ? DiskCalls{"all", "", kMostCrashPoint} : scenario_.Pick(kDiskCalls);
    event.parameters = DrawnCrash(scenario_, calls.most);
    event.parameters["member"] = Text(member);
    event.parameters["files"] = calls.files;
    if (!any) event.parameters["calls"] = calls.calls;
  }
  return event;
}

// Some calls fail, or find no room: the member may end, or go on without.
DrawnEvent EventDrawer::DrawBadDisk(int member) {
  const DiskCalls& calls = scenario_.Pick(kDiskCalls);
  return {.kind = Kind::kProcess,
          .fault = scenario_.Chance(0.5) ? "failing-disk" : "full-disk",
          .parameters = {{"member", Text(member)},
                         {"files", calls.files},
                         {"calls", calls.calls},
                         {"from", Text(scenario_.Between(1, calls.most))},
                         {"times", Text(scenario_.Between(0, 2))}},
          .member = member,
          .awaited = true,
          .ends_watches = true,
          .may_end = true};
}

DrawnEvent EventDrawer::DrawDisk(int member) {
  const DiskCalls& calls = scenario_.Pick(kDiskCalls);
  return {.kind = Kind::kDisk,
          .fault = "slow-disk",
          .parameters = {{"member", Text(member)},
                         {"files", calls.files},
                         {"calls", calls.calls},
                         {"from", Text(scenario_.Between(1, calls.most))},
                         {"times", "1"},
                         {"hold", "60s"}},
          .member = member,
          .awaited = true};
}

// What takes all members, or leaves no other one to be spared: nothing else goes on beside it.
DrawnEvent EventDrawer::DrawWhole(int member) {
  const std::int64_t drawn = scenario_.Between(0, 9);
  if (drawn < 2 && options_.restores && !traits_.leases) {
    return {.fault = "restore", .ends_watches = true, .quiet = true};
  }
  if (drawn < 4) return {.fault = "no-space"};
  if (drawn < 7 && options_.disks) {
    DrawnEvent event{.fault = "blackout", .ends_watches = true};
    event.parameters = DrawnLoss(scenario_);
    event.parameters["stay-down"] = "yes";
    return event;
  }
  return {
      .fault = "replace",
      .parameters = {{"member", Text(member)}, {"learner", scenario_.Chance(0.5) ? "yes" : "no"}},
      .member = member,
      .at_once = true,
      .ends_watches = true};
}

DrawnEvent EventDrawer::DrawCall(int member) {
  if (scenario_.Chance(0.4)) {
    return {.fault = "defragment",
            .parameters = {{"member", Text(member)}, {"at-least", "0B"}, {"background", "yes"}},
            .member = member};
  }
  DrawnEvent move{.fault = "move-leader", .parameters = {{"to", Text(member)}}, .at_once = true};
  if (scenario_.Chance(0.5)) return move;
  // Beside other events, which may keep the rest from learning of it.
  move.parameters["seen-by"] = "itself";
  move.at_once = false;
  return move;
}

// A member with a call held at its disk does not stop in order. Where one falls far behind, no
// other is disturbed: what is written meanwhile needs the others, and their leader.
void EventDrawer::FitTogether(std::vector<DrawnEvent>& events) {
  const bool restart = std::ranges::count(events, "restart", &DrawnEvent::fault) > 0;
  if (restart) {
    std::erase_if(events, [](const DrawnEvent& event) { return event.kind == Kind::kDisk; });
  }
  const auto process = std::ranges::find(events, Kind::kProcess, &DrawnEvent::kind);
  // One that stands still, or has ended, does not show what else befalls it.
  for (DrawnEvent& event : events) {
    const bool stopped = process != events.end() && (process->fault == "pause" || process->may_end);
    if (stopped && &event != &*process && event.member == process->member) event.awaited = false;
  }
  const auto far = std::ranges::find_if(events, &DrawnEvent::far_behind);
  if (far == events.end()) return;
  const int member = restart ? process->member : far->member;
  for (DrawnEvent& event : events) {
    if (event.member == 0) continue;
    event.member = member;
    event.parameters["member"] = Text(member);
  }
  std::erase_if(events, [](const DrawnEvent& event) {
    return event.at_once || event.fault == "move-leader";
  });
}

}  // namespace watchproof
