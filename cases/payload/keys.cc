// SPDX-License-Identifier: Apache-2.0
// Keys, and what an event says of them.
#include <algorithm>

#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// A deletion ends the generation of a key. The next put creates the key anew: its create revision
// is the revision of that put and its version is 1. Locks, caches and compare-and-swap loops depend
// on both.
WATCH_CASE(Fields, RecreatedKey,
           {.requirement = "create_revision is the revision of the last creation, and a deletion "
                           "resets the version to zero (etcd API, KeyValue)",
            .explain = "Keys are put, changed, deleted and put again, several times over, alone "
                       "and in transactions, while they are watched live and from history. Each "
                       "event must carry the create revision and the version of its own "
                       "generation of the key; a deletion carries neither.",
            .guarantees = {"Fields", "Reliable"}}) {
  const std::string stem = scenario.Key("generations");
  std::vector<std::string> keys = scenario.Keys(stem, {2, 4});
  const Write first = scenario.PutTogether(keys);
  scenario.Open({.group = "live", .range = Below(stem)});
  for (std::int64_t generation = scenario.Between(4, 8); generation > 0; --generation) {
    const std::string& key = scenario.Pick(keys);
    scenario.PutSome(key, {1, 4});
    scenario.Delete(key);
    scenario.Chance(0.5) ? scenario.PutTogether(keys) : scenario.Put(key);
    scenario.Put(key);
  }
  scenario.Open({.group = "late", .range = Below(stem), .start = first});
  scenario.AwaitDelivered("live", "late");
}

// Keys and values are bytes. A store that keeps them as text, or computes with the ends of ranges,
// loses those that look unusual.
WATCH_CASE(Fields, UnusualKeys,
           {.requirement = "keys and values are byte strings, and keys are ordered by their bytes "
                           "(etcd API, KeyValue, RangeRequest)",
            .explain = "Keys with zero bytes, line ends, quotes, slashes and letters of several "
                       "bytes, each the beginning of another one, are put, some with empty "
                       "values, changed and deleted, while each of them, the range between it "
                       "and its neighbour, and all of them are watched live and from history.",
            .guarantees = {"Fields", "Reliable", "Linearizable"}}) {
  using namespace std::string_literals;
  const std::string stem = scenario.Key("unusual") + "/";
  std::vector<std::string> keys;
  for (const std::string& end : {""s, "\0"s, "\0\0"s, "\0a"s, "\n"s, "\r\n"s, " "s, "\"'\\"s, "%s"s,
                                 "/"s, "//"s, "\x7f"s, "\xc3\xa4"s, "\xe2\x82\xac\0"s}) {
    keys.push_back(stem + end);
  }
  const Write first = scenario.PutTogether(keys);
  const auto watch = [&](const std::string& group, const RevisionRef& start) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      scenario.Watch({.group = group, .range = OneKey(keys[i]), .start = start});
      if (i == 0) continue;
      const auto [begin, end] = std::minmax(keys[i - 1], keys[i]);
      scenario.Watch({.group = group, .range = {begin, end}, .start = start});
    }
    scenario.Open({.group = group, .range = Prefix(stem), .start = start});
  };
  watch("live", FromNow());
  const auto size = [&] { return scenario.Chance(0.3) ? ValueSize{0, 0} : ValueSize{}; };
  for (std::int64_t round = scenario.Between(2, 4); round > 0; --round) {
    scenario.Shuffle(keys);
    for (const std::string& key : keys) scenario.Put(key, size());
    scenario.Delete(keys.front());
    const auto [begin, end] = std::minmax(keys.front(), keys.back());
    scenario.Add(DeleteStep{.key = begin, .range_end = end});
    scenario.PutTogether(keys);
  }
  for (const std::string& key : keys) {
    scenario.Add(ReadStep{.key = key});
    scenario.Add(ReadStep{.key = key, .range_end = stem + "\x7f"});
  }
  watch("late", first);
  scenario.AwaitDelivered("live", "late");
  scenario.Require("late", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
