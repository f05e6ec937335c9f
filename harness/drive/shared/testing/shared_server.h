// SPDX-License-Identifier: Apache-2.0
// A store in this process, the server of scripts on it, and what its recording holds.
//
//   SharedServer shared({.defects = {"filter-ignored"}});
//   const Script carried_out = shared.Run({Create{.end = "*"}, Put{.key = "b"}});
//   const LiveVerdict verdict = shared.Finish();
//
// With `durable` it keeps its data, and is restarted. Threads: Run from any, the rest from one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/drive/shared/live_script.h"
#include "harness/drive/shared/testing/store_in_process.h"
#include "harness/history/reader.h"
#include "harness/history/wire.h"

namespace watchproof::explore {

class SharedServer {
 public:
  explicit SharedServer(const store::StoreOptions& store = {}, LiveServerOptions options = {}) {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("shared-" + test);
    std::filesystem::create_directories(folder_);
    store_ = std::make_unique<StoreInProcess>(store);
    options.target = store_->spec();
    options.folder = folder_;
    options.patience = options.certainty = 500ms;
    server_ = LiveServer::Start(options).value();
  }
  ~SharedServer() {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  // What was carried out.
  Script Run(const std::vector<Step>& steps, std::uint32_t number = 1,
             const LiveScript::Draws& draws = {}) {
    LiveClient client;
    const Script script{.steps = steps};
    LiveScript run(*server_, client, script, number, draws, Prng(number));
    run.Run();
    for (const auto& [asked, refused] : run.not_done()) not_done.emplace_back(asked);
    return run.carried_out();
  }
  LiveVerdict Finish() { return server_->Finish(); }
  std::vector<std::string> not_done;  // of all scripts
  LiveServer& server() { return *server_; }
  StoreInProcess& store() { return *store_; }

  // Every entry of the recording, after Finish.
  void EachEntry(const std::function<void(const Entry&)>& visit) const {
    const auto reader = HistoryReader::Open(folder_ / "history.wire.zst").value();
    const Status read = reader->Each([&visit](const NumberedEntry& line) {
      visit(line.entry);
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.message();
  }
  struct Asked {
    StreamId stream{};
    WatchCreate watch{};
  };
  // Every watch that was asked for.
  std::vector<Asked> Creates() const {
    std::vector<Asked> creates;
    EachEntry([&creates](const Entry& entry) {
      if (entry.kind != EntryKind::kRequestSent) return;
      WatchRequestView request;
      if (!Parse(entry.payload.view(), request).ok() || request.kind != WatchRequestKind::kCreate) {
        return;
      }
      creates.push_back({entry.stream,
                         {.key = std::string(request.create.key),
                          .range_end = std::string(request.create.range_end),
                          .start = Revision(request.create.start_revision)}});
    });
    return creates;
  }
  std::vector<std::int64_t> StartsOf(const std::string& key) const {
    std::vector<std::int64_t> starts;
    for (const Asked& one : Creates()) {
      if (one.watch.key == key) starts.push_back(one.watch.start.value);
    }
    return starts;
  }
  // What the clients of the calls are called, each once, in order.
  std::vector<std::string> Clients() const {
    std::vector<std::string> names;
    EachEntry([&names](const Entry& entry) {
      if (entry.kind != EntryKind::kCallStarted || entry.text.empty()) return;
      if (std::ranges::count(names, entry.text) == 0) names.push_back(entry.text);
    });
    return names;
  }
  // How often a call was made by scripts.
  std::ptrdiff_t CallsOf(Method method) const {
    std::ptrdiff_t calls = 0;
    EachEntry([&](const Entry& entry) {
      const bool own = entry.kind == EntryKind::kCallStarted && ScriptOfClient(entry.text) > 0;
      calls += own && entry.method == method ? 1 : 0;
    });
    return calls;
  }
  // The annotations of a kind.
  template <typename Kind>
  std::vector<Kind> Stated() const {
    std::vector<Kind> all;
    EachEntry([&all](const Entry& entry) {
      if (entry.kind != EntryKind::kAnnotation) return;
      const auto annotation = ParseAnnotation(entry.text);
      if (!annotation.has_value()) return;
      if (const auto* one = std::get_if<Kind>(&*annotation)) all.push_back(*one);
    });
    return all;
  }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<StoreInProcess> store_;
  std::unique_ptr<LiveServer> server_;
};

}  // namespace watchproof::explore
