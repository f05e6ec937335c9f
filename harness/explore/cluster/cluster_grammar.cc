// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/cluster/cluster_grammar.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "cases/support/drawn_crash.h"
#include "cases/support/member_behind.h"
#include "cases/support/rolling_upgrade.h"
#include "harness/explore/cluster/drawn_events.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/spare.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

constexpr std::size_t kCallsUntilStopped = 100'000;
constexpr int kMostRounds = 3;
// How much each client writes while a member is away: more than a short log keeps.
constexpr std::size_t kBeyondShortLog = 60;
const std::string kStem = "k";
const WatchedRange kAll{.key = kStem + "/", .range_end = kStem + "0"};
// Ranges of the keys of drawn calls, and across those of the others.
const std::vector<WatchedRange> kRanges = {{kStem + "/a/", kStem + "/a0"},
                                           {kStem + "/a/2", kStem + "/b"},
                                           {kStem + "/b", {}},
                                           {kStem + "/5", kStem + "/a/2"}};

class ClusterDrawer {
 public:
  ClusterDrawer(const Prng& prng, const ClusterDraw& options) : scenario_(prng), options_(options) {
    for (const NextRelease& next : options_.releases) {
      for (int member = 1; member <= options_.members; ++member)
        upgrades_.push_back({member, next});
    }
  }

  Plan Draw() {
    scenario_.Cluster(DrawSettings());
    first_ = scenario_.Put(kStem + "/first");
    if (rights_) BeginRights();
    for (int member = 1; member <= options_.members; ++member) Watch(member);
    if (leases_) BeginLeases();
    const std::int64_t rounds = scenario_.Between(1, kMostRounds);
    for (int i = 0; i < rounds; ++i) Round();
    while (!upgrades_.empty()) Upgrade();
    if (leases_) scenario_.Add(StopLoadStep{throughout_});
    AwaitAll();
    ResumeEnded();
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
    if (scenario_.Chance(0.2)) cluster.backend_batch = scenario_.Chance(0.5) ? 1 : 50;
    if (scenario_.Chance(0.2)) cluster.backend_ms = scenario_.Chance(0.5) ? 5 : 2000;
    cluster.self_checks = scenario_.Chance(0.25);
    // A release may not read what an older one has logged since its last snapshot.
    if (options_.releases.size() > 1) cluster.snapshot_count = 100;
    return cluster;
  }

  int AnyMember() { return static_cast<int>(scenario_.Between(1, options_.members)); }
  static std::string Text(std::int64_t number) { return std::to_string(number); }

  // Begins and ends, in a drawn order.
  void Round() {
    const std::string number = Text(++round_);
    if (!rights_ && options_.releases.empty() && scenario_.Chance(0.1)) return Outage(number);
    std::vector<DrawnEvent> events = DrawEvents();
    for (DrawnEvent& event : events) event.fault += "/" + number;
    if (events.front().quiet) return LoseWrites(events.front());
    BeginLoad(number);
    if (scenario_.Chance(0.3)) scenario_.Hold(0ms, 400ms);
    std::vector<const DrawnEvent*> active;
    std::size_t begun = 0;
    while (begun < events.size() || !active.empty()) {
      const bool begins = begun < events.size() && (active.empty() || scenario_.Chance(0.7));
      if (begins) {
        const DrawnEvent& event = events[begun++];
        Begin(event, number);
        if (!event.at_once) active.push_back(&event);
      } else {
        End(TakeOneToEnd(active));
      }
      GoElsewhere(active);
    }
    StopLoads(number);
    if (has_spare_ || scenario_.Chance(0.8)) AwaitAll();
    // Only one learner can be a member.
    if (std::exchange(has_spare_, false)) scenario_.Add(RemoveSpareStep{AnyMember()});
    if (scenario_.Chance(0.5)) ResumeEnded();
  }

  std::vector<DrawnEvent> DrawEvents() {
    EventDrawer drawer(scenario_, options_,
                       {.sends_snapshots = may_send_snapshot_,
                        .short_log = options_.short_logs && short_log_,
                        .rights = rights_,
                        .leases = leases_});
    if (upgrades_.empty() || scenario_.Chance(0.3)) return drawer.Draw();
    return drawer.DrawBeside(TakeUpgrade());
  }

