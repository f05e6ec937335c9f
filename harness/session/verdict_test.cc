// SPDX-License-Identifier: Apache-2.0
#include "harness/session/verdict.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

AttemptResult Decided(const Undone& undone, std::vector<std::string> inconclusive = {}) {
  AttemptResult result;
  Decide(result, {}, std::move(inconclusive), undone);
  return result;
}

TEST(Verdict, WhatThisMachineLacksIsNotWhatTheTargetDoesNotOffer) {
  const AttemptResult here = Decided({.not_here = {"etcdutl 3.5.16"}}, {"it is not known"});
  EXPECT_EQ(here.verdict, Verdict::kUnsupported);
  EXPECT_TRUE(here.hindered);
  EXPECT_EQ(here.reason, "this machine lacks etcdutl 3.5.16");
  const AttemptResult both = Decided({.not_offered = {"leases"}, .not_here = {"etcdutl 3.5.16"}});
  EXPECT_EQ(both.verdict, Verdict::kUnsupported);
  EXPECT_FALSE(both.hindered);
  EXPECT_EQ(both.reason, "the target does not offer leases");
  EXPECT_EQ(Decided({}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace watchproof
