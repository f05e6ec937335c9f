// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/lease/lease_thread.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "embedded_store/mvcc/store_fixture.h"

namespace watchproof::store {
namespace {

class LeaseThreadTest : public testing::Test {
 protected:
  LeaseThreadTest() {
    store_.OnCommitsSafe([this] { commits_.release(); });
    EXPECT_TRUE(lessor_.Grant({.id = 1, .ttl = 1h}, Clock::now()).has_value());
    EXPECT_TRUE(store_.Put({.key = "long", .lease = 1}).has_value());  // 2
    EXPECT_EQ(AwaitCommit(), Revision{2});
  }
  // The revision after one more commit; none if there was none.
  std::optional<Revision> AwaitCommit() {
    if (!commits_.try_acquire_for(10s)) return std::nullopt;
    return store_.current();
  }

  MvccStore store_;
  Lessor lessor_{store_, {.shortest = std::chrono::seconds(0)}, Prng(1)};
  std::counting_semaphore<> commits_{0};
};

TEST_F(LeaseThreadTest, EndsWhatIsOverdueAlready) {
  ASSERT_TRUE(lessor_.Grant({.id = 2, .ttl = 1h}, Clock::now() - 1h).has_value());
  ASSERT_TRUE(store_.Put({.key = "k", .lease = 2}).has_value());
  EXPECT_EQ(AwaitCommit(), Revision{3});
  LeaseThread thread(lessor_);
  EXPECT_EQ(AwaitCommit(), Revision{4});
  EXPECT_EQ(lessor_.List(), std::vector<LeaseId>{1});
}

TEST_F(LeaseThreadTest, AGrantThatEndsSoonerWakesIt) {
  LeaseThread thread(lessor_);
  // Whether it still runs its first step or sleeps until the long one ends: it must look again.
  const TimePoint now = Clock::now();
  ASSERT_TRUE(lessor_.Grant({.id = 2, .ttl = 1h}, now).has_value());
  ASSERT_TRUE(store_.Put({.key = "k", .lease = 2}).has_value());
  EXPECT_EQ(AwaitCommit(), Revision{3});
  ASSERT_TRUE(lessor_.KeepAlive(2, now - 1h).has_value());  // its time was over long ago
  thread.Granted();
  EXPECT_EQ(AwaitCommit(), Revision{4});
}

TEST_F(LeaseThreadTest, StopsWhileNothingIsDue) {
  LeaseThread thread(lessor_);
  thread.Stop();
  thread.Stop();
}

}  // namespace
}  // namespace watchproof::store
