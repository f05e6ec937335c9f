// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/cluster/cluster_grammar.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cases/support/drawn_crash.h"
#include "cases/support/member_behind.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

using FaultParameters = std::map<std::string, std::string>;

constexpr std::size_t kCallsUntilStopped = 100'000;
constexpr int kMostRounds = 3;
// Of each client that writes while a member is away: more than a short log keeps.
constexpr std::size_t kBeyondShortLog = 60;
constexpr std::int64_t kMostCrashPoint = 120;
const std::string kStem = "k";
const std::string kThroughout = "throughout";
const WatchedRange kAll{.key = kStem + "/", .range_end = kStem + "0"};

// And those of a snapshot that a member is sent, and of a defragmentation.
std::vector<DiskCalls> CallsToTheDisk() {
  std::vector<DiskCalls> calls = CallsOfFollower();
  calls.insert(calls.end(), {{"*member/snap/db", "rename", 1},
                             {"*member/snap/db.tmp*", "sync", 1},
                             {"*.snap.db|*member/snap/tmp*", "write+sync", 3}});
  return calls;
}
// Some of the delays of one link are above the time after which a member repeats what it asked for.
const std::vector<std::string> kDelays = {"100ms", "400ms", "800ms", "1200ms"};
const std::vector<DiskCalls> kDiskCalls = CallsToTheDisk();

// A fault of a round.
struct Event {
  enum class Kind { kLinks, kProcess, kDisk, kCall };
  Kind kind = Kind::kCall;
  std::string fault;
  FaultParameters parameters{};
  int member = 0;        // that it is about; 0: none of them
  bool awaited = false;  // it shows before it is healed
  bool at_once = false;  // it is over as soon as it has begun
  bool ends_watches = false;
  bool far_behind = false;  // so much is written meanwhile that the member is sent a snapshot
  Duration most = 800ms;    // that it is held before it is healed
};

class ClusterDrawer {
 public:
  ClusterDrawer(const Prng& prng, const ClusterDraw& options)
      : scenario_(prng), options_(options) {}

  Plan Draw() {
    scenario_.Cluster(DrawSettings());
    first_ = scenario_.Put(kStem + "/first");
    if (rights_) BeginRights();
    for (int member = 1; member <= options_.members; ++member) Watch(member);
    const bool throughout = scenario_.Chance(0.4);
    if (throughout) BeginLeases();
    const std::int64_t rounds = scenario_.Between(1, kMostRounds);
    for (int i = 0; i < rounds; ++i) Round();
    if (throughout) scenario_.Add(StopLoadStep{kThroughout});
    AwaitAll();
    for (int member = 1; member <= options_.members; ++member) {
      scenario_.Add(UseMemberStep{member});
      scenario_.PutSome(kStem + "/last", {1, 2});
      Watch(member);
    }
    scenario_.Add(UseMemberStep{1});
    for (const Group& group : groups_) scenario_.AwaitDelivered(group.name);
    return scenario_.plan();
  }

 private:
  struct Group {
    std::string name;
    int member = 1;
    bool ended = false;  // with its member's process
    std::string stream{};
  };

  ClusterPlan DrawSettings() {
    ClusterPlan cluster{.members = options_.members};
    if (scenario_.Chance(0.7)) cluster.snapshot_count = scenario_.Chance(0.7) ? 100 : 10;
    if (scenario_.Chance(0.3)) cluster.compaction_batch = 5;
    short_log_ = cluster.snapshot_count > 0 && scenario_.Chance(options_.short_logs ? 0.9 : 0.4);
    if (short_log_) cluster.catch_up_entries = scenario_.Chance(0.5) ? 50 : 5;
    may_send_snapshot_ = cluster.snapshot_count > 0;
    cluster.lease_checkpoints = scenario_.Chance(0.2);
    if (scenario_.Chance(0.5)) cluster.election_ms = 500;
    return cluster;
  }

  int AnyMember() { return static_cast<int>(scenario_.Between(1, options_.members)); }
  int AnyOther(int member) {
    const int drawn = static_cast<int>(scenario_.Between(1, options_.members - 1));
    return drawn < member ? drawn : drawn + 1;
  }
  static std::string Text(std::int64_t number) { return std::to_string(number); }

