// SPDX-License-Identifier: Apache-2.0
#include "harness/session/memory_meter.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

// A fake target and a fake clock.
class MemoryMeterTest : public testing::Test {
 protected:
  MemoryMeterTest() {
    ports_.now = [this] { return now_; };
    ports_.resident_bytes = [this]() -> std::optional<double> {
      ++readings_;
      now_ += reading_takes_;
      return bytes_;
    };
  }
  void SampleAt(Duration now, double bytes) {
    now_ = now;
    bytes_ = bytes;
    meter_.Sample(ports_);
  }

  MemoryMeter meter_;
  FaultPorts ports_;
  Duration now_{};
  Duration reading_takes_{};
  std::optional<double> bytes_ = 1000;
  int readings_ = 0;
};

TEST_F(MemoryMeterTest, ComparesWithMemoryBeforeTheFault) {
  SampleAt(0s, 5000);
  EXPECT_EQ(readings_, 0) << "no fault is armed";
  bytes_ = 1000;
  meter_.Armed("stall", ports_);
  SampleAt(1s, 3000);
  SampleAt(2s, 2000);
  meter_.Healed("stall", ports_);
  SampleAt(3s, 9000);
  const std::vector<Footprint> footprints = meter_.Summary();
  ASSERT_EQ(footprints.size(), 1u);
  EXPECT_EQ(footprints[0].fault, "stall");
  EXPECT_EQ(footprints[0].before, 1000);
  EXPECT_EQ(footprints[0].bytes.count(), 3u) << "the last one when it was healed";
  EXPECT_EQ(footprints[0].bytes.highest(), 3000);
}

TEST_F(MemoryMeterTest, OverlappingFaultsShareReadings) {
  meter_.Armed("stall", ports_);
  SampleAt(1s, 2000);
  meter_.Armed("latency", ports_);
  SampleAt(2s, 4000);
  meter_.Healed("stall", ports_);
  SampleAt(3s, 6000);
  const std::vector<Footprint> footprints = meter_.Summary();
  ASSERT_EQ(footprints.size(), 2u);
  EXPECT_EQ(footprints[0].bytes.highest(), 4000);
  EXPECT_EQ(footprints[1].before, 2000);
  EXPECT_EQ(footprints[1].bytes.highest(), 6000);
}

TEST_F(MemoryMeterTest, SlowReadingsAreRare) {
  meter_.Armed("stall", ports_);
  SampleAt(100ms, 2000);
  EXPECT_EQ(readings_, 1) << "too early";
  reading_takes_ = 1s;
  SampleAt(1s, 2000);
  EXPECT_EQ(readings_, 2);
  SampleAt(11s, 2000);
  EXPECT_EQ(readings_, 2) << "ten times as long as the reading took";
  SampleAt(12s, 2000);
  EXPECT_EQ(readings_, 3);
}

TEST_F(MemoryMeterTest, LeavesOutWhatIsNotKnown) {
  bytes_.reset();
  meter_.Armed("stall", ports_);
  now_ = 1s;
  meter_.Sample(ports_);
  EXPECT_TRUE(meter_.Summary().empty());
}

}  // namespace
}  // namespace watchproof
