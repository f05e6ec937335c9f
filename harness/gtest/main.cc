// SPDX-License-Identifier: Apache-2.0
// watchproof_gtest: every case as a GoogleTest test. Flags are GoogleTest's and those of
// `watchproof run`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/gtest/watchproof_gtest.h"

int main(int argc, char** argv) {
  watchproof::InitWatchproof(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const watchproof::Status registered = watchproof::RegisterCases({argv + 1, argv + argc});
  if (!registered.ok()) {
    fmt::print(stderr, "watchproof_gtest: {}\n", registered.message());
    return 4;
  }
  return RUN_ALL_TESTS();
}
