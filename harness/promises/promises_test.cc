// SPDX-License-Identifier: Apache-2.0
// Each standing promise, asked of a server that keeps all of them: what is requested, and what is
// due then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/promises/promise.h"

namespace watchproof {
namespace {

using State = DrivenWatch::State;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr StreamId kMain(1);

std::string Shown(WatchRef watch) {
  return fmt::format("{}.{}", watch.stream.value, watch.ordinal);
}

// Creates and cancels are answered when something is awaited.
class FakeDriver final : public Driver {
 public:
  // What was asked for, and what became due, in order.
  std::vector<std::string> log;
  std::vector<std::string> left;
  std::vector<DrivenWatch> watches;
  std::set<std::string, std::less<>> left_out;
  std::set<Capability> missing;
  Revision head_at{20};
  Revision floor_at{};
  std::string no_past;
  std::string no_future;
  std::size_t streams = SIZE_MAX;
  std::optional<StreamId> any;
  int calls_left = 1000;
  int member_count = 1;

  WatchRef Open(StreamId stream, WatchId id, Revision start = Revision(5), KeyRange range = {}) {
    watches.push_back({.ref = {stream, Count(stream)},
                       .state = State::kOpen,
                       .id = id,
                       .range = std::move(range),
                       .start = start});
    return watches.back().ref;
  }
  DrivenWatch& At(WatchRef watch) { return *std::ranges::find(watches, watch, &DrivenWatch::ref); }

  std::vector<DrivenWatch> Watches() override {
    std::ranges::sort(watches, {}, &DrivenWatch::ref);
    return watches;
  }
  State StateOf(WatchRef watch) override { return At(watch).state; }
  Revision head() override { return head_at; }
  Revision floor() override { return floor_at; }
  Revision oldest() override { return Revision(4); }
  KeyRange Own() override { return {"p/", "p0"}; }
  std::size_t most_streams() override { return streams; }
  std::optional<StreamId> AnyStream() override { return any; }
  KeyRange HistoryToWatch(const KeyRange& latest) override { return latest; }
  std::string Without(Capability capability) override {
    return missing.contains(capability) ? "missing" : "";
  }
  std::string WithoutReadsAt(Revision) override { return no_past; }
  std::string WithoutFuture() override { return no_future; }
  int members() override { return member_count; }
  void AskMember(int member, Revision at) override {
    log.push_back(fmt::format("member {} at {}", member, at));
  }
  void AskStatus(int member) override { log.push_back(fmt::format("status of {}", member)); }
  void ListMembers(int member) override { log.push_back(fmt::format("members by {}", member)); }
  bool GivesUp() override { return calls_left <= 0; }
  bool Begin(std::string_view promise) override { return !left_out.contains(promise); }
  void Leave(std::string_view promise, std::string why) override {
    left.push_back(fmt::format("{}: {}", promise, why));
  }

  WatchRef Create(StreamId stream, const WatchCreate& watch) override {
    const WatchRef ref{stream, Count(stream)};
    Log("create {} [{}, {}) from {} id {}{}", Shown(ref), watch.key, watch.range_end,
        watch.start.value, watch.id.value, watch.options.prev_kv ? " with previous" : "");
    watches.push_back({.ref = ref,
                       .state = State::kAsked,
                       .id = watch.id,
                       .range = KeyRange(watch.key, watch.range_end),
                       .start = watch.start});
    return ref;
  }
  void Cancel(WatchRef watch) override {
    Log("cancel {}", Shown(watch));
    cancelled_.insert(watch);
  }
  void PutEach(const std::set<std::string>& keys) override {
    Log("put {}", fmt::join(keys, " "));
    head_at = head_at.next();
  }
  void DeleteEach(const std::set<std::string>& keys) override {
    Log("delete {}", fmt::join(keys, " "));
  }
  void Read(Revision at, Reads reads) override {
    Log("read {}{}", at.value, reads == Reads::kSerializable ? " of the member" : "");
  }
  void ListLeases() override { Log("leases"); }
  void RequireProgress(StreamId stream, Progress progress) override {
    Log("progress on {}{}", stream.value, progress == Progress::kPeriodic ? " by itself" : "");
  }
  void RequireDelivery(const std::vector<WatchRef>& due) override {
    std::string to;
    for (const WatchRef watch : due) to += " " + Shown(watch);
    Log("delivery to{}", to);
  }
  void Await(const std::function<bool()>& done) override {
    for (DrivenWatch& watch : watches) Answer(watch);
    awaited_in_vain |= !done();
  }
  bool awaited_in_vain = false;

