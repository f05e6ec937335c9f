// SPDX-License-Identifier: Apache-2.0
#include "harness/history/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/base/prng.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

std::string Event(int revision, std::size_t size = 20) {
  return Message()
      .Nested(11,
              Message().Nested(2, Message().Number(3, revision).Text(5, std::string(size, 'v'))))
      .bytes();
}

std::string Events(int from, int to) {
  std::string events;
  for (int revision = from; revision <= to; ++revision) events += Event(revision);
  return events;
}

// Both sides of a recording at once.
class EventWindowTest : public testing::Test {
 protected:
  // The part of the window, after it was applied and compared.
  WindowPart Consume(const std::string& events) {
    const WindowPart part = index_.Find(written_.view(), events);
    const std::string literal = events.substr(events.size() - part.literal);
    EXPECT_TRUE(written_.Apply(part, literal));
    EXPECT_TRUE(read_.Apply(part, literal));
    EXPECT_EQ(read_.Share(part).view(), events);
    return part;
  }

  EventWindow written_;
  EventWindow read_;
  EventIndex index_;
};

TEST_F(EventWindowTest, StoresEachEventOnceHoweverMessagesAreSplit) {
  EXPECT_EQ(Consume(Events(1, 50)).literal, Events(1, 50).size());
  EXPECT_EQ(Consume(Events(1, 50)).literal, 0U);
  EXPECT_EQ(Consume(Events(20, 30)).literal, 0U);
  EXPECT_EQ(Consume(Events(40, 60)).literal, Events(51, 60).size());
  EXPECT_EQ(Consume(Events(1, 60)).literal, 0U);
}

TEST_F(EventWindowTest, StoresAFilteredSelectionAgain) {
  Consume(Events(1, 9));
  const std::string odd = Event(1) + Event(3) + Event(5);
  EXPECT_EQ(Consume(odd).literal, odd.size());
  EXPECT_EQ(Consume(odd).literal, 0U);
}

TEST_F(EventWindowTest, BeginsAnewWhenItIsFullAndLeavesWhatWasShared) {
  const std::string first = Events(1, 3);
  const WindowPart part = Consume(first);
  const Bytes kept = read_.Share(part);
  const std::string large = Event(4, EventWindow::kSize / 4);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Consume(Event(5 + i, EventWindow::kSize / 4)).fresh);
  EXPECT_TRUE(Consume(large).fresh);
  EXPECT_EQ(kept.view(), first);
  EXPECT_EQ(Consume(first).literal, first.size());
}

TEST_F(EventWindowTest, ComesThroughNoise) {
  Prng prng(7);
  for (int i = 0; i < 2000; ++i) {
    std::string noise(1 + prng.Below(300), '\0');
    for (char& c : noise) c = static_cast<char>(prng.Below(4));
    Consume(prng.Below(2) == 0 ? noise : Event(static_cast<int>(prng.Below(9))) + noise);
  }
}

TEST_F(EventWindowTest, RefusesPartsOfWhatItDoesNotHold) {
  const std::string events = Events(1, 3);
  Consume(events);
  const auto size = static_cast<std::uint32_t>(events.size());
  EXPECT_FALSE(read_.Apply({.at = 1, .size = size}, ""));
  EXPECT_FALSE(read_.Apply({.at = size + 1, .size = 0}, ""));
  EXPECT_FALSE(read_.Apply({.at = 0, .size = 0xffffffff}, ""));
  EXPECT_FALSE(read_.Apply({.at = 0, .size = 3, .literal = 3}, "abc"));  // not at the end
  EXPECT_FALSE(read_.Apply({.at = size, .size = 3, .literal = 2}, "abc"));
  EXPECT_FALSE(read_.Apply({.fresh = true, .at = 0, .size = size}, ""));
}

}  // namespace
}  // namespace watchproof
