// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/etcd_version.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(EtcdVersion, IsFoundBehindOtherLines) {
  EXPECT_EQ(EtcdVersionIn("etcd Version: 3.4.23\nGit SHA: x\n"), "3.4.23");
  EXPECT_EQ(EtcdVersionIn("etcd Version: 3.5.0"), "3.5.0");
  EXPECT_EQ(EtcdVersionIn("2024/01/01 WARNING: proto: file \"x\" is already registered\n"
                          "see https://example.org/etcd Version: no\n\n"
                          "etcd Version: 3.4.44\r\nGo Version: go1.24\n"),
            "3.4.44");
  EXPECT_EQ(EtcdVersionIn("kine version v1\n"), std::nullopt);
  EXPECT_EQ(EtcdVersionIn("see etcd Version: 3\n"), std::nullopt);
  EXPECT_EQ(EtcdVersionIn(""), std::nullopt);
}

}  // namespace
}  // namespace watchproof
