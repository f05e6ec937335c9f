// SPDX-License-Identifier: Apache-2.0
// The embedded store as a target that is killed and started again in this process, and that does
// what a test says at its start and its end.
//
//   StoreInProcess store({.defects = {"filter-ignored"}});
//   options.target = store.spec();
//   store.fails_to_start = {late, late};
//
// Not thread-safe but for `kills`. Ownership: outlives the targets of its spec.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/server/store_server.h"
#include "harness/targets/probe.h"
#include "harness/targets/target.h"

namespace watchproof::explore {

class StoreInProcess {
 public:
  explicit StoreInProcess(store::StoreOptions options) : options_(std::move(options)) {
    options_.port = options_.http_port = 0;
  }

  TargetSpec spec() {
    return {.text = "in-process", .make = [this](const TargetSpec&) -> Made {
              return std::make_unique<InProcess>(*this);
            }};
  }

  // Where nothing answers, every call would take its whole time limit.
  void ComeBackAfterAll() { EXPECT_TRUE(Run().ok()); }

  // One for each of the next starts, the first and those after a kill.
  std::vector<Status> fails_to_start;
  int starts = 0;
  std::atomic<int> kills = 0;
  // How it ended by itself.
  std::optional<ExitState> ended;

 private:
  using Made = Result<std::unique_ptr<Target>>;

  class InProcess final : public Target {
   public:
    explicit InProcess(StoreInProcess& its) : its_(its) {}
    Status Start(const StartOptions& start) override {
      if (start.durable) its_.options_.data = start.folder / "data";
      return its_.Run();
    }
    Endpoint endpoint() const override { return {its_.options_.host, its_.options_.port}; }
    std::string version() const override { return its_.options_.etcd_version; }
    Result<Metrics> ReadMetrics() override { return Status(StatusCode::kNotFound, "none"); }
    bool durable() const override { return !its_.options_.data.empty(); }
    Status Kill() override {
      ++its_.kills;
      its_.running_.reset();
      return {};
    }
    Status Restart(Deadline, const std::string&) override { return its_.Run(); }
    std::optional<ExitState> died() const override { return its_.ended; }
    std::string LastWords() const override { return "its last words"; }
    void Stop() override { its_.running_.reset(); }

   private:
    StoreInProcess& its_;
  };

  Status Run() {
    ++starts;
    if (!fails_to_start.empty()) {
      const Status next = fails_to_start.front();
      fails_to_start.erase(fails_to_start.begin());
      if (!next.ok()) return next;
    }
    WP_ASSIGN_OR_RETURN(running_, store::StoreServer::Start(options_));
    const std::string at = running_->endpoint();
    options_.port = std::stoi(at.substr(at.rfind(':') + 1));  // and there it comes back
    return {};
  }

  store::StoreOptions options_;
  std::unique_ptr<store::StoreServer> running_;
};

}  // namespace watchproof::explore
