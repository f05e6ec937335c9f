// SPDX-License-Identifier: Apache-2.0
// The consumer's watch shares its stream with others. What becomes of these is not its concern.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

constexpr int kOthers = 12;

struct EndedNeighbours {
  const char* name;
  const char* explain;
  std::int64_t revision;
  int line = __builtin_LINE();
};

void RunEndedNeighbours(Scenario& scenario, const EndedNeighbours& row) {
  FollowedKeys keys(scenario, 4);
  const FollowStep others{.with = FollowStep::With::kNeighbour,
                          .count = kOthers,
                          .revision = row.revision,
                          .ability = "starts"};
  keys.Write(scenario.Random("before").Between(10, 20));
  scenario.Compact(AtHead());
  scenario.Add(others);
  scenario.Add(FollowStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  keys.Write(scenario.Random("between").Between(10, 20));
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  scenario.Add(others);
  keys.Write(scenario.Random("after").Between(10, 20));
}

[[maybe_unused]] const bool kEndedNeighbours = [] {
  static const std::vector<EndedNeighbours> rows = {
      {"NeighboursBelowFloor",
       "Watches on the stream of the consumer's client begin below the compaction floor, before "
       "its own and after it. Each of them ends with ErrCompacted; the consumer's must go on.",
       1},
      {"NeighboursRefused",
       "Watches on the stream of the consumer's client ask for the start revision -1, before its "
       "own and after it. The store refuses each of these; the consumer's must be created, and go "
       "on.",
       -1},
  };
  for (const EndedNeighbours& row : rows) {
    AddCase(CaseWithConsumer({.name = fmt::format("Consumers.{}", row.name),
                              .explain = row.explain,
                              .needs = {Capability::kCompaction},
                              .file = __FILE__,
                              .line = row.line}),
            [&row](Scenario& scenario) { RunEndedNeighbours(scenario, row); });
  }
  return true;
}();

CONSUMER_CASE(
    Undisturbed,
    {.explain = "Twelve watches share the stream of the consumer's client. Its own begins a "
                "little in the past. Keys are put and deleted, alone and together; the store "
                "is compacted at a revision that the watch has nothing to do with. Nothing is "
                "disturbed: a case for servers that misbehave by themselves.",
     .needs = {Capability::kCompaction}}) {
  FollowedKeys keys(scenario, 6);
  Prng prng = scenario.Random("shape");
  keys.Write(prng.Between(5, 15));
  scenario.Add(FollowStep{.with = FollowStep::With::kNeighbour, .count = kOthers});
  scenario.Add(FollowStep{.pause = true});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  keys.Write(prng.Between(10, 20));
  scenario.Add(ContinueStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  keys.Write(60);
  scenario.PutTogether({keys.New(), keys.New(), keys.New()});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  scenario.Put(scenario.Key("elsewhere"));
  scenario.Compact(AtHead());
  // What follows must not be on its way when the compaction is noticed.
  scenario.Hold(200ms, 300ms);
  keys.Write(prng.Between(5, 15));
}

}  // namespace
}  // namespace watchproof
