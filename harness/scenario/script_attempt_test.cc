// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/script_attempt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::HasSubstr;

// Nothing is started or asked.
std::string WhyUnsupported(const TargetSpec& target) {
  const AttemptSpec spec{.case_name = "Explored.X", .target = target.text};
  AttemptResult result;
  RunScript({.steps = {explore::Put{.key = "b"}}}, {.spec = spec, .target = target}, result);
  EXPECT_EQ(result.verdict, Verdict::kUnsupported);
  EXPECT_FALSE(result.target_failed);
  return result.reason;
}

TEST(RunScript, SaysWhatItIsNotFor) {
  const TargetSpec running = ParseTargetSpec("endpoint:127.0.0.1:1").value();
  EXPECT_THAT(WhyUnsupported(running), HasSubstr("which others use"));
  const TargetSpec own = ParseTargetSpec("command:/bin/true {host}:{port}").value();
  TargetSpec followed = own;
  followed.consumer = "client-go";
  EXPECT_THAT(WhyUnsupported(followed), HasSubstr("no consumer"));
}

}  // namespace
}  // namespace watchproof
