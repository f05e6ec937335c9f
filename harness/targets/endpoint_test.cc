// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/server/store_server.h"
#include "harness/targets/target.h"

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<Target> Make(const std::string& address,
                             const std::vector<std::string>& allow_disruptive = {}) {
  auto spec = ParseTargetSpec("endpoint:" + address);
  EXPECT_TRUE(spec.has_value()) << spec.error().message();
  spec->allow_disruptive = allow_disruptive;
  return MakeTarget(*spec).value();
}

TEST(EndpointTarget, UsesARunningServerAndLeavesItRunning) {
  const auto server =
      store::StoreServer::Start({.port = 0, .http_port = 0, .etcd_version = "7.8.9"}).value();
  {
    const auto target = Make(server->endpoint());
    ASSERT_TRUE(target->Start({}).ok());
    EXPECT_EQ(target->version(), "7.8.9");
    EXPECT_EQ(target->endpoint().ToString(), server->endpoint());
    EXPECT_TRUE(target->shared());
    EXPECT_FALSE(target->durable());
    EXPECT_EQ(target->Kill().code(), StatusCode::kUnimplemented);
    EXPECT_EQ(target->Restart(Within(1s)).code(), StatusCode::kUnimplemented);
    target->Stop();
    EXPECT_EQ(target->died(), std::nullopt);
  }
  EXPECT_TRUE(Make(server->endpoint())->Start({}).ok());
}

TEST(EndpointTarget, CompactionNeedsPermissionForItsAddress) {
  EXPECT_FALSE(Make("127.0.0.1:2379")->may_compact());
  EXPECT_FALSE(Make("127.0.0.1:2379", {"127.0.0.1:2380", "127.0.0.2:2379"})->may_compact());
  EXPECT_TRUE(Make("127.0.0.1:2379", {"127.0.0.2:1", "127.0.0.1:2379"})->may_compact());
  EXPECT_TRUE(Make("[::1]:2379", {"[::1]:2379"})->may_compact());
}

TEST(EndpointTarget, ErrorNamesTheAddressWithoutAServer) {
  // No server ever listens there.
  const Status refused = Make("127.99.99.99:1")->Start({});
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("127.99.99.99:1"), HasSubstr("already running")));
}

}  // namespace
}  // namespace watchproof
