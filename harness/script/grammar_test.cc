// SPDX-License-Identifier: Apache-2.0
#include "harness/script/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace watchproof::explore {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;

std::vector<Script> DrawnScripts(int count, std::uint64_t seed = 1) {
  std::vector<Script> scripts;
  Prng prng(seed);
  for (int i = 0; i < count; ++i) scripts.push_back(Draw(prng));
  return scripts;
}

// Whether every step, and the limits, may be carried out.
Status CheckAll(const Script& script) {
  WP_RETURN_IF_ERROR(Check(script.limits));
  for (const Step& step : script.steps) WP_RETURN_IF_ERROR(Check(step));
  return {};
}

TEST(GrammarTest, OneSeedDrawsOneScript) {
  Prng first(7), second(7);
  for (int i = 0; i < 50; ++i) {
    const Script script = Draw(first);
    EXPECT_EQ(ToText(script), ToText(Draw(second)));
    const Script changed = Mutate(script, first);
    EXPECT_EQ(ToText(changed), ToText(Mutate(script, second)));
    EXPECT_EQ(ToText(Splice(script, changed, first)), ToText(Splice(script, changed, second)));
  }
}

TEST(GrammarTest, EveryKindOfStepIsDrawn) {
  Prng prng(1);
  // Only servers with users are for it, see live/focus.h.
  // Only scripts with crash points have two of the others, see explore/crash_points.h, and those of
  // clusters the rest, see live/spread.h.
  std::set<std::size_t> kinds = {Step(Restrict{}).index(),   Step(Defragment{}).index(),
                                 Step(CrashPoint{}).index(), Step(AtMember{}).index(),
                                 Step(Disturb{}).index(),    Step(Calm{}).index()};
  for (int i = 0; i < 500; ++i) {
    for (const Step& step : Draw(prng).steps) kinds.insert(step.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Step>);
}

TEST(GrammarTest, WhatIsDrawnAndChangedMayBeCarriedOut) {
  Prng prng(3);
  Script script = Draw(prng);
  for (int i = 0; i < 2000; ++i) {
    const Script next = i % 3 == 0 ? Draw(prng) : Mutate(script, prng);
    ASSERT_TRUE(CheckAll(next).ok()) << CheckAll(next).message() << "\n" << ToText(next);
    script = i % 5 == 0 ? Splice(script, next, prng) : next;
    ASSERT_TRUE(CheckAll(script).ok()) << ToText(script);
  }
}

// What makes bugs of a store show, and how many of two thousand scripts have it at least.
template <typename Kind>
std::function<bool(const Step&)> One(std::function<bool(const Kind&)> holds) {
  return [holds = std::move(holds)](const Step& step) {
    const auto* const one = std::get_if<Kind>(&step);
    return one != nullptr && holds(*one);
  };
}
bool HasPart(const Txn& txn, const std::function<bool(const TxnPart&)>& holds) {
  return std::ranges::any_of(txn.then, holds) || std::ranges::any_of(txn.otherwise, holds);
}

struct Meeting {
  const char* what;
  int least;
  std::function<bool(const Step&)> holds;
};

void ExpectDrawn(const std::vector<Meeting>& meetings) {
  const std::vector<Script> scripts = DrawnScripts(2000);
  for (const Meeting& meeting : meetings) {
    const auto having = std::ranges::count_if(scripts, [&](const Script& script) {
      return std::ranges::any_of(script.steps, meeting.holds);
    });
    EXPECT_GE(having, meeting.least) << meeting.what;
  }
}

TEST(GrammarTest, WatchesOfEveryKindAreDrawn) {
  const auto start = [](Place::From from, bool (*plus)(std::int64_t)) {
    return One<Create>(
        [=](const Create& one) { return one.start.from == from && plus(one.start.plus); });
  };
  const auto above = [](std::int64_t plus) { return plus > 0; };
  const auto at = [](std::int64_t plus) { return plus == 0; };
  const auto below = [](std::int64_t plus) { return plus < 0; };
  ExpectDrawn({
      {"a start from now on", 500, start(Place::From::kNumber, at)},
      {"a start that no store can have", 50, start(Place::From::kNumber, below)},
      {"a start in the future", 300, start(Place::From::kHead, above)},
      {"a start at the head", 100, start(Place::From::kHead, at)},
      {"a start in the past", 100, start(Place::From::kHead, below)},
      {"a start above the floor", 100, start(Place::From::kFloor, above)},
      {"a start at the floor", 100, start(Place::From::kFloor, at)},
      {"a start below the floor", 100, start(Place::From::kFloor, below)},
      {"a range with its end before its key", 30,
       One<Create>([](const Create& one) { return one.end < one.key && one.end == "a/"; })},
      {"a prefix", 300, One<Create>([](const Create& one) { return one.end == "a0"; })},
      {"every key", 300, One<Create>([](const Create& one) { return one.key == "*"; })},
      {"a range without end", 100,
       One<Create>([](const Create& one) { return one.key != "*" && one.end == "*"; })},
      {"an id of its own", 500, One<Create>([](const Create& one) { return one.id > 0; })},
      {"the id of the whole stream", 10, One<Create>([](const Create& one) { return one.id < 0; })},
      {"both filters", 20,
       One<Create>([](const Create& one) { return one.options.no_put && one.options.no_delete; })},
      {"previous values in fragments", 100,
       One<Create>([](const Create& one) { return one.options.prev_kv && one.options.fragment; })},
      {"another stream", 300, One<Create>([](const Create& one) { return one.stream > 1; })},
  });
}

TEST(GrammarTest, WritesOfEveryKindAreDrawn) {
  ExpectDrawn({
      {"no key", 20, One<Put>([](const Put& one) { return one.key.empty(); })},
      {"a lease", 300, One<Put>([](const Put& one) { return one.lease > 0; })},
      {"a lease that there is not", 30, One<Put>([](const Put& one) { return one.lease < 0; })},
      {"a burst", 100, One<Put>([](const Put& one) { return one.times > 1; })},
      {"a large value", 50, One<Put>([](const Put& one) { return one.bytes == 300; })},
      {"a value that stays", 50, One<Put>([](const Put& one) { return one.ignore_value; })},
      {"a lease that stays", 80,
       One<Put>([](const Put& one) { return one.ignore_lease && one.lease == 0; })},
      {"a lease that stays, and another one", 5,
       One<Put>([](const Put& one) { return one.ignore_lease && one.lease > 0; })},
      {"the value before", 100, One<Put>([](const Put& one) { return one.prev_kv; })},
      {"a range that is deleted", 300,
       One<Delete>([](const Delete& one) { return !one.end.empty(); })},
      {"a compaction of everything", 300, One<Compact>([](const Compact& one) {
         return one.at == Place{Place::From::kHead, 0};
       })},
      {"a compaction ahead of the head", 100, One<Compact>([](const Compact& one) {
         return one.at.from == Place::From::kHead && one.at.plus > 0;
       })},
      {"a compaction again", 50,
       One<Compact>([](const Compact& one) { return one.at.from == Place::From::kFloor; })},
      {"as many writes as the store takes at once", 2,
       One<Put>([](const Put& one) { return one.times > 100; })},
  });
}

TEST(GrammarTest, TransactionsOfEveryKindAreDrawn) {
  const auto condition = [](const std::function<bool(const Condition&)>& holds) {
    return One<Txn>([=](const Txn& one) { return std::ranges::any_of(one.when, holds); });
  };
  const auto part = [](const std::function<bool(const TxnPart&)>& holds) {
    return One<Txn>([=](const Txn& one) { return HasPart(one, holds); });
  };
  std::vector<Meeting> meetings = {
      {"a read in it", 100, part([](auto& one) { return one.kind == TxnPart::Kind::kGet; })},
      {"a deletion of a range", 50,
       part([](auto& one) { return one.kind == TxnPart::Kind::kDelete && !one.end.empty(); })},
      {"a lease", 50, part([](auto& one) { return one.lease != 0; })},
      {"another branch", 200, One<Txn>([](auto& one) { return !one.otherwise.empty(); })},
      {"one in it", 200, One<Txn>([](auto& one) { return !one.nested.empty(); })},
      {"one in one in it", 50, One<Txn>([](auto& one) {
         return std::ranges::any_of(one.nested, [](auto& in) { return !in.nested.empty(); });
       })},
      {"a key twice", 30, One<Txn>([](auto& one) {
         return one.then.size() > 1 && one.then.front().key == one.then.back().key;
       })},
      {"more parts than a store takes", 5,
       One<Txn>([](auto& one) { return one.then.size() > 128; })},
      {"as many parts as a store takes", 5,
       One<Txn>([](auto& one) { return one.then.size() == 128; })},
      {"a condition of a range", 50, condition([](auto& one) { return !one.end.empty(); })},
      {"a condition of what is there", 100,
       condition([](auto& one) { return FromThere(one.value) == 0; })},
      {"a condition beside what is there", 50,
       condition([](auto& one) { return FromThere(one.value).value_or(0) != 0; })},
      {"nothing in a branch that may run", 20,
       One<Txn>([](auto& one) { return !one.when.empty() && one.then.empty(); })},
      {"something in a branch that never runs", 20,
       One<Txn>([](auto& one) { return one.when.empty() && !one.otherwise.empty(); })},
      {"a read with options", 50, part([](auto& one) { return one.read.limit > 0; })},
      {"what was there", 100, part([](auto& one) { return one.previous; })},
  };
  for (std::size_t i = 0; i < 5; ++i) {
    const auto target = static_cast<Condition::Target>(i);
    meetings.push_back({"a condition of each kind", 50,
                        condition([target](auto& one) { return one.target == target; })});
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const auto relation = static_cast<Condition::Relation>(i);
    meetings.push_back({"a relation of each kind", 50,
                        condition([relation](auto& one) { return one.relation == relation; })});
  }
  ExpectDrawn(meetings);
}

TEST(GrammarTest, ReadsAndLeasesOfEveryKindAreDrawn) {
  std::vector<Meeting> meetings = {
      {"a read of the future", 30,
       One<Get>([](auto& one) { return one.at.from == Place::From::kHead && one.at.plus > 0; })},
      {"a read below the floor", 50,
       One<Get>([](auto& one) { return one.at.from == Place::From::kFloor && one.at.plus < 0; })},
      {"a limit in a descending order", 50,
       One<Get>([](auto& one) { return one.limit > 0 && one.order == Order::kDescend; })},
      {"a limit without an order", 50, One<Get>([](auto& one) {
         return one.limit > 0 && one.sort_by > 0 && one.order == Order::kNone;
       })},
      {"options that hide each other", 10,
       One<Get>([](auto& one) { return one.count_only && one.keys_only && one.limit > 0; })},
      {"a bound beside an order", 30,
       One<Get>([](auto& one) { return one.max_mod != Place() && one.sort_by > 0; })},
      {"a count", 50, One<Get>([](auto& one) { return one.count_only; })},
      {"keys alone", 50, One<Get>([](auto& one) { return one.keys_only; })},
      {"bounds of both revisions", 10,
       One<Get>([](auto& one) { return one.min_mod != Place() && one.max_create != Place(); })},
      {"a lease with an id that the store chooses", 10,
       One<Grant>([](auto& one) { return one.lease == 0; })},
      {"a lease of the longest time", 5,
       One<Grant>([](auto& one) { return one.seconds == 9'000'000'000; })},
      {"a lease of a longer time", 5,
       One<Grant>([](auto& one) { return one.seconds == 9'000'000'001; })},
      {"a lease shorter than the shortest", 50,
       One<Grant>([](auto& one) { return one.seconds == 1; })},
      {"time in which no lease ends", 50, One<Advance>([](auto& one) { return one.ms < 1000; })},
  };
  for (std::int64_t by = 0; by <= 4; ++by) {
    meetings.push_back({"an order of each kind", 20, One<Get>([by](auto& one) {
                          return one.order == Order::kDescend && one.sort_by == by;
                        })});
  }
  ExpectDrawn(meetings);
}

TEST(GrammarTest, OnlyADiskThatTakesTimeIsLostAndFills) {
  int disks = 0, crashes = 0, rooms = 0, checkpoints = 0;
  for (const Script& script : DrawnScripts(2000)) {
    const bool disk = script.limits.disk;
    EXPECT_TRUE(disk || !(Has<Crash, SyncDisk>(script))) << ToText(script);
    EXPECT_TRUE(disk || script.limits.room == 0) << ToText(script);
    disks += disk ? 1 : 0;
    crashes += Has<Crash>(script) ? 1 : 0;
    rooms += script.limits.room > 0 ? 1 : 0;
    checkpoints += disk && script.limits.checkpoints && Has<Grant>(script) ? 1 : 0;
  }
  EXPECT_THAT(disks, AllOf(Ge(200), Le(800)));
  EXPECT_GE(crashes, 100);
  EXPECT_GE(rooms, 30);
  EXPECT_GE(checkpoints, 30);
}

TEST(GrammarTest, AChangeIsSmall) {
  Prng prng(5);
  const Script script{.steps = std::vector<Step>(20, Put{.key = "kept"})};
  int same = 0;
  for (int i = 0; i < 300; ++i) {
    const Script changed = Mutate(script, prng);
    EXPECT_THAT(changed.steps.size(), AllOf(Ge(17U), Le(23U)));
    const auto kept = std::ranges::count_if(changed.steps, [](const Step& step) {
      const auto* const put = std::get_if<Put>(&step);
      return put != nullptr && put->key == "kept";
    });
    EXPECT_GE(kept, 17);
    same += ToText(changed) == ToText(script) ? 1 : 0;
  }
  EXPECT_LE(same, 100);
}

TEST(GrammarTest, NothingIsChangedByDrawingAnew) {
  Prng prng(5);
  EXPECT_THAT(Mutate({}, prng).steps, testing::Not(IsEmpty()));
}

// The first half of one, the second of the other, and no more than is worth carrying out.
TEST(GrammarTest, ASpliceIsABeginningAndAnEnd) {
  Prng prng(5);
  Script begin{.limits = {.queued_replies = 9}}, end;
  for (int i = 0; i < 60; ++i) begin.steps.push_back(Receive{1, i});
  for (int i = 0; i < 60; ++i) end.steps.push_back(Receive{2, i});
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    const Script both = Splice(begin, end, prng);
    EXPECT_EQ(both.limits, begin.limits);
    longest = std::max(longest, both.steps.size());
    std::size_t heads = 0;
    while (heads < both.steps.size() && std::get<Receive>(both.steps[heads]).stream == 1) ++heads;
    for (std::size_t at = 0; at < both.steps.size(); ++at) {
      const auto& one = std::get<Receive>(both.steps[at]);
      const auto& first = std::get<Receive>(both.steps[at < heads ? 0 : heads]);
      EXPECT_EQ(one.stream, at < heads ? 1 : 2);
      const auto since = static_cast<std::int64_t>(at < heads ? at : at - heads);
      EXPECT_EQ(one.replies, at < heads ? since : first.replies + since);
    }
  }
  EXPECT_EQ(longest, 80U);
}

}  // namespace
}  // namespace watchproof::explore
