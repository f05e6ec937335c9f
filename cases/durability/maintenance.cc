// SPDX-License-Identifier: Apache-2.0
// What an operator is answered about the data of a server, and about its version.
#include "harness/scenario/steps/maintenance.h"

#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

// A store may note things of its own for some seconds once it runs: 40 times 300 ms.
constexpr SameHashStep kUntilItIsTheSame{.tries = 40};

WATCH_CASE(Answered, HashOfEverything,
           {.requirement = "the hash is computed from all that the responding member holds (etcd "
                           "API, Maintenance service, Hash)",
            .explain = "The hash of all that the server holds is asked for twice, with nothing "
                       "written in between: it must be the same; and after a put it must be "
                       "another. Both once more after further writes and deletions.",
            .needs = {Capability::kMaintenance, Capability::kServerOfItsOwn},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = scenario.Key("hashed");
  const std::vector<std::string> keys = scenario.Keys(stem, {3, 6});
  scenario.Open({.group = "all", .range = Below(stem)});
  scenario.PutTogether(keys);
  SameHashStep changed = kUntilItIsTheSame;
  changed.put = keys[0];
  scenario.Add(changed);
  scenario.PutSome(keys[1], {1, 9});
  scenario.Delete(keys[2]);
  scenario.Add(changed);
  scenario.AwaitDelivered("all");
}

// What is left to be taken away changes the hash.
WATCH_CASE(Answered, PhysicalCompaction,
           {.requirement = "a compaction that is asked to be physical is answered once what it "
                           "takes away is gone from the database (etcd API, CompactionRequest)",
            .explain = "Many revisions are written, and compacted physically. The hash of all that "
                       "the server holds is asked for at once, and some time later: it must be the "
                       "same, as nothing of the compaction is left to be done.",
            .needs = {Capability::kMaintenance, Capability::kServerOfItsOwn,
                      Capability::kCompaction},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = scenario.Key("compacted");
  scenario.Open({.group = "all", .range = Below(stem)});
  scenario.BeginLoad({.load = "history",
                      .clients = 8,
                      .calls = 300,
                      .keys = 20,
                      .key = stem,
                      .direct = true,
                      .puts_only = true});
  scenario.AwaitLoad("history");
  scenario.AwaitDelivered("all");
  scenario.Add(kUntilItIsTheSame);
  const Write last = scenario.Put(stem + "/last");
  scenario.Add(CompactStep{last});
  scenario.Add(SameHashStep{});
  scenario.PutSome(stem + "/last", {1, 4});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, SnapshotInPieces,
           {.requirement = "a piece of a snapshot names the bytes that are to be sent after it "
                           "(etcd API, SnapshotResponse)",
            .explain = "A snapshot of a server with some large values is taken, and again after "
                       "more of them. Each piece must name the bytes that follow, less with each, "
                       "and the last one none.",
            .needs = {Capability::kMaintenance},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = scenario.Key("saved");
  scenario.Open({.group = "all", .range = Below(stem)});
  for (int i = 0; i < 2; ++i) {
    scenario.PutSome(stem + "/a", {2, 6}, {.least = 60 << 10, .most = 90 << 10});
    scenario.Add(SnapshotStep{});
  }
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Reported, CancelledDowngrade,
           {.requirement = "a downgrade is validated, enabled, and cancelled (etcd API, "
                           "DowngradeRequest), and a status names it while it is under way",
            .explain = "A downgrade to the minor version before is asked about, permitted, and "
                       "cancelled, while a client writes and watches. The status must name it "
                       "while it is permitted, and not before or afterwards; each answer must "
                       "name the version of the cluster.",
            .needs = {Capability::kDowngrades, Capability::kMaintenance,
                      Capability::kServerOfItsOwn},
            .guarantees = {"Reported", "Answered", "Reliable"}}) {
  using Action = DowngradeStep::Action;
  const std::string key = scenario.Key("k");
  scenario.Open({.group = "all", .range = OneKey(key)});
  scenario.PutSome(key, {1, 4});
  scenario.Add(OperatorStep{"status"});
  const auto ask = [&](Action action) {
    scenario.Add(DowngradeStep{action});
    scenario.Add(OperatorStep{"status"});
    scenario.PutSome(key, {1, 4});
  };
  const std::int64_t times = scenario.Between(1, 2);
  for (std::int64_t i = 0; i < times; ++i) {
    ask(Action::kValidate);
    ask(Action::kEnable);
    if (scenario.Chance(0.5)) scenario.Hold(100ms, 1500ms);
    ask(Action::kCancel);
  }
  ask(Action::kValidate);
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
