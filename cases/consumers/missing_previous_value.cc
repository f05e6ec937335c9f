// SPDX-License-Identifier: Apache-2.0
// A watch goes on exactly at the compaction floor, where an event has lost its previous value.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

struct ValueLost {
  const char* name;
  bool deletes;
  const char* explain;
  std::vector<int> upstream{10681};
  int line = __builtin_LINE();
};

void RunValueLost(Scenario& scenario, const ValueLost& row) {
  FollowedKeys keys(scenario, 4);
  const std::string key = keys.New();
  scenario.Put(key);
  keys.Write(scenario.Random("before").Between(2, 8));
  FollowAndCutOff(scenario);
  scenario.PermitCompactedAtTheFloor();
  const Write last = row.deletes ? scenario.Delete(key) : scenario.Put(key);
  scenario.Put(keys.New());
  scenario.Compact(last.revision());
  scenario.Heal("refuse");
  scenario.Put(keys.New());
  // What Kubernetes makes of it, since 1.15: an error of the watch, and in the end a list.
  scenario.Add(ExpectReportStep{
      .kind = "error", .layer = "etcd3 reflector", .error = "etcd event received with PrevKv=nil"});
  scenario.Add(ExpectReportStep{.kind = "relist", .layer = "etcd3 reflector"});
}

[[maybe_unused]] const bool kMissingPreviousValue = [] {
  static const std::vector<ValueLost> rows = {
      {"DeleteWithoutPrevious",
       true,
       "deleted; a store that removes the tombstone does not even deliver the deletion (etcd "
       "#18089)",
       {10681, 18089}},
      {"UpdateWithoutPrevious", false, "put again"}};
  for (const ValueLost& row : rows) {
    AddCase(CaseWithConsumer(
                {.name = fmt::format("Consumers.{}", row.name),
                 .explain = fmt::format(
                     "The consumer's connection is cut and new ones are refused. Meanwhile a key "
                     "is {}. The store is compacted at that revision, where the watch then goes "
                     "on: the event comes without its previous value (etcd #10681). Kubernetes "
                     "must take it for an error, and come to the state of the store by a list. "
                     "Its watch cache first opens its watch again and again, for 30 s.",
                     row.explain),
                 .needs = {Capability::kProxy, Capability::kCompaction},
                 .upstream = row.upstream,
                 .file = __FILE__,
                 .line = row.line}),
            [&row](Scenario& scenario) { RunValueLost(scenario, row); });
  }
  return true;
}();

}  // namespace
}  // namespace watchproof
