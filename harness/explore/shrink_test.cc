// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/shrink.h"

#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

Script Puts(const std::vector<std::string>& keys) {
  Script script;
  for (const std::string& key : keys) script.steps.push_back(Put{.key = key});
  return script;
}
std::string KeysOf(const Script& script) {
  std::string keys;
  for (const Step& step : script.steps) keys += std::get<Put>(step).key;
  return keys;
}

// Whatever number of candidates is looked at together, the same is left.
TEST(Shrink, LeavesWhatIsNeeded) {
  for (const std::size_t at_once : {1U, 3U, 8U}) {
    std::size_t most = 0;
    const Script smallest =
        Shrink(Puts({"a", "b", "c", "d", "e", "f", "g"}),
               [&](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
                 most = std::max(most, candidates.size());
                 for (std::size_t i = 0; i < candidates.size(); ++i) {
                   const std::string keys = KeysOf(candidates[i]);
                   if (keys.find('b') < keys.find('f') && keys.find('f') < keys.size()) return i;
                 }
                 return std::nullopt;
               },
               {.runs = 200, .at_once = at_once});
    EXPECT_EQ(KeysOf(smallest), "bf");
    EXPECT_LE(most, at_once);
  }
}

TEST(Shrink, KeepsWithinItsRuns) {
  int runs = 0;
  Shrink(Puts({"a", "b", "c", "d"}),
         [&](const std::vector<Script>& candidates) {
           runs += static_cast<int>(candidates.size());
           return std::optional<std::size_t>();
         },
         {.runs = 5, .at_once = 2});
  EXPECT_LE(runs, 5);
}

TEST(Shrink, LeavesNoStepWhereNoneIsNeeded) {
  const auto any = [](const std::vector<Script>&) { return std::optional<std::size_t>(0); };
  EXPECT_TRUE(Shrink(Puts({"a", "b"}), any, {}).steps.empty());
}

// What is left of a step is as simple as it can be, and so are the limits of the store and the
// settings of the server.
TEST(Shrink, LeavesPlainStepsOnAPlainServer) {
  Script script = Puts({"a", "b"});
  std::get<Put>(script.steps[1]) = {.key = "b", .lease = 3, .bytes = 70, .times = 9};
  script.steps.push_back(Create{.key = "c", .end = "d", .id = 4, .options = {.prev_kv = true}});
  script.limits.queued_replies = 9;
  script.limits.room = 5;
  script.server.progress_ms = 100;
  const Script smallest =
      Shrink(script,
             [](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
               const Script& one = candidates.front();
               const bool shows = Has<Put>(one) && Has<Create>(one);
               return shows ? std::optional<std::size_t>(0) : std::nullopt;
             },
             {.runs = 200, .at_once = 1});
  ASSERT_EQ(smallest.steps.size(), 2U);
  EXPECT_EQ(Describe(smallest.steps[0]), Describe(Put{.key = "a/1"}));
  EXPECT_EQ(Describe(smallest.steps[1]), Describe(Create{.end = "*"}));
  EXPECT_EQ(DescribeLimits(smallest.limits), "limits room=5");
  EXPECT_EQ(smallest.server, Server());
}

// Each limit is as usual if the finding shows with that, one after the other.
TEST(Shrink, ALimitStaysWhereItIsNeeded) {
  Script script = Puts({"a"});
  script.limits = {.queued_replies = 1,
                   .control_replies = 2,
                   .watchers_per_step = 9,
                   .reply_bytes = 1,
                   .part_bytes = 70,
                   .strict_previous = true,
                   .disk = true};
  const Script smallest =
      Shrink(script,
             [](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
               const Script& one = candidates.front();
               const bool shows = one.limits.disk && one.limits.reply_bytes == 1 && Has<Put>(one);
               return shows ? std::optional<std::size_t>(0) : std::nullopt;
             },
             {.runs = 200, .at_once = 1});
  EXPECT_EQ(DescribeLimits(smallest.limits), "limits reply_bytes=1 disk=true");
}

// The order of steps is kept, and a script in which nothing can be left out stays as it is.
TEST(Shrink, WhatIsNeededStaysInItsOrder) {
  int runs = 0;
  const Script smallest =
      Shrink(Puts({"a", "b", "c", "d"}),
             [&](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
               ++runs;
               const bool shows = KeysOf(candidates.front()) == "abcd";
               return shows ? std::optional<std::size_t>(0) : std::nullopt;
             },
             {.runs = 100, .at_once = 1});
  EXPECT_EQ(KeysOf(smallest), "abcd");
  EXPECT_LT(runs, 60);
}

// With no run left, the script itself is the smallest that is known.
TEST(Shrink, WithoutRunsNothingIsTried) {
  const auto never = [](const std::vector<Script>&) -> std::optional<std::size_t> {
    ADD_FAILURE() << "nothing was to be tried";
    return 0;
  };
  EXPECT_EQ(KeysOf(Shrink(Puts({"a", "b"}), never, {.runs = 0})), "ab");
}

}  // namespace
}  // namespace watchproof::explore
