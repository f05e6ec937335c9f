// SPDX-License-Identifier: Apache-2.0
// A key is deleted while the consumer cannot see it, and the store is compacted: at the deletion,
// and beyond it.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

CONSUMER_CASE(
    DeleteAtFloor,
    {.explain = "Between the consumer's list and its watch a key is deleted and the store is "
                "compacted at the deletion, where the watch begins. It must receive the "
                "deletion or ErrCompacted. A store that removes the tombstone delivers "
                "neither, and the consumer keeps the key (etcd #18089).",
     .needs = {Capability::kCompaction},
     .upstream = {18089}}) {
  FollowedKeys keys(scenario, 4);
  const std::string ghost = keys.New();
  scenario.Put(ghost);
  keys.Write(scenario.Random("before").Between(2, 8));
  scenario.PermitCompactedAtTheFloor();
  scenario.Add(FollowStep{.pause = true});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  const Write gone = scenario.Delete(ghost);
  scenario.Put(keys.New());
  scenario.Compact(gone.revision());
  scenario.Add(ContinueStep{});
  scenario.Put(keys.New());
}

CONSUMER_CASE(
    CompactionWhileAway,
    {.explain = "The consumer's connection is cut and new ones are refused. Meanwhile keys are "
                "put and deleted, and the store is compacted beyond them. The consumer must "
                "notice that it has missed changes, and list again.",
     .needs = {Capability::kProxy, Capability::kCompaction},
     .guarantees = {"CompactionSurfaced"}}) {
  FollowedKeys keys(scenario, 6);
  const std::string ghost = keys.New();
  scenario.Put(ghost);
  keys.Write(20);
  FollowAndCutOff(scenario);
  scenario.Delete(ghost);
  keys.Write(20);
  scenario.Compact(AtHead());
  scenario.Heal("refuse");
  keys.Write(5);
}

// The queue of a stream holds 128 responses; what a link and its buffers hold comes on top.
constexpr int kPutsBeyondQueue = 200;
constexpr std::size_t kSlowBytes = 32 * 1024;

struct SlowLink {
  const char* name;
  const char* explain;
  bool new_keys;
  int line = __builtin_LINE();
};

void RunSlowLink(Scenario& scenario, const SlowLink& row) {
  FollowedKeys keys(scenario, 4);
  const std::string ghost = keys.New();
  const std::string hot = keys.New();
  scenario.Put(ghost);
  scenario.Put(hot);
  keys.Write(scenario.Random("before").Between(2, 8));
  Follow(scenario);
  scenario.Inject("bandwidth", {{"rate", "64KiB"}, {"at-least", "64KiB"}});
  for (int i = 0; i < kPutsBeyondQueue; ++i) {
    scenario.Put(row.new_keys ? keys.New() : hot, {kSlowBytes, kSlowBytes});
  }
  scenario.Delete(ghost);
  scenario.Put(hot);
  scenario.Compact(AtHead());
  scenario.AwaitEffect("bandwidth");
  // Room for one response, and the next pass of the catch-up loop.
  scenario.Hold(2s, 3s);
  scenario.Heal("bandwidth");
  scenario.Put(hot);
}

[[maybe_unused]] const bool kOnSlowLink = [] {
  static const std::vector<SlowLink> rows = {
      {"SlowLinkOldKeys",
       "one key is put again and again, so that the responses in the queue lack "
       "the previous values, if the consumer has asked for them",
       false},
      {"SlowLinkNewKeys", "each put is of a new key, so that there is no previous value", true}};
  for (const SlowLink& row : rows) {
    AddCase(CaseWithConsumer(
                {.name = fmt::format("Consumers.{}", row.name),
                 .explain = fmt::format(
                     "The link carries one or two responses a second until the store's queue for "
                     "the consumer's stream is full and its watch is behind; {}. Then a key is "
                     "deleted and the store compacted. As soon as there is room for one response, "
                     "the watch begins to catch up, finds itself below the floor, and the queue "
                     "full again. A store that drops the notice then lets the watch go on behind "
                     "the gap (etcd #17529), even if it is alone on its stream.",
                     row.explain),
                 .needs = {Capability::kProxy, Capability::kCompaction},
                 .guarantees = {"CompactionSurfaced"},
                 .upstream = {17529},
                 .file = __FILE__,
                 .line = row.line}),
            [&row](Scenario& scenario) { RunSlowLink(scenario, row); });
  }
  return true;
}();

}  // namespace
}  // namespace watchproof
