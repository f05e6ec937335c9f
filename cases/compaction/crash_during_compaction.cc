// SPDX-License-Identifier: Apache-2.0
// A server that crashes while it compacts has removed some revisions and has not yet recorded that
// the compaction is done. After the restart the store must still keep every promise. etcd removes
// revisions in batches of 1000. If the last batch is full, the record is written only in the next
// commit, up to 100 ms later, so a crash in between is easy to provoke.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr Duration kCommitted = 300ms;  // every write has been committed to disk by then
constexpr Duration kResumed = 700ms;    // the interrupted compaction has been repeated by then
// Five batches, with a pause after each: a machine that is busy kills in time, too.
constexpr int kTransactions = 40;
constexpr std::size_t kKeysEach = 100;

void WriteBatches(Scenario& scenario, const std::vector<std::string>& keys) {
  for (int i = 0; i < kTransactions; ++i) scenario.PutTogether(keys);
}

// Kills the server shortly after it answered the compaction. Sometimes the compaction is recorded
// on disk already and nothing is interrupted; the evidence of the fault shows which it was.
void CompactAndKill(Scenario& scenario, const Write& at, const std::string& kill) {
  scenario.Hold(kCommitted, kCommitted);
  scenario.Add(CompactStep{.at = at, .at_once = true});
  scenario.Hold(1ms, 4ms);
  scenario.Add(
      InjectStep{.fault = kill, .parameters = {{"during", "compaction"}}, .optional = true});
  scenario.AwaitEffectAndHeal(kill);
  scenario.Hold(kResumed, kResumed);
}

WATCH_CASE(
    Durable, CrashDuringCompaction,
    {.requirement = "revisions are a counter of the whole store that only grows (etcd API, "
                    "revisions); acknowledged writes are durable",
     .explain = "A thousand revisions, the last one a deletion, are compacted at that deletion, "
                "and the server is killed a few milliseconds later. This is done twice, and once "
                "more with a compaction of several batches. After the restart, new writes must get "
                "new revisions (etcd #17780: the counter goes back, "
                "and resumed watches wait for revisions that were used already).",
     .needs = {Capability::kDurable, Capability::kCompaction},
     .guarantees = {"Durable", "Reliable"},
     .upstream = {17780}}) {
  const std::string stem = scenario.Key("all");
  const std::vector<std::string> many = scenario.Keys("many", {kKeysEach, kKeysEach});
  Write last{};
  for (const std::string round : {"1", "2", "3"}) {
    if (round == "3") WriteBatches(scenario, many);
    scenario.BeginLoad({.load = round,
                        .clients = 9,
                        .calls = 111,
                        .keys = 1,
                        .key = stem,
                        .direct = true,
                        .puts_only = true});
    scenario.AwaitLoad(round);
    last = scenario.Delete(stem + "/0");
    CompactAndKill(scenario, last, "kill/" + round);
  }
  const std::string after = scenario.Key("after");
  scenario.Put(after);
  scenario.Open({.group = "late", .range = OneKey(after), .start = last});
  scenario.Put(after);
}

WATCH_CASE(CompactionSurfaced, CrashDuringCompaction,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "As Durable.CrashDuringCompaction, but other keys are kept alive, and the "
                       "second compaction takes several batches. After each restart, a watch on "
                       "the key that was deleted at the floor starts from there. It must receive "
                       "the deletion or ErrCompacted (etcd #19179: the interrupted compaction "
                       "continues and removes the deletion too).",
            .needs = {Capability::kDurable, Capability::kCompaction},
            .guarantees = {"Reliable", "CompactionSurfaced"},
            .upstream = {19179, 18089}}) {
  const std::string live = scenario.Key("live");
  const std::vector<std::string> many = scenario.Keys("many", {kKeysEach, kKeysEach});
  scenario.PermitCompactedAtTheFloor();
  for (const std::string round : {"1", "2"}) {
    const std::string ghost = scenario.Key("ghost" + round);
    scenario.Put(ghost);
    scenario.BeginLoad({.load = round,
                        .clients = 2,
                        .calls = 499,
                        .keys = 3,
                        .key = live,
                        .direct = true,
                        .puts_only = true});
    scenario.AwaitLoad(round);
    if (round == "2") WriteBatches(scenario, many);
    const Write gone = scenario.Delete(ghost);
    CompactAndKill(scenario, gone, "kill/" + round);
    scenario.Open({.group = "late" + round,
                   .range = OneKey(ghost),
                   .start = gone,
                   .stream = "after" + round});
  }
}

}  // namespace
}  // namespace watchproof
