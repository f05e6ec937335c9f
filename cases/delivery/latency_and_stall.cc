// SPDX-License-Identifier: Apache-2.0
// The basic guarantees under common faults: a slow network and a client that falls behind for a
// while. Nothing is compacted, so no missing, duplicated or reordered event is excused.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kWatchers = 200;
constexpr std::size_t kStems = 4;
constexpr std::size_t kKeysPerStem = 6;
constexpr int kWritesPerPhase = 60;
constexpr ValueSize kValue{.least = 512, .most = 4096};

struct Keyspace {
  std::vector<std::string> stems;
  std::vector<std::string> keys;
};

Keyspace MakeKeyspace(Scenario& scenario) {
  Keyspace space;
  for (std::size_t i = 0; i < kStems; ++i) {
    space.stems.push_back(scenario.Key("area") + "/");
    for (std::size_t j = 0; j < kKeysPerStem; ++j)
      space.keys.push_back(scenario.Key(space.stems.back()));
  }
  return space;
}

// Mostly puts, some deletions of existing keys, some transactions over several keys.
class Writer {
 public:
  Writer(Scenario& scenario, const Keyspace& space)
      : scenario_(scenario), space_(space), prng_(scenario.Random("writes")) {}

  Write Next() {
    const auto dice = prng_.Below(10);
    if (dice < 2 && !alive_.empty()) {
      const std::string key = prng_.Pick(alive_);
      std::erase(alive_, key);
      return scenario_.Delete(key);
    }
    std::vector<std::string> keys = space_.keys;
    prng_.Shuffle(keys);
    keys.resize(dice < 4 ? static_cast<std::size_t>(prng_.Between(2, 5)) : 1);
    for (const std::string& key : keys) {
      std::erase(alive_, key);
      alive_.push_back(key);
    }
    return keys.size() == 1 ? scenario_.Put(keys.front(), kValue)
                            : scenario_.PutTogether(keys, kValue);
  }
  void Phase(int writes) {
    for (int i = 0; i < writes; ++i) Next();
  }

 private:
  Scenario& scenario_;
  const Keyspace& space_;
  Prng prng_;
  std::vector<std::string> alive_;
};

void OpenWatchers(Scenario& scenario, const Keyspace& space, const std::vector<Write>& past) {
  Prng prng = scenario.Random("watchers");
  for (std::size_t i = 0; i < kWatchers; ++i) {
    const WatchedRange range =
        prng.Chance(0.6) ? OneKey(prng.Pick(space.keys)) : Prefix(prng.Pick(space.stems));
    const RevisionRef start = prng.Chance(0.25) ? prng.Pick(past).revision() : FromNow();
    scenario.Watch({.group = "all", .range = range, .start = start});
  }
  scenario.AwaitCreated("all");
}

WATCH_CASE(
    Reliable, LatencyAndStall,
    {.requirement = kWatchGuarantees,
     .explain = "Two hundred watchers on one stream, some on single keys and some on prefixes, "
                "some from now and some from the past, while keys are put, deleted and changed in "
                "transactions. The proxied path has latency, and for a while it is stalled. Every "
                "event must arrive once and in order, every revision whole.",
     .needs = {Capability::kProxy},
     .guarantees = {"Reliable", "Ordered", "Unique", "Atomic"}}) {
  const Keyspace space = MakeKeyspace(scenario);
  Writer writer(scenario, space);
  std::vector<Write> past;
  for (std::int64_t i = scenario.Between(20, 40); i > 0; --i) past.push_back(writer.Next());

  OpenWatchers(scenario, space, past);
  scenario.Inject("latency", {{"delay", fmt::format("{}us", scenario.Between(2000, 8000))},
                              {"jitter", fmt::format("{}us", scenario.Between(0, 2000))}});
  writer.Phase(static_cast<int>(scenario.Between(10, kWritesPerPhase)));
  // Afterwards, a watcher that falls behind does so because of the stall.
  scenario.AwaitDelivered("all");
  scenario.Inject("stall");
  writer.Phase(static_cast<int>(scenario.Between(kWritesPerPhase, 2 * kWritesPerPhase)));
  scenario.AwaitEffect("stall");
  scenario.Hold(0ms, 50ms);
  scenario.Heal("stall");
  writer.Phase(static_cast<int>(scenario.Between(10, kWritesPerPhase)));
  scenario.AwaitEffectAndHeal("latency");
}

}  // namespace
}  // namespace watchproof
