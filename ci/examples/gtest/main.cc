// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "harness/gtest/watchproof_gtest.h"

TEST(MyStore, HasTestsOfItsOwn) { EXPECT_EQ(1 + 1, 2); }

int main(int argc, char** argv) {
  watchproof::InitWatchproof(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  // MYSTORE is a target: "command:mystore --listen {host}:{port}" or "endpoint:localhost:2379".
  const char* store = std::getenv("MYSTORE");
  const watchproof::Status registered =
      watchproof::RegisterCases({"--target", store == nullptr ? "embedded" : store});
  if (!registered.ok()) std::cerr << registered.message() << "\n";
  return registered.ok() ? RUN_ALL_TESTS() : 1;
}
