// SPDX-License-Identifier: Apache-2.0
// Which script may disturb a cluster, and when: on a single server, on which no disturbance takes
// effect.
#include "harness/drive/shared/disturbances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "harness/drive/shared/testing/shared_server.h"

namespace watchproof::explore {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Disturb kLead{Disturb::How::kLead, 1};

TEST(Disturbances, AMemberThatIsNoneIsNotDisturbed) {
  SharedServer shared;
  Disturbances& events = shared.server().events();
  EXPECT_THAT(events.Begin(1, {Disturb::How::kIsolate, 2}).error().message(),
              HasSubstr("no member 2"));
  std::uint64_t count = 0;
  EXPECT_THAT(events.Since(count), IsEmpty());
  EXPECT_THAT(events.happened(), IsEmpty());
  EXPECT_TRUE(events.End(1).ok());
}

// One that was on its way meanwhile may have met it.
TEST(Disturbances, ACallMayMeetWhatBeganAfterIt) {
  SharedServer shared;
  Disturbances& events = shared.server().events();
  const std::uint64_t before = events.Now();
  EXPECT_FALSE(events.DisturbedSince(before));
  EXPECT_TRUE(events.Begin(1, kLead).value());  // it leads already, as there is no other member
  EXPECT_TRUE(events.DisturbedSince(before));
  EXPECT_FALSE(events.DisturbedSince(events.Now()));
  EXPECT_TRUE(events.ReachesOthers(1));
  std::uint64_t count = 0;
  EXPECT_THAT(events.Since(count), SizeIs(1));
  EXPECT_THAT(events.Since(count), IsEmpty());
  EXPECT_EQ(events.over(), 1U);
}

TEST(Disturbances, NothingBeginsInPeace) {
  SharedServer shared;
  Disturbances& events = shared.server().events();
  auto peace = std::make_unique<Disturbances::Peace>(events);
  const auto begun = events.Begin(1, kLead);
  ASSERT_TRUE(begun.has_value());
  EXPECT_FALSE(*begun);
  EXPECT_EQ(events.over(), 0U);
  peace.reset();
  EXPECT_TRUE(events.Begin(1, kLead).value());
  EXPECT_EQ(events.over(), 1U);
}

TEST(Disturbances, WhoeverWaitsComesToAnEnd) {
  SharedServer shared;
  Disturbances& events = shared.server().events();
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> begun = 0;
  for (std::uint32_t script = 1; script <= 6; ++script) {
    threads.emplace_back([&events, &begun, script] {
      for (int i = 0; i < 20; ++i) {
        if (script % 2 == 0) begun += events.Begin(script, kLead).value() ? 1 : 0;
        const Disturbances::Peace peace(events);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(events.over(), begun);
  EXPECT_GT(begun, 0U);
}

}  // namespace
}  // namespace watchproof::explore