 private:
  std::uint32_t Count(StreamId stream) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        watches, [stream](const DrivenWatch& one) { return one.ref.stream == stream; }));
  }
  template <typename... Arguments>
  void Log(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    --calls_left;
    log.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  void Answer(DrivenWatch& watch) {
    if (watch.state == State::kAsked) {
      const bool taken = watch.id.value > 0 && std::ranges::any_of(watches, [&](const auto& one) {
                           return one.ref != watch.ref && one.ref.stream == watch.ref.stream &&
                                  one.id == watch.id && one.state == State::kOpen;
                         });
      if (watch.id.value == 0) watch.id = WatchId(++given_);
      watch.state = taken                                             ? State::kOver
                    : watch.start.value > 0 && watch.start < floor_at ? State::kCompacted
                                                                      : State::kOpen;
    }
    if (cancelled_.erase(watch.ref) > 0) watch.state = State::kCancelled;
  }

  std::set<WatchRef> cancelled_;
  std::int64_t given_ = 100;
};

class PromisesTest : public testing::Test {
 protected:
  // Asks one promise alone.
  void Ask(std::string_view name, NewWatches made = {}) {
    const StandingPromise* const promise = FindStandingPromise(name);
    ASSERT_NE(promise, nullptr) << name;
    promise->ask(driver_, made);
    EXPECT_FALSE(driver_.awaited_in_vain);
  }
  const std::vector<std::string>& log() const { return driver_.log; }

  FakeDriver driver_;
};

TEST_F(PromisesTest, HaveNamesTextsAndPlacesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<int> places;
  for (const StandingPromise& promise : StandingPromises()) {
    names.insert(promise.name);
    places.insert(promise.place);
    EXPECT_NE(promise.text, "") << promise.name;
  }
  EXPECT_EQ(names.size(), StandingPromises().size());
  EXPECT_EQ(places.size(), StandingPromises().size());
}

TEST_F(PromisesTest, AreAskedInOrderUntilTheDriverGivesUp) {
  driver_.Open(kMain, WatchId(0));
  driver_.calls_left = 2;
  AskStandingPromises(driver_);
  EXPECT_THAT(log(), ElementsAre("progress on 1", HasSubstr("put"), HasSubstr("delete"),
                                 HasSubstr("delivery")));
}

TEST_F(PromisesTest, ThatAreLeftOutAreNotAsked) {
  driver_.Open(kMain, WatchId(0));
  driver_.left_out = {"progress", "read-of-every-key"};
  AskStandingPromises(driver_);
  EXPECT_THAT(log(), Not(Contains("progress on 1")));
  EXPECT_THAT(log(), Not(Contains("read 0")));
  EXPECT_THAT(log(), Contains("read 0 of the member"));
}

TEST_F(PromisesTest, WithoutAnyWatchTheStoreIsStillAsked) {
  AskStandingPromises(driver_);
  EXPECT_THAT(log(), Contains("read 0"));
  EXPECT_THAT(log(), Contains("leases"));
}

TEST_F(PromisesTest, ProgressIsDueOnStreamsWithEveryWatchStarted) {
  driver_.Open(StreamId(1), WatchId(0));
  driver_.Open(StreamId(2), WatchId(0));
  driver_.Open(StreamId(2), WatchId(1), driver_.head_at.next().next());
  driver_.At(driver_.Open(StreamId(3), WatchId(0))).state = State::kCompacted;
  Ask("progress");
  EXPECT_THAT(log(), ElementsAre("progress on 1"));
  EXPECT_THAT(driver_.left, ElementsAre("progress: a watch of the stream starts above the head"));
}

TEST_F(PromisesTest, AWatchFromNowOnIsGivenAChangeBeforeItsProgressIsDue) {
  driver_.Open(StreamId(1), WatchId(0));
  driver_.Open(StreamId(2), WatchId(0), driver_.head_at.next(), {"p/b", ""});
  Ask("progress");
  EXPECT_THAT(log(), ElementsAre("progress on 1", "put p/ p/b", "delete p/ p/b",
                                 "delivery to 1.0 2.0", "progress on 2"));
}

TEST_F(PromisesTest, ProgressIsLeftWhereNothingCanBeWrittenForAWatchFromNowOn) {
  driver_.Open(kMain, WatchId(0), driver_.head_at.next(), {"other", ""});
  driver_.calls_left = 0;
  Ask("progress");
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(driver_.left, ElementsAre("progress: a watch of the stream starts above the head"));
}

