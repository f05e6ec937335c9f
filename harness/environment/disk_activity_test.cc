// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/disk_activity.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

using proxy::DiskSpanKind;

TEST(DiskActivity, IsInTheTimeOfTheRecording) {
  const TimePoint now(1h);
  const std::vector<DiskActivity> all = ActivityOf(2, {{.name = "log", .patterns = "wal/*"}},
                                                   {{.kind = DiskSpanKind::kSync,
                                                     .from = now - 7ms,
                                                     .until = now - 5ms,
                                                     .count = 3,
                                                     .longest = 1ms,
                                                     .what = "sync of wal/0"},
                                                    {.kind = DiskSpanKind::kLost,
                                                     .from = now - 4ms,
                                                     .until = now,
                                                     .count = 1,
                                                     .bytes = 128,
                                                     .what = "wal/0: 1 write, 128 bytes"}},
                                                   now, 20ms);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(ToText(all[0]),
            R"({"type":"disk_activity","member":2,"kind":"sync","from_us":13000,"until_us":15000,)"
            R"("count":3,"bytes":0,"longest_us":1000,"of":"log","what":"sync of wal/0"})");
  EXPECT_EQ(all[1].until_us, 20000);
  EXPECT_EQ(all[1].bytes, 128);
  EXPECT_EQ(all[1].of, "");
}

TEST(DiskActivity, OfBeforeTheRecordingIsLeftOut) {
  const TimePoint now(1h);
  const std::vector<DiskActivity> all = ActivityOf(
      1, {}, {{.from = now - 9ms, .until = now - 8ms}, {.from = now - 7ms, .until = now - 2ms}},
      now, 5ms);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].from_us, 0);
  EXPECT_EQ(all[0].until_us, 3000);
  EXPECT_EQ(all[0].of, "all files");
}

}  // namespace
}  // namespace watchproof