  // Everything written after the store was saved is gone, and with it what watches go on from.
  void LoseWrites(const DrawnEvent& event) {
    scenario_.Add(InjectStep{event.fault, event.parameters, /*optional=*/true});
    scenario_.PutSome(kStem + "/lost", {1, 10});
    scenario_.PutSome(kStem + "/" + Text(scenario_.Between(0, 9)), {0, 5});
    AwaitAll();
    scenario_.Heal(event.fault);
    first_ = scenario_.Put(kStem + "/first");
    for (const Group& group : std::exchange(groups_, {})) {
      scenario_.Resume(group.name, "w" + Text(++made_), AnyMember());
    }
    for (int member = 1; member <= options_.members; ++member) Watch(member);
  }

  // One member is behind, most of the others end, and at first only as many are back as can commit
  // with that one: what it lacks comes from one that has just started.
  void Outage(const std::string& number) {
    const int behind = AnyMember();
    std::vector<int> ended;
    for (int member = 1; member <= options_.members; ++member) {
      if (member != behind) ended.push_back(member);
    }
    scenario_.Shuffle(ended);
    ended.resize(options_.members - options_.members / 2);
    if (leases_) scenario_.Add(StopLoadStep{throughout_});
    const std::string apart = FallBehind(behind, ended.back(), number);
    scenario_.Hold(0ms, 1500ms);
    std::vector<std::string> faults;
    for (const int member : ended) faults.push_back(EndProcess(member, number));
    scenario_.Heal(apart);
    scenario_.Shuffle(faults);
    scenario_.Heal(faults.front());
    scenario_.Add(UseMemberStep{behind});
    scenario_.PutSome(kStem + "/" + Text(scenario_.Between(0, 9)), {1, 10});
    for (std::size_t i = 1; i < faults.size(); ++i) scenario_.Heal(faults[i]);
    AwaitAll();
    if (std::exchange(has_spare_, false)) {
      scenario_.Disturb("move-leader/" + number, {{"to", Text(behind)}});
      scenario_.Add(AskSpareVoteStep{.member = behind, .optional = true});
      scenario_.Add(RemoveSpareStep{AnyMember()});
    }
    ResumeEnded();
    if (leases_) BeginLeases();
  }

  // The fault that keeps it away in the end. Members are added only while all are connected.
  std::string FallBehind(int behind, int writer, const std::string& number) {
    const std::map<std::string, std::string> member = {{"member", Text(behind)}};
    const std::string slow = "slow-link-to-member/" + number;
    const std::string apart = "isolate/" + number;
    const bool spare = spares_ && scenario_.Chance(0.7);
    if (spare) {
      scenario_.Hold(5500ms, 6s);
      scenario_.Inject(slow, {{"member", Text(behind)}, {"rate", "2KiB"}, {"at-least", "1KiB"}});
      WriteFar(behind, number);
    } else {
      Begin({.kind = DrawnEvent::Kind::kLinks,
             .fault = apart,
             .parameters = member,
             .member = behind,
             .awaited = true,
             .far_behind = true},
            number);
    }
    scenario_.Add(UseMemberStep{writer});
    scenario_.PutSome(kStem + "/" + Text(scenario_.Between(0, 9)), {1, 10});
    if (!spare) return apart;
    scenario_.Add(AddSpareStep{.member = writer, .optional = true, .and_no_more = true});
    has_spare_ = true;
    scenario_.Hold(0ms, 800ms);
    scenario_.Inject(apart, member);
    scenario_.AwaitEffectAndHeal(slow);
    scenario_.AwaitEffect(apart);
    return apart;
  }

  // Killed, or its power fails; it stays down.
  std::string EndProcess(int member, const std::string& number) {
    const bool power = options_.disks && scenario_.Chance(0.3);
    DrawnEvent event{.kind = DrawnEvent::Kind::kProcess,
                     .fault = power ? "power-failure" : "kill",
                     .member = member,
                     .ends_watches = true};
    if (power) event.parameters = DrawnLoss(scenario_);
    event.parameters.insert({{"member", Text(member)}, {"stay-down", "yes"}});
    event.fault += "/" + number + "-" + Text(member);
    Begin(event, number);
    return event.fault;
  }

  // More than the leader's log keeps, where it can be made short or must not be waited for.
  void WriteFar(int behind, const std::string& number) {
    const std::string load = "far/" + number;
    LoadStep writes = BeyondLog(kStem + "/far");
    writes.load = load;
    if (!may_send_snapshot_ || (options_.short_logs && short_log_)) writes.calls = kBeyondShortLog;
    writes.member = AnyOtherMember(scenario_, options_.members, behind);
    scenario_.BeginLoad(writes);
    scenario_.AwaitLoad(load);
  }

