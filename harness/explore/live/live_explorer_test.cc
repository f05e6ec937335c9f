// SPDX-License-Identifier: Apache-2.0
// Exploration of stores in this process: one server after the other, each of them a new one.
#include "harness/explore/live/live_explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/server/store_server.h"

namespace watchproof::explore {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

class LiveExplorerTest : public testing::Test {
 protected:
  void Serve(const std::vector<std::string>& defects = {}) {
    defects_ = defects;
    Restart(0);
    const std::string endpoint = store_->endpoint();
    port_ = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  }
  void Restart(int port) {
    store_.reset();
    store_ = store::StoreServer::Start({.port = port, .http_port = 0, .defects = defects_}).value();
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Explores these scripts.
  LiveExploreOptions Options(std::vector<Script> scripts) {
    scripts_ = std::move(scripts);
    return {.target = ParseTargetSpec("endpoint:" + store_->endpoint()).value(),
            .folder = [this]() -> Result<fs::path> {
              const fs::path made = folder_ / fmt::format("{}", ++servers_);
              fs::create_directories(made);
              Restart(port_);
              return made;
            },
            .finish =
                [](const fs::path& made, bool keep) {
                  if (!keep) fs::remove_all(made);
                },
            .interrupted = [this] { return interrupted_; },
            .source = [this]() -> std::optional<Script> {
              if (given_ == scripts_.size()) return std::nullopt;
              return scripts_[given_++];
            }};
  }
  // One script on each server.
  void Explore(LiveExplorer& explorer) {
    while (given_ < scripts_.size() && !interrupted_) {
      ASSERT_TRUE(explorer.Explore(60s, 1, [] { return true; }).ok());
    }
  }

  std::unique_ptr<store::StoreServer> store_;
  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("explorer-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::vector<Script> scripts_;
  std::size_t given_ = 0;
  std::vector<std::string> defects_;
  int port_ = 0;
  int servers_ = 0;
  bool interrupted_ = false;
};

Script Plain() { return {.steps = {Create{.end = "*"}, Put{.key = "b"}, Delete{.key = "b"}}}; }
Script Filtered() {
  return {
      .server = {.progress_ms = 100},
      .steps = {Put{.key = "a0", .times = 3}, Create{.end = "*", .options = {.no_delete = true}},
                Put{.key = "b"}, AskProgress{}, Delete{.key = "b"}, Put{.key = "a0"}}};
}

TEST_F(LiveExplorerTest, ARightStoreShowsNothing) {
  Serve();
  LiveExplorer explorer(Options({Plain(), Filtered(), Plain()}));
  Explore(explorer);
  EXPECT_THAT(explorer.buckets(), IsEmpty());
  EXPECT_EQ(explorer.counts().scripts, 3U);
  EXPECT_EQ(explorer.counts().servers, 3U);
  EXPECT_GT(explorer.counts().steps, 9U);
  EXPECT_EQ(explorer.counts().undecided, 0U);
  EXPECT_FALSE(explorer.version().empty());
  // Nothing is kept of what showed nothing.
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LiveExplorerTest, WhatIsFoundShowsAgainAlone) {
  Serve({"filter-ignored"});
  LiveExplorer explorer(Options({Plain(), Filtered()}));
  Explore(explorer);
  ASSERT_THAT(explorer.buckets(), SizeIs(1));
  const Bucket bucket = explorer.buckets().front();
  EXPECT_EQ(Name(bucket.broken().guarantee), "Filtered");
  EXPECT_EQ(bucket.first, 2U);
  EXPECT_TRUE(explorer.Shown(bucket.shape));
  EXPECT_TRUE(fs::exists(bucket.examples.front().recording));
  EXPECT_THAT(explorer.RunAlone({Plain()}).value().front(), IsEmpty());
  EXPECT_TRUE(Shows(explorer.RunAlone({Filtered()}).value().front(), bucket.shape));
}

TEST_F(LiveExplorerTest, WhatIsNotShownAloneIsNotMadeSmaller) {
  Serve();
  LiveExplorer explorer(Options({}));
  const Bucket bucket{.shape = "Ordered: events in order", .examples = {{.script = Plain()}}};
  const auto smallest = explorer.Shrink(bucket);
  ASSERT_TRUE(smallest.has_value());
  EXPECT_FALSE(smallest->has_value());
}

TEST_F(LiveExplorerTest, NothingBeginsOnceItIsInterrupted) {
  Serve();
  LiveExplorer explorer(Options({Plain(), Plain()}));
  interrupted_ = true;
  EXPECT_TRUE(explorer.Explore(60s, 1, [] { return true; }).ok());
  EXPECT_EQ(explorer.counts().scripts, 0U);
  EXPECT_EQ(given_, 0U);
}

}  // namespace
}  // namespace watchproof::explore
