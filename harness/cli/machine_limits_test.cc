// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/machine_checks.h"

#include <gtest/gtest.h>

#include <fstream>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

class MachineLimitsTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  void Write(const std::string& file, const std::string& text) {
    fs::create_directories((dir_ / file).parent_path());
    std::ofstream(dir_ / file) << text;
  }
  MachineLimits Limits() { return LimitsIn(dir_ / "cgroup", dir_ / "membership"); }
  const fs::path dir_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MachineLimitsTest, NothingReadableLimitsNothing) {
  EXPECT_FALSE(Limits().cores.has_value());
  EXPECT_FALSE(Limits().bytes.has_value());
}

TEST_F(MachineLimitsTest, TheTightestOfAGroupAndItsParentsCounts) {
  Write("membership", "1:name=x:/other\n0::/slice/unit\n");
  Write("cgroup/slice/unit/cpu.max", "max 100000\n");
  Write("cgroup/slice/unit/memory.max", "4096\n");
  Write("cgroup/slice/cpu.max", "150000 100000\n");
  Write("cgroup/slice/memory.max", "max\n");
  Write("cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_EQ(Limits().cores, 1.5);
  EXPECT_EQ(Limits().bytes, 4096u);
}

TEST_F(MachineLimitsTest, AContainerSeesItsOwnGroupAsTheRoot) {
  Write("membership", "0::/\n");
  Write("cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(Limits().cores, 0.5);
}

TEST_F(MachineLimitsTest, VersionOneHasItsOwnFilesAndNumbers) {
  Write("cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  Write("cgroup/cpu/cpu.cfs_period_us", "100000\n");
  Write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limits().cores, 2.0);
  EXPECT_FALSE(Limits().bytes.has_value());
  Write("cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(Limits().cores.has_value());
}

}  // namespace
}  // namespace watchproof