  // The next member becomes the next release.
  DrawnEvent TakeUpgrade() {
    const auto [member, to] = upgrades_.front();
    upgrades_.pop_front();
    if (member == 1) MakeReady(to);
    return {.kind = DrawnEvent::Kind::kProcess,
            .fault = "restart",
            .parameters = {{"member", Text(member)}, {"stay-down", "yes"}, {"release", to.release}},
            .member = member,
            .ends_watches = true};
  }
  // Only when all have taken over the release before.
  void MakeReady(const NextRelease& to) {
    for (int one = 1; one <= options_.members; ++one) scenario_.Add(AwaitReleaseStep{one});
    for (Step& step : PermitRelease(to, options_.members)) scenario_.Add(std::move(step));
  }
  void Upgrade() {
    DrawnEvent event = TakeUpgrade();
    event.fault += "/" + Text(++round_);
    BeginLoad(Text(round_));
    Begin(event, Text(round_));
    End(event);
    AwaitAll();
    StopLoads(Text(round_));
  }

  // A process starts once links and disk are healed, and a call ends once its server goes on.
  const DrawnEvent& TakeOneToEnd(std::vector<const DrawnEvent*>& active) {
    auto one = active.begin() + scenario_.Between(0, std::ssize(active) - 1);
    const auto take_if = [&](DrawnEvent::Kind kind) {
      const auto other = std::ranges::find(active, kind, &DrawnEvent::kind);
      if (other != active.end()) one = other;
    };
    if ((*one)->kind == DrawnEvent::Kind::kCall) take_if(DrawnEvent::Kind::kDisk);
    if ((*one)->kind == DrawnEvent::Kind::kCall) take_if(DrawnEvent::Kind::kProcess);
    if ((*one)->kind == DrawnEvent::Kind::kProcess) take_if(DrawnEvent::Kind::kDisk);
    if ((*one)->kind == DrawnEvent::Kind::kProcess) take_if(DrawnEvent::Kind::kLinks);
    const DrawnEvent& event = **one;
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
    load.drawn = drawn >= 1 && drawn <= 5;
    // Rarely, as one call of such a load ends every member of etcd.
    load.open_ends = load.drawn && scenario_.Chance(0.1);
    load.leases = drawn >= 4;
    load.compacts = scenario_.Chance(0.5);
    load.pause = scenario_.Pick<Duration>({5ms, 20ms, 50ms});
    if (rights_ && scenario_.Chance(0.7)) load.user = scenario_.Pick(users_);
    scenario_.BeginLoad(load);
    if (scenario_.Chance(0.1)) BeginHashes("hashes/" + number);
  }

