// SPDX-License-Identifier: Apache-2.0
// The child that is killed here is this test program again, serving instead of testing.
#include "harness/targets/process_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "embedded_store/server/store_server.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

constexpr const char* kServeAt = "WATCHPROOF_TEST_SERVE_AT";

class TestTarget final : public ProcessTarget {
 public:
  explicit TestTarget(bool durable) : durable_(durable) {}
  Status Start(const StartOptions& options) override {
    return Serve(options, {.executable = OwnExecutable(),
                           .arguments = {"--gtest_filter=ServingChild.*"},
                           .environment = {{kServeAt, options.host}}});
  }
  bool durable() const override { return durable_; }
  static constexpr int kHttp = kHttpPort;

 private:
  Endpoint metrics_endpoint() const override { return {host(), kHttpPort}; }
  const bool durable_;
};

TEST(ServingChild, ServesUntilItIsKilled) {
  const char* const host = std::getenv(kServeAt);
  if (host == nullptr) return;  // not started as a server: nothing to test
  store::StoreOptions options;
  options.host = host;
  options.http_port = TestTarget::kHttp;
  fmt::print(stderr, "serves as {}.\n", getpid());
  const auto server = store::StoreServer::Start(options);
  if (!server.has_value()) std::abort();
  for (;;) pause();
}

class KillOfAProcess : public ::testing::Test {
 protected:
  KillOfAProcess() { std::filesystem::create_directories(folder_); }
  ~KillOfAProcess() override { std::filesystem::remove_all(folder_); }
  Status Start(ProcessTarget& target) {
    return target.Start({.host = host_, .folder = folder_, .deadline = Within(20s)});
  }
  std::string Log() const {
    std::ifstream file(folder_ / "target.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // As the child that was started last has written.
  pid_t Pid() const {
    const std::string log = Log();
    const std::size_t at = log.rfind("serves as ");
    return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + 10);
  }

  // Tests of one executable run at the same time.
  const std::string host_ = fmt::format("127.78.{}.{}", getpid() / 250 % 250, 1 + getpid() % 250);
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-process-{}", getpid());
};

TEST_F(KillOfAProcess, IsNotReportedAsDeathAndAllowsRestart) {
  TestTarget target(true);
  const Status started = Start(target);
  ASSERT_TRUE(started.ok()) << started.message();
  std::ofstream(folder_ / "tmp" / "kept") << "data";
  ASSERT_TRUE(target.Kill().ok());
  EXPECT_EQ(target.died(), std::nullopt);
  EXPECT_FALSE(AskStatus(target.endpoint(), Within(1s)).has_value());
  const Status again = target.Restart(Within(20s));
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(target.died(), std::nullopt);
  EXPECT_TRUE(AskStatus(target.endpoint(), Within(5s)).has_value());
  EXPECT_TRUE(target.ReadMetrics().has_value());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tmp" / "kept"));
  const std::string log = Log();
  EXPECT_NE(log.find("ServingChild"), log.rfind("ServingChild"));  // both wrote to it
  target.Stop();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tmp"));
}

TEST_F(KillOfAProcess, IsDoneWhereItHasGivenUpAsItMay) {
  TestTarget target(true);
  ASSERT_TRUE(Start(target).ok());
  ASSERT_EQ(target.data_files()->folder, folder_ / "tmp");
  target.LetGiveUp(true);
  EXPECT_EQ(target.gave_up(), std::nullopt);
  ASSERT_GT(Pid(), 0);
  ASSERT_EQ(kill(Pid(), SIGABRT), 0);
  const Deadline soon = Within(20s);
  while (!target.gave_up() && !soon.expired()) std::this_thread::yield();
  ASSERT_TRUE(target.gave_up());
  EXPECT_EQ(target.gave_up()->signal, SIGABRT);
  EXPECT_EQ(target.died(), std::nullopt);
  EXPECT_TRUE(target.Kill().ok());
  EXPECT_EQ(target.gave_up(), std::nullopt);
  const Status again = target.Restart(Within(20s));
  ASSERT_TRUE(again.ok()) << again.message();
  target.LetGiveUp(false);
  ASSERT_GT(Pid(), 0);
  ASSERT_EQ(kill(Pid(), SIGABRT), 0);
  while (!target.died() && !soon.expired()) std::this_thread::yield();
  EXPECT_EQ(target.died()->signal, SIGABRT);
  EXPECT_EQ(target.gave_up(), std::nullopt);
  EXPECT_FALSE(target.Kill().ok());
}

TEST_F(KillOfAProcess, IsRejectedForATargetThatIsNotDurable) {
  TestTarget target(false);
  ASSERT_TRUE(Start(target).ok());
  EXPECT_EQ(target.Kill().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(target.Restart(Within(1s)).code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(AskStatus(target.endpoint(), Within(5s)).has_value());
}

}  // namespace
}  // namespace watchproof