  // The kinds of a round, each with at most one fault; more often than not on one member.
  std::vector<Event> DrawEvents() {
    std::vector<Event> events;
    int member = AnyMember();
    if (!rights_ && scenario_.Chance(0.15)) return {DrawWhole(member)};
    const auto on = [&] { return scenario_.Chance(0.65) ? member : member = AnyMember(); };
    // Rights that change while a member is cut off are what it must catch up with.
    if (rights_ || scenario_.Chance(0.5)) events.push_back(DrawLinks(on()));
    if (scenario_.Chance(0.5)) events.push_back(DrawProcess(on()));
    if (options_.disks && scenario_.Chance(0.35)) events.push_back(DrawDisk(on()));
    if (events.empty() || scenario_.Chance(0.4)) events.push_back(DrawCall(on()));
    scenario_.Shuffle(events);
    FitTogether(events);
    return events;
  }

  Event DrawLinks(int member) {
    Event event{.kind = Event::Kind::kLinks, .member = member, .awaited = true};
    const std::int64_t drawn = scenario_.Between(0, 9);
    if (drawn < 6) {
      event.fault = "isolate";
      event.far_behind = may_send_snapshot_ && scenario_.Chance(0.7);
    } else if (drawn < 7) {
      event.fault = "split";
      event.member = 1;
      event.parameters = {{"leader", "minority"}};
      return event;
    } else if (drawn < 8) {
      // From the leader, as a rule: then it is found out by an election.
      const int from = scenario_.Chance(0.6) ? 1 : AnyMember();
      const int to = member == from ? AnyOther(from) : member;
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

  Event DrawProcess(int member) {
    Event event{.kind = Event::Kind::kProcess, .member = member, .ends_watches = true};
    event.parameters = {{"member", Text(member)}, {"stay-down", "yes"}};
    // A member that starts again has forgotten every login.
    const std::int64_t drawn = rights_ ? 4 : scenario_.Between(0, options_.disks ? 9 : 4);
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

  Event DrawDisk(int member) {
    const DiskCalls& calls = scenario_.Pick(kDiskCalls);
    return {.kind = Event::Kind::kDisk,
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
  Event DrawWhole(int member) {
    if (options_.disks && scenario_.Chance(0.5)) {
      Event event{.fault = "blackout", .member = 0, .ends_watches = true};
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

  Event DrawCall(int member) {
    if (scenario_.Chance(0.4)) {
      return {.fault = "defragment",
              .parameters = {{"member", Text(member)}, {"at-least", "0B"}, {"background", "yes"}},
              .member = member};
    }
    Event move{.fault = "move-leader", .parameters = {{"to", Text(member)}}, .at_once = true};
    if (scenario_.Chance(0.5)) return move;
    // Beside other events, which may keep the rest from learning of it.
    move.parameters["seen-by"] = "itself";
    move.at_once = false;
    return move;
  }

  // A member with a call held at its disk does not stop in order. One that falls far behind is the
  // only one that is disturbed: what is written meanwhile needs the others, and their leader.
  void FitTogether(std::vector<Event>& events) {
    const auto process = std::ranges::find(events, Event::Kind::kProcess, &Event::kind);
    const bool on_disk = std::ranges::count(events, Event::Kind::kDisk, &Event::kind) > 0;
    if (process != events.end() && on_disk && process->fault == "restart") process->fault = "kill";
    // One that stands still does not show what else befalls it.
    for (Event& event : events) {
      const bool stopped = process != events.end() && process->fault == "pause";
      if (stopped && &event != &*process && event.member == process->member) event.awaited = false;
    }
    const auto far = std::ranges::find_if(events, &Event::far_behind);
    if (far == events.end()) return;
    for (Event& event : events) {
      if (event.member == 0 || event.member == far->member) continue;
      event.member = far->member;
      event.parameters["member"] = Text(far->member);
    }
    std::erase_if(events,
                  [](const Event& event) { return event.at_once || event.fault == "move-leader"; });
  }

  // Begins and ends, in a drawn order.
  void Round() {
    const std::string number = Text(++round_);
    std::vector<Event> events = DrawEvents();
    for (Event& event : events) event.fault += "/" + number;
    BeginLoad(number);
    if (scenario_.Chance(0.3)) scenario_.Hold(0ms, 400ms);
    std::vector<const Event*> active;
    std::size_t begun = 0;
    while (begun < events.size() || !active.empty()) {
      const bool begins = begun < events.size() && (active.empty() || scenario_.Chance(0.7));
      if (begins) {
        const Event& event = events[begun++];
        Begin(event, number);
        if (!event.at_once) active.push_back(&event);
      } else {
        End(TakeOneToEnd(active));
      }
      GoElsewhere(active);
    }
    scenario_.Add(StopLoadStep{number});
    if (!hashes_.empty()) scenario_.Add(StopLoadStep{std::exchange(hashes_, {})});
    if (scenario_.Chance(0.8)) AwaitAll();
    if (scenario_.Chance(0.5)) ResumeEnded();
  }

  // A process starts once links and disk are healed, and a call ends once its server goes on.
  const Event& TakeOneToEnd(std::vector<const Event*>& active) {
    auto one = active.begin() + scenario_.Between(0, std::ssize(active) - 1);
    const auto take_if = [&](Event::Kind kind) {
      const auto other = std::ranges::find(active, kind, &Event::kind);
      if (other != active.end()) one = other;
    };
    if ((*one)->kind == Event::Kind::kCall) take_if(Event::Kind::kDisk);
    if ((*one)->kind == Event::Kind::kCall) take_if(Event::Kind::kProcess);
    if ((*one)->kind == Event::Kind::kProcess) take_if(Event::Kind::kDisk);
    if ((*one)->kind == Event::Kind::kProcess) take_if(Event::Kind::kLinks);
    const Event& event = **one;
    active.erase(one);
    return event;
  }

  void BeginLoad(const std::string& number) {
    LoadStep load{.load = number,
                  .clients = static_cast<std::size_t>(scenario_.Between(3, 8)),
                  .calls = kCallsUntilStopped,
                  .keys = static_cast<std::size_t>(scenario_.Between(3, 20)),
                  .key = kStem,
                  .direct = true,
                  .member = 0};
    const std::int64_t drawn = scenario_.Between(0, 9);
    load.guarded = drawn == 0;
    load.leases = drawn >= 6;
    load.compacts = scenario_.Chance(0.5);
    load.pause = scenario_.Pick<Duration>({5ms, 20ms, 50ms});
    if (rights_ && scenario_.Chance(0.7)) load.user = scenario_.Pick(users_);
    scenario_.BeginLoad(load);
    if (scenario_.Chance(0.1)) BeginHashes("hashes/" + number);
  }

  // What an operator asks a member for while it goes through all this.
  void BeginHashes(const std::string& name) {
    scenario_.BeginLoad({.load = name,
                         .clients = 12,
                         .calls = kCallsUntilStopped,
                         .key = kStem,
                         .direct = true,
                         .hashes_only = true,
                         .pause = 5ms,
                         .member = AnyMember()});
    hashes_ = name;
  }

  // Leases that are older than any of the rounds, kept alive at every member.
  void BeginLeases() {
    scenario_.BeginLoad({.load = kThroughout,
                         .clients = 3,
                         .calls = kCallsUntilStopped,
                         .keys = 3,
                         .key = kStem,
                         .direct = true,
                         .leases = true,
                         .keeps_leases = true,
                         .pause = 100ms,
                         .member = 0});
  }

  void Begin(const Event& event, const std::string& number) {
    // Of all of them at least one must take effect.
    scenario_.Add(InjectStep{event.fault, event.parameters, /*optional=*/true});
    for (Group& group : groups_)
      group.ended |= event.ends_watches && (event.member == 0 || group.member == event.member);
    if (event.at_once) return scenario_.AwaitEffectAndHeal(event.fault);
    if (event.awaited && (event.far_behind || scenario_.Chance(0.6))) {
      scenario_.AwaitEffect(event.fault);
      awaited_.insert(event.fault);
    }
    if (!event.far_behind) return;
    const std::string load = "far/" + number;
    LoadStep writes = BeyondLog(kStem + "/far");
    writes.load = load;
    if (options_.short_logs && short_log_) writes.calls = kBeyondShortLog;
    writes.member = AnyOther(event.member);
    scenario_.BeginLoad(writes);
    scenario_.AwaitLoad(load);
  }

  void End(const Event& event) {
    scenario_.Hold(0ms, event.most);
    if (event.awaited && !awaited_.contains(event.fault)) scenario_.AwaitEffect(event.fault);
    scenario_.Heal(event.fault);
  }

  bool Disturbed(int member, const std::vector<const Event*>& active) const {
    return std::ranges::any_of(active, [member](const Event* one) {
      return one->member == member || (one->member == 0 && one->ends_watches);
    });
  }

  void GoElsewhere(const std::vector<const Event*>& active) {
    if (scenario_.Chance(0.3)) scenario_.Hold(0ms, 500ms);
    const int member = AnyMember();
    if (Disturbed(member, active)) return;
    if (rights_ && scenario_.Chance(0.5)) return Permit(member);
    if (scenario_.Chance(0.25)) return Watch(member);
    if (scenario_.Chance(0.3)) Resume(scenario_.Pick(groups_), member);
  }

  // With authentication, one user may write some keys.
  void BeginRights() {
    scenario_.Add(AuthStep{{{.user = "reader", .key = kAll.key, .range_end = kAll.range_end}}});
    users_ = {"early"};
    scenario_.Add(
        PermitStep{.user = users_.front(), .key = kStem + "/0", .range_end = kStem + "/2"});
  }

  // One may write all of them from here on, perhaps a new one.
  void Permit(int member) {
    const std::string user =
        scenario_.Chance(0.5) ? scenario_.Pick(users_) : "user-" + Text(++made_);
    scenario_.Add(UseMemberStep{member});
    scenario_.Add(PermitStep{.user = user, .key = kAll.key, .range_end = kAll.range_end});
    users_.push_back(user);
  }

  void AwaitAll() {
    for (int member = 1; member <= options_.members; ++member) {
      scenario_.Add(AwaitCaughtUpStep{member});
    }
  }

  // What ended with its member is watched on, there or elsewhere.
  void ResumeEnded() {
    for (Group group : std::vector<Group>(groups_)) {
      if (group.ended) Resume(group, scenario_.Chance(0.5) ? group.member : AnyMember());
    }
  }

  // A client has one connection to each member; some have a second one.
  void Watch(int member) {
    const std::string name = "w" + Text(++made_);
    WatchStep watch{.group = name,
                    .count = static_cast<std::size_t>(scenario_.Between(1, 3)),
                    .range = kAll,
                    .stream = "direct/" + name,
                    .member = member};
    if (scenario_.Chance(0.3)) watch.range = {Text(scenario_.Between(0, 9)), ""};
    if (watch.range.range_end.empty()) watch.range.key = kStem + "/" + watch.range.key;
    const std::int64_t drawn = scenario_.Between(0, 3);
    if (drawn == 0) watch.start = first_;
    if (drawn == 1 && round_ > 1) watch.start = AtHead(-scenario_.Between(0, 30));
    watch.options.prev_kv = scenario_.Chance(0.3);
    watch.options.fragment = scenario_.Chance(0.2);
    watch.options.progress_notify = scenario_.Chance(0.2);
    if (rights_ && scenario_.Chance(0.3)) watch.user = "reader";
    scenario_.Open(watch);
    groups_.push_back({.name = name, .member = member, .stream = watch.stream});
  }

  // Of a client that goes elsewhere while its watches are open, too.
  void Resume(Group group, int member) {
    const std::string name = "w" + Text(++made_);
    scenario_.Add(CloseStep{group.stream});
    scenario_.Resume(group.name, name, member);
    std::erase_if(groups_, [&group](const Group& one) { return one.name == group.name; });
    groups_.push_back({.name = name, .member = member, .stream = "resumed/" + name});
  }

  Scenario scenario_;
  const ClusterDraw options_;
  const bool rights_ = scenario_.Chance(0.15);
  bool may_send_snapshot_ = false;
  bool short_log_ = false;
  std::string hashes_;              // a load
  std::vector<std::string> users_;  // that may write
  Write first_;
  std::vector<Group> groups_;
  std::set<std::string> awaited_;  // faults
  int round_ = 0;
  int made_ = 0;
};

}  // namespace

Plan DrawCluster(const Prng& prng, const ClusterDraw& options) {
  return ClusterDrawer(prng, options).Draw();
}

}  // namespace watchproof
