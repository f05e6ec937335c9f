// SPDX-License-Identifier: Apache-2.0
// Faults that need only watches and writes to take effect, each in a case of its own: watches are
// opened, the fault is injected, keys are written until it has taken effect, and it is healed. If
// the fault has ended the connection, the watches are resumed. No event may be missed.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

enum class After { kGoOn, kResume };

struct Row {
  const char* name;
  const char* fault;
  Parameters parameters;
  const char* explain;
  std::size_t watches = 5;
  ValueSize value{100, 1000};
  int line = __builtin_LINE();
};

void RunRow(Scenario& scenario, const Row& row, After after) {
  const std::string key = scenario.Key("disturbed");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = row.watches, .range = OneKey(key)});
  scenario.Hold(0ms, 20ms);
  scenario.Inject(row.fault, row.parameters);
  scenario.PutSome(key, {50, 70}, row.value);
  scenario.AwaitEffectAndHeal(row.fault);
  const bool resumes = after == After::kResume;
  if (resumes) {
    scenario.Add(AwaitEndedStep{"first"});
    scenario.Resume("first", "second");
  }
  scenario.PutSome(key, {1, 10});
  scenario.AwaitDelivered(resumes ? "second" : "first");
}

// Faults that end the connection: the watches are resumed.
const std::vector<Row>& Cuts() {
  static const std::vector<Row> rows = {
      {"ConnectionClose",
       "close",
       {{"after-bytes", "2KiB"}},
       "The connection is closed gracefully in the middle of the target's responses."},
      {"TimedConnectionClose",
       "close",
       {{"after", "30ms"}},
       "The connection is closed gracefully a while after the writes began."},
      {"HalfClose",
       "half-close",
       {{"after-bytes", "2KiB"}},
       "The proxy half-closes the connection towards the client, while the target keeps sending."},
      {"HalfOpenClientGone",
       "half-open",
       {{"gone", "client"}},
       "The client's side of the connection is gone; the target does not notice and keeps "
       "sending."},
      {"HalfOpenTargetGone",
       "half-open",
       {{"gone", "target"}},
       "The target's side of the connection is gone; the client does not notice and waits."},
      {"BlackHoleToClient",
       "black-hole",
       {},
       "Bytes from the target are discarded for a while; then the connection is closed."},
      {"BlackHoleToTarget",
       "black-hole",
       {{"direction", "to-target"}, {"at-least", "64B"}},
       "Bytes from the client are discarded for a while; then the connection is closed."},
  };
  return rows;
}

// Faults that only delay: the watches continue.
const std::vector<Row>& Waits() {
  constexpr ValueSize kLarge{2000, 4000};
  static const std::vector<Row> rows = {
      {"SmallSlices",
       "slice",
       {},
       "All bytes are forwarded in slices of sixteen, with pauses between them.",
       2,
       {50, 100}},
      {"BandwidthLimit",
       "bandwidth",
       {{"rate", "2MiB"}, {"at-least", "512KiB"}},
       "More is written than the limited bandwidth can carry at once.",
       5,
       {8192, 16384}},
      {"LatencyJitter",
       "latency",
       {{"delay", "5ms"}, {"jitter", "2ms"}, {"spread", "normal"}},
       "Every byte is delayed by a normally distributed time."},
      {"DelayedWatch",
       "delay-watch",
       {{"delay", "60ms"}},
       "The responses of one watch of the stream are delayed, those of its neighbours are not."},
      {"StoppedReader",
       "slow-reader",
       {},
       "The client stops reading until the target reports that its watches are behind.",
       50,
       kLarge},
      {"SlowReader",
       "slow-reader",
       {{"messages", "1"}, {"every", "10ms"}},
       "The client reads one hundred messages per second while many more are sent.",
       50,
       kLarge},
      {"BurstyReader",
       "slow-reader",
       {{"messages", "50"}, {"every", "500ms"}},
       "The client reads fifty messages at a time and pauses in between.",
       50,
       kLarge},
  };
  return rows;
}

void Add(const Row& row, After after) {
  const bool resumes = after == After::kResume;
  AddCase({.name = fmt::format("{}.{}", resumes ? "Resumable" : "Reliable", row.name),
           .requirement = "events are ordered, unique, atomic and never dropped, and a broken "
                          "watch can be resumed (etcd API, watch guarantees)",
           .explain = row.explain,
           .needs = {Capability::kProxy},
           .guarantees = {resumes ? "Resumable" : "Ordered", "Reliable", "Unique"},
           .file = __FILE__,
           .line = row.line},
          [&row, after](Scenario& scenario) { RunRow(scenario, row, after); });
}

[[maybe_unused]] const bool kAdded = [] {
  for (const Row& row : Cuts()) Add(row, After::kResume);
  for (const Row& row : Waits()) Add(row, After::kGoOn);
  return true;
}();

}  // namespace
}  // namespace watchproof
