// SPDX-License-Identifier: Apache-2.0
// Defects of the store itself, on and off: the smallest history in which each shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/backend/lmdb_backend.h"
#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/defects/defect_fixture.h"
#include "embedded_store/mvcc/store_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A store of its own with the named defect, or with none.
class DefectiveStore {
 public:
  explicit DefectiveStore(const std::string& defect = {}) : hooks_(With(defect)) {}
  void Put(const std::string& key, const std::string& value = "v") {
    store::Put(store_, key, value);
  }
  void Delete(const std::string& key) {
    ASSERT_TRUE(store_.DeleteRange({.range = KeyRange::Single(key)}).has_value());
  }
  void Compact(std::int64_t floor) {
    ASSERT_TRUE(store_.Compact(Revision{floor}).has_value());
    while (store_.CompactStep()) continue;
  }
  // The events of the end of a lease with two keys, from revision 5 on.
  std::vector<std::string> AfterALease() {
    EXPECT_TRUE(store_.AddLease({.id = 7}).has_value());
    for (const char* key : {"a", "b"}) {
      EXPECT_TRUE(store_.Put({.key = key, .value = "v", .lease = 7}).has_value());
    }
    Put("stays");
    const auto removed = store_.RemoveLease(7);
    EXPECT_TRUE(removed.has_value() && removed->deleted == 2);
    EXPECT_EQ(removed->revision, store_.current());
    return Texts(From(5));
  }
  std::vector<Event> From(std::int64_t revision) {
    return store_.ReadHistory(Revision{revision}, store_.current(), WithPrevious::kYes).events;
  }
  KeyValue Last() { return From(2).back().change->kv; }

 private:
  const Hooks hooks_;
  MvccStore store_{hooks_};
};

std::vector<std::string> FromADeleteAtTheFloor(DefectiveStore store) {
  store.Put("ghost");
  store.Delete("ghost");
  store.Compact(3);
  return Texts(store.From(3));
}
TEST(DeleteAtFloorLost, LosesTheDeletion) {
  EXPECT_THAT(FromADeleteAtTheFloor(DefectiveStore()), ElementsAre("delete ghost@3"));
  EXPECT_THAT(FromADeleteAtTheFloor(DefectiveStore("delete-at-floor-lost")), IsEmpty());
}

TEST(DeleteAtFloorLost, DoesNotAffectAKeyThatWasPutAgain) {
  DefectiveStore store("delete-at-floor-lost");
  store.Put("k", "a");
  store.Delete("k");
  store.Put("k", "b");
  store.Compact(3);
  EXPECT_THAT(Texts(store.From(4)), ElementsAre("put k=b@4"));
}

std::string PreviousOfTheThirdPut(DefectiveStore store) {
  for (const char* value : {"a", "b", "c"}) store.Put("k", value);
  const Event third = store.From(4).front();
  return third.previous ? third.previous->kv.value : "none";
}
TEST(PreviousValueTooOld, IsTheOneBefore) {
  EXPECT_EQ(PreviousOfTheThirdPut(DefectiveStore()), "b");
  EXPECT_EQ(PreviousOfTheThirdPut(DefectiveStore("previous-value-too-old")), "a");
}

// What a client must wait for before it is shown the answer.
Ticket AwaitedByAPut(const std::string& defect) {
  const TemporaryFolder folder;
  const auto backend = LmdbBackend::Open(folder.path()).value();
  const Hooks hooks = With(defect);
  MvccStore store(*backend, hooks);
  const Ticket awaited = store.Put({.key = "k", .value = "v"}).value().ticket;
  backend->Stop();
  return awaited;
}
TEST(AnsweredBeforeSync, WaitsForNothing) {
  EXPECT_GT(AwaitedByAPut(""), Ticket());
  EXPECT_EQ(AwaitedByAPut("answered-before-sync"), Ticket());
}

KeyValue PutTwiceDeletedAndPut(DefectiveStore store) {
  store.Put("k");
  store.Put("k");
  store.Delete("k");
  store.Put("k");
  return store.Last();
}
TEST(Recreation, StartsANewGeneration) {
  const KeyValue kv = PutTwiceDeletedAndPut(DefectiveStore());
  EXPECT_EQ(kv.create, Revision{5});
  EXPECT_EQ(kv.version, 1);
}
TEST(CreateRevisionSurvivesDelete, KeepsOnlyTheCreateRevision) {
  const KeyValue kv = PutTwiceDeletedAndPut(DefectiveStore("create-revision-survives-delete"));
  EXPECT_EQ(kv.create, Revision{2});
  EXPECT_EQ(kv.version, 1);
}
TEST(VersionSurvivesDelete, ContinuesOnlyTheVersion) {
  const KeyValue kv = PutTwiceDeletedAndPut(DefectiveStore("version-survives-delete"));
  EXPECT_EQ(kv.create, Revision{5});
  EXPECT_EQ(kv.version, 3);
}

// Two keys with a lease that ends, and one key that stays.
std::vector<std::string> RevokedLease(DefectiveStore store) { return store.AfterALease(); }
TEST(LeaseExpirySplit, UsesOneRevisionPerKey) {
  EXPECT_THAT(RevokedLease(DefectiveStore()), ElementsAre("delete a@5 was v", "delete b@5 was v"));
  EXPECT_THAT(RevokedLease(DefectiveStore("lease-expiry-split")),
              ElementsAre("delete a@5 was v", "delete b@6 was v"));
}

// How many of so many puts, each alone, are announced.
int Announced(const std::string& defect, int puts) {
  const auto hooks = With(defect);
  MvccStore store(hooks);
  store.OpenFeed();
  int announced = 0;
  store.OnCommitsSafe([&announced] { ++announced; });
  for (int i = 0; i < puts; ++i) Put(store, "k", std::to_string(i));
  EXPECT_EQ(std::ssize(store.TakeCommits()), puts);
  return announced;
}
TEST(WakeupLostSometimes, LosesAboutOneInAThousandAndNoCommit) {
  EXPECT_EQ(Announced("", 10'000), 10'000);
  const int announced = Announced("wakeup-lost-sometimes", 10'000);
  EXPECT_LT(announced, 9'998);
  EXPECT_GT(announced, 9'970);
}

// What a watch from the floor receives after a restart.
std::vector<std::string> FromTheFloorAfterARestart(const std::string& defect) {
  const auto hooks = With(defect);
  MemoryBackend rest(Durable::kYes);
  {
    MvccStore store(rest, hooks);
    Put(store, "ghost");
    Delete(store, "ghost");
    Put(store, "other");
    EXPECT_TRUE(store.Compact(Revision{3}).has_value());
    while (store.CompactStep()) continue;
  }
  MvccStore store(rest, hooks);
  EXPECT_TRUE(store.Recover().ok());
  EXPECT_EQ(store.current(), Revision{4});
  return Texts(store.ReadHistory(Revision{3}, Revision{4}, WithPrevious::kNo).events);
}
TEST(LoneDeleteForgotten, LosesOnlyTheDeletion) {
  EXPECT_THAT(FromTheFloorAfterARestart(""), ElementsAre("delete ghost@3", "put other=v@4"));
  EXPECT_THAT(FromTheFloorAfterARestart("lone-delete-forgotten"), ElementsAre("put other=v@4"));
}

}  // namespace
}  // namespace watchproof::store
