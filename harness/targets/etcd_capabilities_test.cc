// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/etcd_capabilities.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(CapabilitiesOfEtcd, AreThoseOfItsApi) {
  for (const char* version : {"3.4.0", "3.5.16", "3.6.0-rc.1", "3.10.1"}) {
    const Stated stated = CapabilitiesOfEtcd(version);
    EXPECT_TRUE(stated.offered.contains(Capability::kProgressRequest)) << version;
    EXPECT_TRUE(stated.offered.contains(Capability::kLeases)) << version;
  }
  EXPECT_EQ(CapabilitiesOfEtcd("3.6.16").missing, Capabilities{Capability::kRangeStream});
  EXPECT_TRUE(CapabilitiesOfEtcd("3.5.35").missing.contains(Capability::kDowngrades));
  EXPECT_TRUE(CapabilitiesOfEtcd("3.7.0").offered.contains(Capability::kRangeStream));
  EXPECT_TRUE(CapabilitiesOfEtcd("3.10.1").missing.empty());
  const Stated old = CapabilitiesOfEtcd("3.3.25");
  EXPECT_TRUE(old.offered.contains(Capability::kPreviousValues));
  EXPECT_TRUE(old.missing.contains(Capability::kClientChosenIds));
  EXPECT_TRUE(old.missing.contains(Capability::kNoPasswords));
  for (const char* none : {"", "3", "3.x", "v3.5.0", "4.1.0"}) {
    EXPECT_TRUE(CapabilitiesOfEtcd(none).offered.empty()) << none;
  }
}

}  // namespace
}  // namespace watchproof
