// SPDX-License-Identifier: Apache-2.0
// Keys and values are bytes. A store that keeps them as text, or computes with the ends of ranges,
// loses those that look unusual.
#include <algorithm>

#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Fields, UnusualKeys,
           {.requirement = "keys and values are byte strings, and keys are ordered by their bytes "
                           "(etcd API, KeyValue, RangeRequest)",
            .explain = "Keys with zero bytes, line ends, quotes, slashes and letters of several "
                       "bytes, each the beginning of another one, are put, some with empty "
                       "values, changed and deleted, while each of them, the range between it "
                       "and its neighbour, and all of them are watched live and from history.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Fields", "Reliable", "Linearizable"}}) {
  using namespace std::string_literals;
  Prng prng = scenario.Random("shape");
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
    scenario.Watch({.group = group, .range = Prefix(stem), .start = start});
    scenario.AwaitCreated(group);
  };
  watch("live", FromNow());
  const auto size = [&] { return prng.Chance(0.3) ? ValueSize{0, 0} : ValueSize{}; };
  for (std::int64_t round = prng.Between(2, 4); round > 0; --round) {
    prng.Shuffle(keys);
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
  watch("late", first.revision());
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
  scenario.Require("late", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
