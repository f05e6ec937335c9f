// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/wrong_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/scenario/steps/wrong.h"

namespace watchproof {
namespace {

// Calls in which etcd finds nothing wrong: they name nothing, or what there is not is an answer.
constexpr Method kNeverWrong[] = {
    Method::kLeaseLeases, Method::kLeaseTimeToLive, Method::kLeaseKeepAlive, Method::kMemberList,
    Method::kStatus,      Method::kDefragment,      Method::kHash,           Method::kSnapshot,
    Method::kAuthDisable, Method::kAuthStatus,      Method::kUserList,       Method::kRoleList,
    Method::kObserve};

TEST(WrongRequests, EachCallHasOneUnlessNothingCanBeWrongInIt) {
  std::set<Method> asked;
  for (const WrongRequest& one : WrongRequests()) asked.insert(one.method);
  for (std::size_t i = 1; i < std::size(kMethods); ++i) {
    const auto method = static_cast<Method>(i);
    const bool never = std::ranges::count(kNeverWrong, method) > 0;
    EXPECT_NE(asked.contains(method), never) << InfoOf(method).name;
  }
}

TEST(WrongRequests, HaveNamesOfTheirOwnAndCodes) {
  std::set<std::string> names;
  for (const WrongRequest& one : WrongRequests()) {
    EXPECT_TRUE(names.insert(one.name()).second) << one.name();
    EXPECT_FALSE(one.codes.empty()) << one.name();
    EXPECT_EQ(FindWrongRequest(one.name()), &one);
    EXPECT_TRUE((WrongRequestStep{.request = one.name(), .key = "k"}.Check().ok()));
  }
  EXPECT_EQ(FindWrongRequest("put: it is right"), nullptr);
  EXPECT_EQ((WrongRequestStep{.request = "put", .key = "k"}.Check().message()),
            "there is no wrong request 'put'");
}

TEST(WrongRequests, MustBeRefusedByReleasesThatAreKnownTo) {
  const auto must = [](const char* name, const char* version) {
    const WrongRequest* const wrong = FindWrongRequest(name);
    return wrong != nullptr && wrong->MustBeRefusedBy(version);
  };
  const char* const two = "role grant permission: the permission names no key";
  for (const char* version : {"3.3.25", "3.4.24", "3.5.0", "3.5.7"}) {
    EXPECT_FALSE(must(two, version)) << version;
  }
  for (const char* version : {"3.4.25", "3.5.8", "3.6.0", "3.8.0-alpha.0", "another"}) {
    EXPECT_TRUE(must(two, version)) << version;
  }
  EXPECT_FALSE(must("range: there is no such order", "3.5.35"));
  EXPECT_TRUE(must("range: there is no such order", "3.6.0"));
  EXPECT_TRUE(must("range: it names no key", "3.3.25"));
  // As distributions name their builds of etcd.
  EXPECT_FALSE(must("range: there is no such order", "3.5.16-k3s1"));
  EXPECT_FALSE(must("range: there is no such order", "3.5.16+vendor"));
  EXPECT_TRUE(must("range: there is no such order", "3.6.5-k3s1"));
}

}  // namespace
}  // namespace watchproof
