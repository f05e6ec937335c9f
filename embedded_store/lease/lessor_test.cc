// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/lease/lessor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/store_fixture.h"

namespace watchproof::store {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class LessorTest : public testing::Test {
 protected:
  LeaseId Grant(seconds ttl, LeaseId id = kNoLease) {
    const auto granted = lessor_.Grant({.id = id, .ttl = ttl}, now_);
    EXPECT_TRUE(granted.has_value());
    return granted ? granted->id : kNoLease;
  }
  void PutWith(LeaseId lease, const std::string& key) {
    EXPECT_TRUE(store_.Put({.key = key, .value = "v", .lease = lease}).has_value());
  }
  std::vector<std::string> KeysOf(LeaseId id) {
    const auto state = lessor_.Find(id, now_);
    return state ? state->keys : std::vector<std::string>{state.error().message()};
  }
  std::string Refusal(const Result<Granted>& granted) {
    return granted ? "granted" : granted.error().ToString();
  }

  MvccStore store_;
  Lessor lessor_{store_, {}, Prng(1)};
  TimePoint now_ = TimePoint{} + 1h;
};

TEST_F(LessorTest, GrantsARequestedIdOnce) {
  EXPECT_EQ(Grant(10s, 7), 7);
  EXPECT_EQ(Refusal(lessor_.Grant({.id = 7, .ttl = 10s}, now_)), ErrLeaseExists().ToString());
  EXPECT_TRUE(lessor_.Revoke(7).has_value());
  EXPECT_EQ(Grant(10s, 7), 7);
}

TEST_F(LessorTest, ChoosesDistinctPositiveIds) {
  std::set<LeaseId> ids;
  for (int i = 0; i < 100; ++i) ids.insert(Grant(10s));
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_GT(*ids.begin(), 0);
}

TEST_F(LessorTest, RaisesShortTimesAndRefusesImpossibleOnes) {
  for (const seconds ttl : {-5s, 0s, 1s, 2s}) {
    EXPECT_EQ(lessor_.Grant({.ttl = ttl}, now_)->ttl, 2s);
  }
  EXPECT_EQ(lessor_.Grant({.ttl = 9'000'000'000s}, now_)->ttl, 9'000'000'000s);
  EXPECT_EQ(Refusal(lessor_.Grant({.ttl = 9'000'000'001s}, now_)),
            ErrLeaseTtlTooLarge().ToString());
}

TEST_F(LessorTest, ExpiryDeletesAllKeysOfALeaseInOneRevision) {
  const LeaseId expiring = Grant(10s);
  const LeaseId other = Grant(60s);
  PutWith(expiring, "a");  // 2
  PutWith(other, "b");
  PutWith(expiring, "c");  // 4
  EXPECT_EQ(lessor_.ExpireStep(now_), now_ + 10s);
  EXPECT_EQ(lessor_.ExpireStep(now_ + 10s - 1ns), now_ + 10s);
  EXPECT_EQ(store_.current(), Revision{4});
  EXPECT_EQ(lessor_.ExpireStep(now_ + 10s), now_ + 60s);
  EXPECT_THAT(Texts(store_.ReadHistory(Revision{5}, Revision{9}, WithPrevious::kNo).events),
              ElementsAre("delete a@5", "delete c@5"));
  EXPECT_THAT(lessor_.List(), ElementsAre(other));
}

TEST_F(LessorTest, ExpiryWithoutKeysUsesNoRevision) {
  Grant(5s);
  EXPECT_EQ(lessor_.ExpireStep(now_ + 5s), Lessor::kNeverExpires);
  EXPECT_EQ(store_.current(), Revision{1});
}

TEST_F(LessorTest, KeepAliveRestoresTheFullTime) {
  const LeaseId id = Grant(10s);
  EXPECT_EQ(*lessor_.KeepAlive(id, now_ + 9s), 10s);
  EXPECT_EQ(lessor_.ExpireStep(now_ + 10s), now_ + 19s);
  EXPECT_EQ(lessor_.Find(id, now_ + 10s + 1ms)->remaining, 8s);
  EXPECT_EQ(lessor_.ExpireStep(now_ + 19s), Lessor::kNeverExpires);
  EXPECT_EQ(lessor_.KeepAlive(id, now_ + 19s).error().ToString(), ErrLeaseNotFound().ToString());
}

TEST_F(LessorTest, StepsAreBounded) {
  for (std::size_t i = 0; i < Lessor::kMostPerStep + 1; ++i) Grant(5s);
  const TimePoint late = now_ + 1min;
  EXPECT_EQ(lessor_.ExpireStep(late), late);
  EXPECT_EQ(lessor_.List().size(), 1u);
  EXPECT_EQ(lessor_.ExpireStep(late), Lessor::kNeverExpires);
}

TEST_F(LessorTest, RevokeDeletesTheKeysOnce) {
  const LeaseId id = Grant(10s);
  PutWith(id, "a");
  PutWith(id, "b");
  EXPECT_EQ(lessor_.Revoke(id)->revision, Revision{4});
  EXPECT_EQ(lessor_.Revoke(id).error().ToString(), ErrLeaseNotFound().ToString());
  EXPECT_EQ(lessor_.ExpireStep(now_ + 1h), Lessor::kNeverExpires);
  EXPECT_EQ(store_.current(), Revision{4});
}

TEST_F(LessorTest, ListsTheNextToExpireFirst) {
  const LeaseId slow = Grant(30s, 1);
  const LeaseId quick = Grant(10s, 2);
  EXPECT_THAT(lessor_.List(), ElementsAre(quick, slow));
  EXPECT_TRUE(lessor_.KeepAlive(slow, now_ - 29s).has_value());
  EXPECT_THAT(lessor_.List(), ElementsAre(slow, quick));
}

TEST_F(LessorTest, AKeyBelongsToTheLeaseOfItsLastPut) {
  Grant(10s, 1);
  Grant(10s, 2);
  PutWith(1, "k");
  EXPECT_THAT(KeysOf(1), ElementsAre("k"));
  PutWith(2, "k");
  EXPECT_THAT(KeysOf(1), IsEmpty());
  EXPECT_THAT(KeysOf(2), ElementsAre("k"));
  PutWith(kNoLease, "k");
  EXPECT_THAT(KeysOf(2), IsEmpty());
  EXPECT_EQ(lessor_.Revoke(1)->deleted, 0);
  EXPECT_EQ(ReadAll(store_, Revision{0}).size(), 1u);
}

TEST_F(LessorTest, IgnoreLeaseKeepsTheLease) {
  Grant(10s, 1);
  PutWith(1, "k");
  ASSERT_TRUE(store_.Put({.key = "k", .value = "new", .ignore_lease = true}).has_value());
  EXPECT_THAT(KeysOf(1), ElementsAre("k"));
  EXPECT_EQ(store_.Range({.range = KeyRange::Single("k")})->kvs.at(0).lease, 1);
}

TEST_F(LessorTest, ADeletedKeyHasNoLease) {
  Grant(10s, 1);
  PutWith(1, "k");
  Delete(store_, "k");
  EXPECT_THAT(KeysOf(1), IsEmpty());
  Put(store_, "k", "again");
  EXPECT_EQ(lessor_.ExpireStep(now_ + 10s), Lessor::kNeverExpires);
  EXPECT_EQ(ReadAll(store_, Revision{0}).size(), 1u);
}

TEST_F(LessorTest, TransactionsAttachDetachAndCompare) {
  Grant(10s, 1);
  PutWith(1, "old");
  const TxnOp txn{.compares = {{.range = KeyRange::Single("old"),
                                .target = CompareTarget::kLease,
                                .result = CompareResult::kEqual,
                                .number = 1}},
                  .success = {PutOp{.key = "new", .value = "v", .lease = 1},
                              DeleteOp{.range = KeyRange::Single("old")}}};
  const auto answer = store_.Txn(txn);
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->succeeded);
  EXPECT_THAT(KeysOf(1), ElementsAre("new"));
}

TEST_F(LessorTest, AnUnknownLeaseIsRefusedAndChangesNothing) {
  EXPECT_EQ(store_.Put({.key = "k", .lease = 9}).error().ToString(), ErrLeaseNotFound().ToString());
  const TxnOp txn{.success = {PutOp{.key = "a", .value = "v"}, PutOp{.key = "b", .lease = 9}}};
  EXPECT_EQ(store_.Txn(txn).error().ToString(), ErrLeaseNotFound().ToString());
  EXPECT_EQ(store_.current(), Revision{1});
  EXPECT_THAT(KeysOf(9), ElementsAre(ErrLeaseNotFound().message()));
}

// A lessor and its store over a backend that outlives them.
class StoreAndLessor {
 public:
  StoreAndLessor(Backend& rest, Checkpoints checkpoints, TimePoint now)
      : store(rest), lessor(store, {.checkpoints = checkpoints}, Prng(1)) {
    EXPECT_TRUE(store.Recover().ok());
    EXPECT_TRUE(lessor.Recover(now).ok());
  }
  MvccStore store;
  Lessor lessor;
};

class LessorAfterARestart : public testing::TestWithParam<Checkpoints> {
 protected:
  MemoryBackend rest_{Durable::kYes};
  const TimePoint now_ = TimePoint{} + 1h;
};

TEST_P(LessorAfterARestart, RestoresTheFullTimeOrTheCheckpoint) {
  {
    StoreAndLessor before(rest_, GetParam(), now_);
    ASSERT_TRUE(before.lessor.Grant({.id = 1, .ttl = 100s}, now_).has_value());
    ASSERT_TRUE(before.lessor.Grant({.id = 2, .ttl = 100s}, now_).has_value());
    ASSERT_TRUE(before.store.Put({.key = "k", .lease = 1}).has_value());
    before.lessor.CheckpointStep(now_ + 30s);
    ASSERT_TRUE(before.lessor.KeepAlive(2, now_ + 40s).has_value());
  }
  StoreAndLessor after(rest_, GetParam(), now_);
  const auto left = GetParam() == Checkpoints::kYes ? 70s : 100s;
  EXPECT_EQ(after.lessor.Find(1, now_)->remaining, left);
  EXPECT_EQ(after.lessor.Find(2, now_)->remaining, 100s);  // kept alive since
  EXPECT_THAT(after.lessor.Find(1, now_)->keys, ElementsAre("k"));
  after.lessor.ExpireStep(now_ + left - 1s);
  EXPECT_EQ(after.lessor.List().size(), 2U);
  after.lessor.ExpireStep(now_ + left);
  EXPECT_EQ(ReadAll(after.store, Revision{0}), std::vector<std::string>{});
}

TEST_P(LessorAfterARestart, EndedLeasesStayEnded) {
  {
    StoreAndLessor before(rest_, GetParam(), now_);
    for (const LeaseId id : {1, 2, 3}) {
      ASSERT_TRUE(before.lessor.Grant({.id = id, .ttl = 10s}, now_).has_value());
    }
    ASSERT_TRUE(before.store.Put({.key = "k", .lease = 1}).has_value());
    ASSERT_TRUE(before.lessor.KeepAlive(3, now_ + 5s).has_value());
    ASSERT_TRUE(before.lessor.Revoke(1).has_value());
    before.lessor.ExpireStep(now_ + 10s);
  }
  StoreAndLessor after(rest_, GetParam(), now_);
  EXPECT_THAT(after.lessor.List(), ElementsAre(3));
  EXPECT_EQ(after.store.Put({.key = "k", .lease = 1}).error().ToString(),
            ErrLeaseNotFound().ToString());
}

INSTANTIATE_TEST_SUITE_P(Lessor, LessorAfterARestart,
                         testing::Values(Checkpoints::kNo, Checkpoints::kYes));

TEST(LessorRecovery, NamesADamagedLease) {
  MemoryBackend rest(Durable::kYes);
  for (const char* record : {"", "10", "10 x", "10 11", "-1 0", "10 5 "}) {
    rest.Stage({{Bucket::kLease, "000000000000001f", record}});
    MvccStore store(rest);
    ASSERT_TRUE(store.Recover().ok());
    const Status status = Lessor(store, {}, Prng(1)).Recover(TimePoint{});
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << record;
    EXPECT_THAT(status.message(), testing::HasSubstr("lease 1f")) << record;
  }
  rest.Stage({{Bucket::kLease, "nonsense", "10 0"}});
  EXPECT_EQ(MvccStore(rest).Recover().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace watchproof::store
