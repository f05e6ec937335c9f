// SPDX-License-Identifier: Apache-2.0
// A client of the Kubernetes API follows at one of two API servers, and goes on at the other one,
// with a cache or a member that is behind: it must not see an older state after a newer one.
#include "cases/consumers/followed_keys.h"
#include "cases/support/member_behind.h"

namespace watchproof {
namespace {

// The first server reaches the store by the proxied path, the second one by the direct path.
constexpr char kFirstCache[] = "cache-1";

struct Hop {
  const char* name;
  const char* explain;
  int members = 1;
  bool kill = false;
  std::vector<Capability> needs = {Capability::kProxy};
  int line = __builtin_LINE();
};

void RunHop(Scenario& scenario, const Hop& row) {
  Prng prng = scenario.Random("shape");
  if (row.members > 1) scenario.Cluster({.members = row.members});
  FollowedKeys keys(scenario, 6);
  const std::string ghost = keys.New();
  const std::string old = keys.New();
  scenario.Put(ghost);
  scenario.Put(old);
  keys.Write(prng.Between(5, 15));
  // The watch of the first server's cache is what the fault is to hold up. A member counts its own
  // alone.
  Follow(scenario, row.members > 1 ? 1 : 2);
  scenario.Add(MoveConsumerStep{});
  keys.Write(prng.Between(5, 15));
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Inject("hold-stream");
  keys.Write(prng.Between(10, 30));
  scenario.Delete(ghost);
  scenario.Put(old);
  scenario.AwaitEffect("hold-stream");
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Add(MoveConsumerStep{.kill = row.kill});
  scenario.Add(RequireBehindStep{kFirstCache});
  scenario.Hold(1s, 3s);
  scenario.Add(RequireBehindStep{kFirstCache});
  scenario.Heal("hold-stream");
  keys.Write(prng.Between(5, 15));
  scenario.Add(ExpectReportStep{.kind = "moved", .layer = kFirstCache});
  scenario.Add(ExpectReportStep{.kind = "watch relist", .layer = "reflector"});
}

[[maybe_unused]] const bool kTwoServers = [] {
  static const std::vector<Hop> rows = {
      {.name = "HopToServerBehind",
       .explain = "Then its connections end, and it goes on at the first server."},
      {.name = "HopFromKilledServer",
       .explain = "Then the second server is killed, and the client goes on at the first one. The "
                  "second one is started again meanwhile.",
       .kill = true},
      {.name = "HopToMemberBehind",
       .explain = "Each server is a client of another member of a cluster of three. Then its "
                  "connections end, and it goes on at the first server.",
       .members = 3,
       .needs = {Capability::kProxy, Capability::kCluster}}};
  for (const Hop& row : rows) {
    AddCase(CaseWithConsumer(
                {.name = fmt::format("Consumers.{}", row.name),
                 .explain = fmt::format(
                     "The informer follows at the second of two API servers. The proxy holds back "
                     "what the store sends to the watch cache of the first one, while keys are "
                     "put and one is deleted. {} There it must not see the deleted key again, nor "
                     "an older value of another one (Kubernetes #59848), and in the end it must "
                     "hold what the store holds. Without proof that the cache of the first server "
                     "was behind then, the attempt is inconclusive.",
                     row.explain),
                 .needs = row.needs,
                 .file = __FILE__,
                 .line = row.line}),
            [&row](Scenario& scenario) { RunHop(scenario, row); });
  }
  return true;
}();

CONSUMER_CASE(
    HopToMemberReceivingSnapshot,
    {.explain = "A member of a cluster was cut off, and is being sent a snapshot over a slow "
                "link. The consumer follows at another member, or at an API server that is a "
                "client of that, and goes on at this one while it is still far behind; then "
                "the member applies the snapshot, which is older than what the consumer has "
                "seen. Its watch is one from a revision that the member has not reached, and "
                "must receive nothing from before it (etcd #20221). A server with a watch "
                "cache, which knows this member alone, serves nothing before the member has "
                "caught up.",
     .needs = {Capability::kCluster, Capability::kProxy},
     .upstream = {20221}}) {
  Prng prng = scenario.Random("shape");
  scenario.Cluster(kClusterWithSnapshots);
  FollowedKeys keys(scenario, 6);
  const std::string ghost = keys.New();
  const std::string old = keys.New();
  scenario.Put(ghost);
  scenario.Put(old);
  keys.Write(prng.Between(5, 15));
  scenario.Add(FollowStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  const SnapshotOnItsWay snapshot = BeginSnapshot(scenario);
  keys.Write(prng.Between(5, 15));
  scenario.PutSome(old, {10, 20}, kFollowsSlowly);
  scenario.Put(ghost);
  scenario.Delete(ghost);
  scenario.Put(old);
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Add(MoveConsumerStep{.await_watch = true, .ability = "members"});
  scenario.Add(RequireMemberBehindStep{kBehind});
  EndSnapshot(scenario, snapshot);
  keys.Write(prng.Between(5, 15));
}

}  // namespace
}  // namespace watchproof
