// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/api_version.h"

#include <gtest/gtest.h>

namespace watchproof::store {
namespace {

TEST(EtcdVersions, AreReadAndShown) {
  EXPECT_EQ(ParseEtcdVersion("3.7.3"), (EtcdVersion{.major = 3, .minor = 7, .patch = 3}));
  for (const char* wrong : {"", "3", "3.7", "3.7.", "3.7.x", "v3.7.3", "3.7.3-rc.0", "3.-7.3"}) {
    EXPECT_FALSE(ParseEtcdVersion(wrong).has_value()) << wrong;
  }
}

TEST(Downgrades, GoToTheMinorVersionBefore) {
  const ApiVersion version({.major = 3, .minor = 7, .patch = 3});
  for (const char* right : {"3.6", "3.6.0", "3.6.16", "3.6.9-alpha"}) {
    EXPECT_TRUE(version.CheckDowngrade(right).ok()) << right;
  }
  for (const char* wrong : {"3.5", "3.7", "4.0", "3.7.2"}) {
    EXPECT_EQ(version.CheckDowngrade(wrong).message(),
              "etcdserver: invalid downgrade target version")
        << wrong;
  }
  for (const char* none : {"", "x", "3", "3.x", "3.6.y", "3.6."}) {
    EXPECT_EQ(version.CheckDowngrade(none).message(),
              "etcdserver: wrong downgrade target version format")
        << none;
  }
  EXPECT_EQ(version.cluster().ToString(), "3.7.0");
  EXPECT_FALSE(version.downgrade().has_value());
}

TEST(Downgrades, AreOneAtATimeUntilCancelled) {
  ApiVersion version({.major = 3, .minor = 7, .patch = 3});
  ASSERT_TRUE(version.EnableDowngrade("3.6").ok());
  EXPECT_EQ(version.cluster().ToString(), "3.6.0");
  EXPECT_EQ(version.server().ToString(), "3.7.3");
  EXPECT_EQ(version.EnableDowngrade("3.5").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(version.EnableDowngrade("3.6").code(), StatusCode::kInvalidArgument);
  version.CancelDowngrade();
  EXPECT_EQ(version.cluster().ToString(), "3.7.0");
  EXPECT_TRUE(version.EnableDowngrade("3.6").ok());
}

}  // namespace
}  // namespace watchproof::store
