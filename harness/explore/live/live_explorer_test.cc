// SPDX-License-Identifier: Apache-2.0
// Exploration of stores in this process: one server after the other, each of them a new one.
#include "harness/explore/live/live_explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <list>

#include "embedded_store/server/store_server.h"
#include "harness/drive/shared/testing/store_in_process.h"

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
  EXPECT_THAT(explorer.RunAlone({Plain()}).value().front().findings, IsEmpty());
  EXPECT_TRUE(Shows(explorer.RunAlone({Filtered()}).value().front().findings, bucket.shape));
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

// Servers side by side, each a store of its own, as many as the explorer starts.
class SideBySide : public testing::Test {
 protected:
  LiveExploreOptions Options(const store::StoreOptions& store) {
    return {.target = {.text = "in-process",
                       .make =
                           [this, store](const TargetSpec& spec) {
                             MutexLock lock(mu_);
                             StoreInProcess& made = stores_.emplace_back(store);
                             if (stores_.size() <= starts_.size()) {
                               made.fails_to_start = starts_[stores_.size() - 1];
                             }
                             if (ends_at_start_) made.ended = ExitState{.code = 1};
                             return made.spec().make(spec);
                           }},
            .folder = [this]() -> Result<fs::path> {
              const fs::path made = folder_ / fmt::format("{}", ++folders_);
              fs::create_directories(made);
              return made;
            },
            .finish =
                [](const fs::path& made, bool keep) {
                  if (!keep) fs::remove_all(made);
                },
            .interrupted = [] { return false; }};
  }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("beside-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::vector<std::vector<Status>> starts_;  // by server
  bool ends_at_start_ = false;
  Mutex mu_;
  std::list<StoreInProcess> stores_;

 private:
  int folders_ = 0;
};

TEST_F(SideBySide, TheFirstRecordingThatIsWorthItIsKept) {
  LiveExplorer explorer(Options({.defects = {"filter-ignored"}}));
  const auto runs =
      explorer.RunAlone({Plain(), Filtered(), Filtered()},
                        [](const LiveExplorer::Findings& findings) { return !findings.empty(); });
  ASSERT_TRUE(runs.has_value());
  ASSERT_THAT(*runs, SizeIs(3));
  EXPECT_THAT((*runs)[0].findings, IsEmpty());
  int kept = 0;
  for (const LiveExplorer::Alone& one : *runs) {
    kept += one.recording.empty() ? 0 : 1;
    if (!one.recording.empty()) {
      EXPECT_TRUE(fs::exists(one.recording));
    }
  }
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

// A script that kills its server has one that keeps its data.
TEST_F(SideBySide, AScriptWithARestartIsRunOnADisk) {
  LiveExplorer explorer(Options({}));
  const auto runs = explorer.RunAlone(
      {{.steps = {Create{.key = "b"}, Put{.key = "b"}, Crash{}, Get{.key = "b"}}}});
  ASSERT_TRUE(runs.has_value());
  EXPECT_THAT(runs->front().findings, IsEmpty());
  EXPECT_EQ(stores_.front().kills, 1);
}

TEST_F(SideBySide, AFindingIsMadeSmaller) {
  LiveExplorer explorer(Options({.defects = {"filter-ignored"}}));
  const auto shown = explorer.RunAlone({Filtered()});
  ASSERT_TRUE(shown.has_value());
  ASSERT_FALSE(shown->front().findings.empty());
  const Bucket bucket{.shape = ShapeOf(shown->front().findings.front()),
                      .examples = {{.script = Plain()}, {.script = Filtered()}}};
  const auto smallest = explorer.Shrink(bucket);
  ASSERT_TRUE(smallest.has_value() && smallest->has_value());
  EXPECT_LT((*smallest)->steps.size(), Filtered().steps.size());
  EXPECT_TRUE(Has<Create>(**smallest));
  EXPECT_EQ((*smallest)->server, Server());
}

// As long as some server runs, one that is late is only counted.
TEST_F(SideBySide, AServerThatIsLateIsLeftOut) {
  const Status late(StatusCode::kDeadlineExceeded, "it did not answer in time");
  starts_ = {{}, {late}, {late}, {late}, {}};
  LiveExplorer explorer(Options({}));
  int asked = 0;
  while (explorer.counts().servers < 2) {
    ASSERT_TRUE(explorer.Explore(60s, 1, [&asked] { return ++asked < 2; }).ok());
  }
  EXPECT_EQ(explorer.counts().late, 1U);
  EXPECT_EQ(explorer.counts().servers, 2U);
  EXPECT_EQ(explorer.counts().scripts, 2U);
}

TEST_F(SideBySide, WithoutAnyServerThereIsNothingToExplore) {
  starts_.assign(9, {Status(StatusCode::kDeadlineExceeded, "it did not answer in time")});
  LiveExplorer explorer(Options({}));
  EXPECT_EQ(explorer.Explore(60s, 1, [] { return true; }).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(explorer.counts().late, 1U);
}

TEST_F(SideBySide, AServerThatEndsAtItsStartIsAnError) {
  starts_ = {{Status(StatusCode::kInternal, "its data are damaged")}};
  LiveExplorer explorer(Options({}));
  EXPECT_EQ(explorer.Explore(60s, 1, [] { return true; }).code(), StatusCode::kInternal);
  EXPECT_EQ(explorer.counts().servers, 0U);
  // What it left is kept, to be looked into.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(SideBySide, ExploresUntilThereIsEnough) {
  LiveExploreOptions options = Options({});
  options.covering = false;
  LiveExplorer explorer(options);
  int asked = 0;
  ASSERT_TRUE(explorer
                  .Explore(60s, 12,
                           [&asked] {
                             ++asked;
                             return false;
                           })
                  .ok());
  EXPECT_EQ(asked, 1);  // the servers that run then are finished
  EXPECT_LE(explorer.counts().scripts, 12U);
  EXPECT_GE(explorer.counts().servers, 1U);
  EXPECT_THAT(explorer.buckets(), IsEmpty());
  EXPECT_GT(explorer.corpus().features(), 0U);
}

}  // namespace
}  // namespace watchproof::explore
