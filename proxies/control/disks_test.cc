// SPDX-License-Identifier: Apache-2.0
// The part of the control API that is about disks, without sockets: control_test.cc has those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "proxies/control/control_api.h"

namespace watchproof::proxy {
namespace {

using ::testing::HasSubstr;

// No proxies: nothing here asks for one.
class NoProxies final : public ProxyRegistry {
 public:
  Result<ProxyId> Open(const ProxyOptions&) override { return None(); }
  void Close(ProxyId) override {}
  std::string endpoint(ProxyId) const override { return {}; }
  std::vector<ConnectionInfo> Connections(ProxyId) const override { return {}; }
  Result<EffectId> Arm(ProxyId, const EffectSpec&) override { return None(); }
  Result<Receipt> Heal(EffectId) override { return None(); }
  void HealAll() override {}
  Result<EffectState> Find(EffectId) override { return None(); }
  std::vector<EffectState> Effects() override { return {}; }

 private:
  static Status None() { return Fail(StatusCode::kNotFound, "none"); }
};

// Without a program on it.
class IdleDisk final : public ControlledDisk {
 public:
  explicit IdleDisk(std::unique_ptr<Disk> disk) : disk_(std::move(disk)) {}
  Disk& disk() override { return *disk_; }
  Status FailPower(const Kept& kept) override {
    if (kept.torn) return Fail(StatusCode::kFailedPrecondition, "not now");
    losses_.push_back({.writes = 1, .bytes = 2, .lines = {"a: 1 write, 2 bytes"}});
    chance_ = kept.chance;
    return {};
  }
  std::vector<Loss> losses() const override { return losses_; }
  double chance() const { return chance_; }

 private:
  const std::unique_ptr<Disk> disk_;
  std::vector<Loss> losses_;
  double chance_ = 0;
};

class ControlDisks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("disks_{}", getpid());
    std::filesystem::create_directories(folder_);
    auto opened = Disk::Open({.folder = folder_, .classes = {{"log", "wal/*"}}});
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    disk_ = std::make_unique<IdleDisk>(std::move(opened).value());
    api_ = std::make_unique<ControlApi>(proxies_, Prng(1), ControlledDisks{{"front", disk_.get()}});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Json Ask(const std::string& method, const std::string& target, unsigned code,
           const std::string& body = "") {
    const ApiAnswer answer = api_->Handle({method, target, body});
    EXPECT_EQ(answer.code, code) << answer.body;
    return Json::parse(answer.body, nullptr, false);
  }
  std::string Error(const std::string& method, const std::string& target, unsigned code,
                    const std::string& body = "") {
    return Ask(method, target, code, body).value("error", "");
  }

  std::filesystem::path folder_;
  NoProxies proxies_;
  std::unique_ptr<IdleDisk> disk_;
  std::unique_ptr<ControlApi> api_;
};

TEST_F(ControlDisks, ListsThemWithTheirCounts) {
  const Json disk = Ask("GET", "/disks", 200).at("front");
  EXPECT_EQ(disk.at("folder"), std::filesystem::canonical(folder_).string());
  EXPECT_EQ(disk.at("counts").at("log").at("sync"), 0);
  EXPECT_EQ(disk.at("counts").at("other files").at("bytes"), 0);
  EXPECT_EQ(Ask("GET", "/disks/front", 200), disk);
}

TEST_F(ControlDisks, ArmsAndHealsEffects) {
  const Json armed = Ask("POST", "/disks/front/effects", 201,
                         R"({"kind": "slow", "parameters": {"files": "log", "hold": "5ms"}})");
  EXPECT_EQ(armed.at("armed"), true);
  EXPECT_EQ(armed.at("receipt").at("covered"), 0);
  EXPECT_EQ(Ask("GET", "/disks/front/effects/1", 200), armed);
  EXPECT_EQ(Ask("DELETE", "/disks/front/effects/1", 200).at("armed"), false);
  Ask("POST", "/disks/front/effects", 201, R"({"kind": "failing"})");
  Ask("POST", "/reset", 204);
  const Json all = Ask("GET", "/disks/front/effects", 200);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].at("armed"), false);
}

TEST_F(ControlDisks, PowerFailuresAreListedOnceTheyHaveCome) {
  EXPECT_EQ(Ask("POST", "/disks/front/power-failure", 202).at("power_failures_before"), 0);
  Ask("POST", "/disks/front/power-failure", 202, R"({"keep": 50})");
  EXPECT_EQ(disk_->chance(), 0.5);
  const Json failures = Ask("GET", "/disks/front", 200).at("power_failures");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].at("lines")[0], "a: 1 write, 2 bytes");
}

TEST_F(ControlDisks, ErrorsNameWhatWasExpected) {
  EXPECT_THAT(Error("GET", "/disks/back", 404), HasSubstr("disk not found"));
  EXPECT_THAT(Error("POST", "/disks/front/effects", 404, R"({"kind": "slwo"})"),
              HasSubstr("crash-point, failing, forgetful, full, slow"));
  EXPECT_THAT(Error("POST", "/disks/front/effects", 400,
                    R"({"kind": "slow", "parameters": {"hold": "long"}})"),
              HasSubstr("duration"));
  EXPECT_THAT(Error("POST", "/disks/front/effects", 400, "[]"), HasSubstr("JSON object"));
  EXPECT_THAT(Error("DELETE", "/disks/front/effects/7", 404), HasSubstr("no effect 7"));
  EXPECT_THAT(Error("GET", "/disks/front/effects/x", 400), HasSubstr("not the number"));
  EXPECT_THAT(Error("POST", "/disks/front/power-failure", 400, R"({"keep": 101})"),
              HasSubstr("at most 100"));
  EXPECT_THAT(Error("POST", "/disks/front/power-failure", 409, R"({"torn": true})"),
              HasSubstr("not now"));
  EXPECT_THAT(Error("DELETE", "/disks/front", 405), HasSubstr("GET"));
}

}  // namespace
}  // namespace watchproof::proxy