TEST_F(PromisesTest, ProgressIsLeftWhereItIsNotOffered) {
  driver_.Open(kMain, WatchId(0));
  driver_.missing = {Capability::kProgressRequest};
  Ask("progress");
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(driver_.left, ElementsAre("progress: missing"));
}

TEST_F(PromisesTest, CompactedWatchesAreCancelledUnlessTheirIdIsTaken) {
  driver_.Open(kMain, WatchId(0));
  driver_.At(driver_.Open(kMain, WatchId(7))).state = State::kCompacted;
  driver_.At(driver_.Open(kMain, WatchId(8))).state = State::kCompacted;
  driver_.Open(kMain, WatchId(7));
  Ask("progress-after-compacted");
  EXPECT_THAT(log(), ElementsAre("cancel 1.2", "progress on 1"));
}

TEST_F(PromisesTest, EachRangeIsProbedAtItsFirstKeyAndBehindItsLast) {
  driver_.Open(kMain, WatchId(0), Revision(5), {"p/b", "p/d"});
  driver_.Open(kMain, WatchId(1), Revision(5), {"p/a", ""});
  driver_.Open(kMain, WatchId(2), Revision(5), {"other", ""});
  driver_.At(driver_.Open(kMain, WatchId(3), Revision(5), {"p/z", ""})).state = State::kCancelled;
  Ask("delivery");
  EXPECT_THAT(
      log(), ElementsAre("put p/ p/a p/b p/d", "delete p/ p/a p/b p/d", "delivery to 1.0 1.1 1.2"));
}

TEST_F(PromisesTest, WatchesInTheFutureAreCancelledAndThenProgressIsDue) {
  driver_.Open(kMain, WatchId(0));
  driver_.Open(kMain, WatchId(1), driver_.head_at.next());
  Ask("progress-after-future");
  EXPECT_THAT(log(), ElementsAre("cancel 1.1", "progress on 1"));
}

TEST_F(PromisesTest, ProgressComesByItselfWhereItWasAskedFor) {
  driver_.Open(StreamId(1), WatchId(0));
  driver_.At(driver_.Open(StreamId(2), WatchId(0))).progress_notify = true;
  Ask("periodic-progress");
  EXPECT_THAT(log(), ElementsAre("progress on 2 by itself"));
}

TEST_F(PromisesTest, ThePastIsReadAtTheFloorBelowItAndInBetween) {
  driver_.floor_at = Revision(10);
  Ask("read-of-the-past");
  EXPECT_THAT(log(),
              ElementsAre("read 9", "read 10", "read 15", "read 19", HasSubstr("read 1048596")));
}

TEST_F(PromisesTest, ThePastIsLeftWhereItIsNotStated) {
  driver_.no_past = "not stated";
  Ask("read-of-the-past");
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(driver_.left, ElementsAre("read-of-the-past: not stated"));
}

TEST_F(PromisesTest, EachMemberOfAClusterIsAskedAtTheSameRevision) {
  driver_.member_count = 2;
  Ask("members-agree");
  EXPECT_THAT(log(), ElementsAre("member 1 at 20", "member 2 at 20"));
  EXPECT_FALSE(FindStandingPromise("read-of-every-key")->of_cluster);
}

TEST_F(PromisesTest, EachMemberOfAClusterListsThem) {
  driver_.member_count = 2;
  Ask("members-listed");
  EXPECT_THAT(log(), ElementsAre("members by 1", "members by 2"));
}

TEST_F(PromisesTest, EachMemberIsAskedTwiceForItsStatus) {
  driver_.member_count = 2;
  Ask("status");
  EXPECT_THAT(log(), ElementsAre("status of 1", "status of 1", "status of 2", "status of 2"));
}

TEST_F(PromisesTest, TheStatusIsLeftWhereItIsNotOffered) {
  driver_.missing = {Capability::kMaintenance};
  Ask("status");
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(driver_.left, ElementsAre("status: missing"));
}

TEST_F(PromisesTest, MembersAreNotAskedWhereThereIsOne) {
  AskStandingPromises(driver_);
  EXPECT_THAT(log(), Not(Contains(HasSubstr("member 1"))));
}

