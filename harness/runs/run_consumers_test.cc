// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/consumers/consumer_source.h"

namespace watchproof {
namespace {

TEST(AcceptKnown, WhatTheFoldersOfShippedConsumersSay) {
  std::vector<TargetSpec> targets;
  for (const std::string& name : ShippedConsumers()) {
    targets.push_back(WithConsumer({.text = "embedded", .product = "embedded"}, name));
    targets.push_back(targets.back());
  }
  Expectations expectations = Expectations::BuiltIn();
  const Status accepted = AcceptKnown(targets, expectations);
  ASSERT_TRUE(accepted.ok()) << accepted.message();

  AttemptResult failed{.case_name = "Consumers.ServerBehind",
                       .target = "kube-client on embedded",
                       .verdict = Verdict::kFail};
  failed.findings.push_back({.guarantee = "Recovers"});
  const TargetSpec target =
      WithConsumer({.text = "embedded", .product = "embedded"}, "kube-client");
  EXPECT_EQ(expectations.Apply(target, failed), ExpectationStatus::kKnownFailure);
  EXPECT_THAT(failed.reason, testing::HasSubstr("#139766"));

  failed.findings.push_back({.guarantee = "NoGhost"});
  EXPECT_EQ(expectations.Apply(target, failed), ExpectationStatus::kNewFailure);
}

}  // namespace
}  // namespace watchproof
