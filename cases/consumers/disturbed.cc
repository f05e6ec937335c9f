// SPDX-License-Identifier: Apache-2.0
// A consumer follows keys while the link to the store, or the store, is disturbed. When it is over,
// every layer must hold what the store holds, without a gap in between.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

struct Row {
  const char* name;
  const char* fault;
  std::map<std::string, std::string> parameters;
  const char* explain;
  ValueSize value{100, 1000};
  std::vector<Capability> needs = {Capability::kProxy};
  int neighbours = 0;
  int line = __builtin_LINE();
};

// A server that is away answers no write.
bool OnServer(const Row& row) { return row.needs.front() != Capability::kProxy; }

void RunRow(Scenario& scenario, const Row& row) {
  Prng prng = scenario.Random("shape");
  FollowedKeys keys(scenario, 8);
  keys.Write(prng.Between(5, 15));
  if (row.neighbours > 0) {
    scenario.Add(FollowStep{.with = FollowStep::With::kNeighbour, .count = row.neighbours});
    scenario.Add(AwaitRegisteredStep{static_cast<std::size_t>(row.neighbours)});
  }
  Follow(scenario, static_cast<std::size_t>(row.neighbours) + 1);
  // What a client resumes at depends on the events that it has received.
  keys.Write(prng.Between(5, 15));
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  scenario.Inject(row.fault, row.parameters);
  if (!OnServer(row)) keys.Write(prng.Between(50, 70), row.value);
  scenario.AwaitEffect(row.fault);
  scenario.Heal(row.fault);
  keys.Write(prng.Between(5, 15));
}

const std::vector<Row>& OnLink() {
  static const std::vector<Row> rows = {
      {"ConnectionReset", "reset", {}, "The connection is reset."},
      {"ConnectionClose",
       "close",
       {{"after-bytes", "2KiB"}},
       "The connection is closed in the middle of the store's responses."},
      {"HalfClose",
       "half-close",
       {{"after-bytes", "2KiB"}},
       "The connection is half-closed towards the client."},
      {"HalfOpenTargetGone",
       "half-open",
       {{"gone", "target"}},
       "The store's side of the connection is gone, and the client does not notice at first."},
      {"BlackHole",
       "black-hole",
       {},
       "What the store sends is dropped for a while; then the connection is closed."},
      {"StreamReset", "reset-stream", {}, "The stream of the watches is reset; others go on."},
      {"GoAway", "goaway", {}, "The client is asked to leave the connection."},
      {"Stall",
       "stall",
       {},
       "What the store sends is held back until watches are behind.",
       {4096, 8192},
       {Capability::kProxy},
       30},
      {"HeldStream",
       "hold-stream",
       {},
       "What the store sends on the stream of the watches is held back for a while.",
       {4096, 8192}},
      {"Latency", "latency", {{"delay", "20ms"}}, "Everything is delayed."},
      {"Slices", "slice", {}, "Bytes come in small slices.", {50, 100}},
      {"Bandwidth",
       "bandwidth",
       {{"rate", "1MiB"}, {"at-least", "256KiB"}},
       "More is written than the link can carry at once.",
       {8192, 16384}},
  };
  return rows;
}

const std::vector<Row>& OnProcess() {
  static const std::vector<Row> rows = {
      {"ServerKill",
       "kill",
       {},
       "The server is killed and started again with its data.",
       {},
       {Capability::kDurable}},
      {"ServerRestart",
       "restart",
       {},
       "The server is stopped and started again with its data.",
       {},
       {Capability::kDurable}},
      {"ServerPause",
       "pause",
       {},
       "The server's process is stopped for a while.",
       {},
       {Capability::kProcess}},
  };
  return rows;
}

[[maybe_unused]] const bool kAdded = [] {
  for (const auto& rows : {std::cref(OnLink()), std::cref(OnProcess())}) {
    for (const Row& row : rows.get()) {
      AddCase(CaseWithConsumer(
                  {.name = fmt::format("Consumers.{}", row.name),
                   .explain = fmt::format("{} Meanwhile keys are put and deleted.", row.explain),
                   .needs = row.needs,
                   .file = __FILE__,
                   .line = row.line}),
              [&row](Scenario& scenario) { RunRow(scenario, row); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace watchproof