TEST_F(PromisesTest, NewWatchesAreOfEveryKind) {
  driver_.floor_at = Revision(10);
  driver_.Open(kMain, WatchId(3), Revision(12), {"p/k", ""});
  Ask("new-watches");
  EXPECT_THAT(log(),
              ElementsAre("create 1.1 [p/k, ) from 10 id 1000000 with previous",
                          "create 1.2 [p/k, ) from 0 id 0", "create 1.3 [p/k, ) from 0 id 3",
                          "create 1.4 [p/k, ) from 22 id 0", "create 1.5 [p/k, ) from 9 id 0",
                          "put p/k", "delete p/k", "delivery to 1.0 1.1 1.2 1.4"));
}

TEST_F(PromisesTest, NewWatchesTakeWhatIsOffered) {
  driver_.missing = {Capability::kClientChosenIds, Capability::kPreviousValues};
  driver_.no_future = "not asked";
  driver_.Open(kMain, WatchId(3), Revision(12), {"p/k", ""});
  Ask("new-watches");
  EXPECT_THAT(log(), ElementsAre("create 1.1 [p/k, ) from 4 id 0", "create 1.2 [p/k, ) from 0 id 0",
                                 "put p/k", "delete p/k", "delivery to 1.0 1.1 1.2"));
}

TEST_F(PromisesTest, OfALongHistoryOnlyTheEndIsWatched) {
  driver_.head_at = Revision(5000);
  driver_.Open(kMain, WatchId(3), Revision(12), {"p/k", ""});
  Ask("new-watches");
  EXPECT_THAT(log(), Contains(HasSubstr("from 5000")));
  EXPECT_THAT(driver_.left, Contains("a watch from the floor: 4996 revisions are kept"));
}

TEST_F(PromisesTest, NewWatchesAreMadeOnTheLatestStreamsOrOnAnyOne) {
  driver_.streams = 1;
  driver_.Open(StreamId(1), WatchId(0));
  driver_.Open(StreamId(2), WatchId(0));
  Ask("new-watches");
  EXPECT_THAT(log(), Not(Contains(HasSubstr("create 1."))));
  EXPECT_THAT(log(), Contains(HasSubstr("create 2.1")));
  FakeDriver empty;
  empty.any = StreamId(9);
  NewWatches made;
  FindStandingPromise("new-watches")->ask(empty, made);
  EXPECT_THAT(empty.log, Contains(HasSubstr("create 9.0 [p/, p0)")));
}

TEST_F(PromisesTest, IdsOfCancelledWatchesAreUsedAgain) {
  driver_.Open(kMain, WatchId(0), Revision(5), {"p/k", ""});
  driver_.At(driver_.Open(kMain, WatchId(5), Revision(5), {"p/k", ""})).state = State::kCancelled;
  const WatchRef fresh = driver_.Open(kMain, WatchId(9), Revision(5), {"p/k", ""});
  Ask("ids-again", {.fresh = {fresh}});
  EXPECT_THAT(log(), ElementsAre("cancel 1.2", "create 1.3 [p/k, ) from 0 id 5",
                                 "create 1.4 [p/k, ) from 0 id 9", "put p/k", "delete p/k",
                                 "delivery to 1.0 1.3 1.4"));
}

TEST_F(PromisesTest, WithoutIdsOfTheClientTheServerChoosesAgain) {
  driver_.missing = {Capability::kClientChosenIds};
  const WatchRef fresh = driver_.Open(kMain, WatchId(9), Revision(5), {"p/k", ""});
  Ask("ids-again", {.fresh = {fresh}});
  EXPECT_THAT(log(), Contains("create 1.1 [p/k, ) from 0 id 0"));
}

TEST_F(PromisesTest, WhatIsWrittenAfterTheCancelsReachesTheLastWatchOnly) {
  driver_.Open(kMain, WatchId(0), Revision(5), {"p/k", ""});
  driver_.Open(kMain, WatchId(1), Revision(5), {"p/l", ""});
  Ask("end-of-watches");
  EXPECT_THAT(log(), ElementsAre("cancel 1.0", "cancel 1.1", "create 1.2 [p/l, ) from 0 id 0",
                                 "put p/k p/l", "delivery to 1.2"));
}

TEST_F(PromisesTest, LeasesAreLeftWhereTheyAreNotOffered) {
  driver_.missing = {Capability::kLeases};
  Ask("leases");
  EXPECT_THAT(log(), IsEmpty());
  EXPECT_THAT(driver_.left, ElementsAre("leases: missing"));
}

}  // namespace
}  // namespace watchproof
