// SPDX-License-Identifier: Apache-2.0
#include "harness/script/features.h"

#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

std::vector<Step> EveryKindAndLoop() {
  std::vector<Step> steps = {
      Create{},   Cancel{}, AskProgress{}, CloseStream{}, Resume{},     Put{},        Delete{},
      Txn{},      Grant{},  Revoke{},      Get{},         KeepAlive{},  Compact{},    Receive{},
      Restrict{}, Crash{},  Advance{},     SyncDisk{},    Defragment{}, CrashPoint{}, Hash{}};
  for (const Loop loop : {Loop::kCommit, Loop::kSync, Loop::kVictims, Loop::kProgress,
                          Loop::kExpire, Loop::kErase, Loop::kCheckpoint}) {
    steps.push_back(Turn{loop});
  }
  return steps;
}

// What was reached in two ways is counted twice: no kind of feature has the number of another one.
TEST(FeaturesTest, EachIsItsOwn) {
  Features all;
  std::size_t noted = 0;
  const auto expect_new = [&](const Features& one, const char* kind) {
    ++noted;
    EXPECT_EQ(all.Add(one), 1U) << kind << " " << noted;
  };
  for (std::size_t hook = 0; hook < 6; ++hook) {
    Features one;
    one.Hook(hook);
    expect_new(one, "hook");
  }
  for (const Step& before : EveryKindAndLoop()) {
    for (const Step& after : EveryKindAndLoop()) {
      Features one;
      one.Sequence(before, after);
      expect_new(one, "sequence");
    }
  }
  for (std::size_t shape = 0; shape < 1024; ++shape) {
    Features one;
    one.Reply(shape);
    expect_new(one, "reply");
  }
  for (const Method method :
       {Method::kPut, Method::kDeleteRange, Method::kTxn, Method::kRange, Method::kCompact,
        Method::kLeaseGrant, Method::kLeaseRevoke, Method::kLeaseKeepAlive,
        Method::kLeaseTimeToLive, Method::kLeaseLeases}) {
    for (std::size_t code = 0; code < std::size(kStatusCodes); ++code) {
      Features one;
      one.Error(method, static_cast<StatusCode>(code));
      expect_new(one, "error");
    }
  }
  EXPECT_EQ(all.count(), noted);
}

// Either of two watches may be the first; what the store had pending makes a difference.
TEST(FeaturesTest, AMeetingIsOfTwoWatchesAndABacklog) {
  Features all, one;
  const auto meet = [&all](WatchPhase a, WatchPhase b, Features::Backlog backlog) {
    Features met;
    met.Met(a, b, backlog);
    return all.Add(met);
  };
  EXPECT_EQ(meet(WatchPhase::kLive, WatchPhase::kBehind, {}), 1U);
  EXPECT_EQ(meet(WatchPhase::kBehind, WatchPhase::kLive, {}), 0U);
  EXPECT_EQ(meet(WatchPhase::kBehind, WatchPhase::kLive, {.unsynced = true}), 1U);
  EXPECT_EQ(meet(WatchPhase::kBehind, WatchPhase::kLive, {.victims = true}), 1U);
  EXPECT_EQ(meet(WatchPhase::kBehind, WatchPhase::kLive, {.unsynced = true, .victims = true}), 1U);
  EXPECT_EQ(meet(WatchPhase::kBehind, WatchPhase::kBehind, {}), 1U);
}

TEST(FeaturesTest, WhatIsAddedIsCountedOnce) {
  Features one, other, all;
  one.Hook(1);
  one.Reply(3);
  other.Reply(3);
  other.Reply(4);
  EXPECT_EQ(all.Add(one), 2U);
  EXPECT_EQ(all.Add(other), 1U);
  EXPECT_EQ(all.Add(other), 0U);
  EXPECT_EQ(all.count(), 3U);
}

}  // namespace
}  // namespace watchproof::explore