  void StopLoads(const std::string& number) {
    scenario_.Add(StopLoadStep{number});
    if (!hashes_.empty()) scenario_.Add(StopLoadStep{std::exchange(hashes_, {})});
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
    throughout_ = "throughout/" + Text(round_);
    scenario_.BeginLoad({.load = throughout_,
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

  static bool Ends(const DrawnEvent& event, const Group& group) {
    if (event.kind == DrawnEvent::Kind::kClients) {
      return event.ends_watches && group.member == 1 && !group.stream.starts_with("direct");
    }
    return event.ends_watches && (event.member == 0 || group.member == event.member);
  }

  void Begin(const DrawnEvent& event, const std::string& number) {
    // At least one of all of them must take effect.
    scenario_.Add(InjectStep{event.fault, event.parameters, /*optional=*/true});
    for (Group& group : groups_) group.ended |= Ends(event, group);
    if (event.at_once) return scenario_.AwaitEffectAndHeal(event.fault);
    if (event.awaited && (event.far_behind || scenario_.Chance(0.6))) {
      scenario_.AwaitEffect(event.fault);
      awaited_.insert(event.fault);
    }
    if (!event.far_behind) return;
    WriteFar(event.member, number);
  }

  void End(const DrawnEvent& event) {
    scenario_.Hold(0ms, event.most);
    if (event.awaited && !awaited_.contains(event.fault)) scenario_.AwaitEffect(event.fault);
    scenario_.Heal(event.fault);
  }

  bool Disturbed(int member, const std::vector<const DrawnEvent*>& active) const {
    return std::ranges::any_of(active, [member](const DrawnEvent* one) {
      return one->member == member || (one->member == 0 && one->ends_watches);
    });
  }

  void GoElsewhere(const std::vector<const DrawnEvent*>& active) {
    if (scenario_.Chance(0.3)) scenario_.Hold(0ms, 500ms);
    const int member = AnyMember();
    if (Disturbed(member, active)) return;
    if (rights_ && scenario_.Chance(0.5)) return Permit(member);
    if (spares_ && !has_spare_ && !active.empty() && scenario_.Chance(0.3)) return AddSpare(member);
    if (scenario_.Chance(0.25)) return Watch(member);
    const Group group = scenario_.Pick(groups_);
    if (scenario_.Chance(0.3)) return Resume(group, member);
    if (group.ended || Disturbed(group.member, active)) return;
    if (scenario_.Chance(0.2)) scenario_.Add(RequestProgressStep{group.stream});
    if (groups_.size() > 1 && scenario_.Chance(0.1)) {
      scenario_.Add(CancelStep{group.name});
      Leave(group);
    }
  }

  // With authentication, one user may read and write some of the keys that it asks for.
  void BeginRights() {
    scenario_.Add(AuthStep{{{.user = "reader", .key = kAll.key, .range_end = kAll.range_end}}});
    users_ = {"early"};
    static const std::vector<WatchedRange> kSome = {{kStem + "/0", kStem + "/2"},
                                                    {kStem + "/0", kStem + "/a/2"},
                                                    {kStem + "/a/2", kStem + "/b"}};
    const WatchedRange& some = scenario_.Pick(kSome);
    scenario_.Add(PermitStep{.user = users_.front(), .key = some.key, .range_end = some.range_end});
  }

  // One may write all of them from here on, perhaps a new one.
  void Permit(int member) {
    const std::string user =
        scenario_.Chance(0.5) ? scenario_.Pick(users_) : "user-" + Text(++made_);
    scenario_.Add(UseMemberStep{member});
    scenario_.Add(PermitStep{.user = user, .key = kAll.key, .range_end = kAll.range_end});
    users_.push_back(user);
  }

  // Whatever the reason, it may be refused: others are disturbed.
  void AddSpare(int member) {
    scenario_.Add(AddSpareStep{.member = member, .optional = true});
    has_spare_ = true;
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
    if (member == 1 && scenario_.Chance(0.4)) watch.stream = name;
    if (scenario_.Chance(0.25)) watch.range = {kStem + "/" + Text(scenario_.Between(0, 9)), ""};
    if (scenario_.Chance(0.25)) watch.range = scenario_.Pick(kRanges);
    const std::int64_t drawn = scenario_.Between(0, 7);
    if (drawn < 2) watch.start = first_;
    if (drawn < 4 && drawn > 1 && round_ > 1) watch.start = AtHead(-scenario_.Between(0, 30));
    if (drawn == 4) watch.start = AtHead(scenario_.Between(1, 20));
    if (scenario_.Chance(0.1)) watch.first_id = scenario_.Between(1, 3);
    watch.options.prev_kv = scenario_.Chance(0.3);
    watch.options.fragment = scenario_.Chance(0.2);
    watch.options.progress_notify = scenario_.Chance(0.2);
    watch.options.no_put = scenario_.Chance(0.08);
    watch.options.no_delete = scenario_.Chance(0.08);
    if (rights_ && scenario_.Chance(0.3)) watch.user = "reader";
    scenario_.Open(watch);
    groups_.push_back({.name = name, .member = member, .stream = watch.stream});
  }

  // A client goes elsewhere also while its watches are open.
  void Resume(Group group, int member) {
    const std::string name = "w" + Text(++made_);
    scenario_.Add(CloseStep{group.stream});
    scenario_.Resume(group.name, name, member);
    Leave(group);
    groups_.push_back({.name = name, .member = member, .stream = "resumed/" + name});
  }
  void Leave(const Group& group) {
    std::erase_if(groups_, [&group](const Group& one) { return one.name == group.name; });
  }

  Scenario scenario_;
  const ClusterDraw options_;
  const bool leases_ = scenario_.Chance(0.4);  // older than any of the rounds
  const bool rights_ = options_.releases.empty() && scenario_.Chance(0.15);
  std::deque<std::pair<int, NextRelease>> upgrades_;  // still to come: members
  // A change of members waits until all have been connected for some seconds.
  const bool spares_ = options_.learners && scenario_.Chance(0.15);
  bool has_spare_ = false;
  bool may_send_snapshot_ = false;
  bool short_log_ = false;
  std::string hashes_;              // a load
  std::string throughout_;          // another one
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
