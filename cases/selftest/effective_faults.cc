// SPDX-License-Identifier: Apache-2.0
// Every fault that needs no more than watches and writes to be felt, each in a case of its own:
// watches are open, harm comes, keys are written until it is felt, and it is healed. Watches whose
// connection it has ended are resumed. Nothing may be missed.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

enum class After { kGoOn, kResume };

struct Row {
  const char* name;
  const char* fault;
  Parameters parameters;
  After after;
  const char* explain;
  std::size_t watches = 5;
  ValueSize value{100, 1000};
  int line = __builtin_LINE();
};

void Carry(Scenario& scenario, const Row& row) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("harmed");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = row.watches, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Hold(0ms, 20ms);
  scenario.Inject(row.fault, row.parameters);
  for (std::int64_t i = prng.Between(50, 70); i > 0; --i) scenario.Put(key, row.value);
  scenario.AwaitEffect(row.fault);
  scenario.Heal(row.fault);
  const bool resumes = row.after == After::kResume;
  if (resumes) {
    scenario.AwaitEnded("first");
    scenario.Resume("first", "second");
  }
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered(resumes ? "second" : "first");
}

// Who is cut off resumes.
const std::vector<Row>& Cuts() {
  static const std::vector<Row> rows = {
      {"MissesNothingAfterAClose",
       "close",
       {{"after-bytes", "2KiB"}},
       After::kResume,
       "The connection is closed in good order in the middle of what the target says."},
      {"MissesNothingAfterACloseInTime",
       "close",
       {{"after", "30ms"}},
       After::kResume,
       "The connection is closed in good order a while after the writes began."},
      {"MissesNothingAfterAHalfClose",
       "half-close",
       {{"after-bytes", "2KiB"}},
       After::kResume,
       "The client is told that the target has no more to say, which goes on talking."},
      {"MissesNothingWhenItsClientIsGone",
       "half-open",
       {{"gone", "client"}},
       After::kResume,
       "The client is gone, and the target, which was not told, goes on talking to nobody."},
      {"MissesNothingWhenItsTargetIsGone",
       "half-open",
       {{"gone", "target"}},
       After::kResume,
       "The target was told that the client is gone; the client waits for what never comes."},
      {"MissesNothingAfterABlackHole",
       "black-hole",
       {},
       After::kResume,
       "What the target says leads nowhere for a while; then the connection is closed."},
      {"MissesNothingAfterABlackHoleForItsRequests",
       "black-hole",
       {{"direction", "to-target"}, {"at-least", "64B"}},
       After::kResume,
       "What the client says leads nowhere for a while; then the connection is closed."},
  };
  return rows;
}

// Who is only kept waiting goes on.
const std::vector<Row>& Waits() {
  constexpr ValueSize kLarge{2000, 4000};
  static const std::vector<Row> rows = {
      {"MissesNothingInSlices",
       "slice",
       {},
       After::kGoOn,
       "Everything comes in pieces of sixteen bytes with pauses between them.",
       2,
       {50, 100}},
      {"MissesNothingOnANarrowRoad",
       "bandwidth",
       {{"rate", "2MiB"}, {"at-least", "512KiB"}},
       After::kGoOn,
       "More is written than the road can take in the time.",
       5,
       {8192, 16384}},
      {"MissesNothingUnderUnevenLatency",
       "latency",
       {{"delay", "5ms"}, {"jitter", "2ms"}, {"spread", "normal"}},
       After::kGoOn,
       "Everything is late, by a time that varies as in nature."},
      {"MissesNothingWhenOneWatchIsLate",
       "delay-watch",
       {{"delay", "60ms"}},
       After::kGoOn,
       "One watch of the stream hears everything late, its neighbours do not."},
      {"MissesNothingWhenItsReaderStops",
       "slow-reader",
       {},
       After::kGoOn,
       "The client stops reading until the target says that its watches are behind.",
       50,
       kLarge},
      {"MissesNothingWhenItsReaderTrickles",
       "slow-reader",
       {{"messages", "1"}, {"every", "10ms"}},
       After::kGoOn,
       "The client reads a hundred messages a second while many more are sent.",
       50,
       kLarge},
      {"MissesNothingWhenItsReaderComesInBursts",
       "slow-reader",
       {{"messages", "50"}, {"every", "150ms"}},
       After::kGoOn,
       "The client reads fifty messages at a time and pauses in between.",
       50,
       kLarge},
  };
  return rows;
}

void Add(const Row& row) {
  const bool resumes = row.after == After::kResume;
  AddCase({.name = fmt::format("{}.{}", resumes ? "Resumable" : "Reliable", row.name),
           .requirement = "events are ordered, unique, atomic and never dropped, and a broken "
                          "watch can be resumed (etcd API, watch guarantees)",
           .explain = row.explain,
           .level = Level::kMust,
           .needs = {Capability::kProxy},
           .guarantees = {resumes ? "Resumable" : "Ordered", "Reliable", "Unique"},
           .file = __FILE__,
           .line = row.line},
          [&row](Scenario& scenario) { Carry(scenario, row); });
}

[[maybe_unused]] const bool kAdded = [] {
  for (const Row& row : Cuts()) Add(row);
  for (const Row& row : Waits()) Add(row);
  return true;
}();

}  // namespace
}  // namespace watchproof
