// SPDX-License-Identifier: Apache-2.0
// A consumer as a process: takes requests, hands on what it reports. The protocol is that of
// fixtures/consumers/README.md.
//
//   WP_ASSIGN_OR_RETURN(auto consumer, ConsumerProcess::Start({.command = {"./program"}, ...}));
//   WP_RETURN_IF_ERROR(consumer->Ask({.what = "open", .layer = "neighbour", .count = 100}));
//   while (consumer->answered() < 1) ...
//
// Threads: one that reads what it writes, and calls `report`; all else from one thread at a time.
// Ownership: the process ends with this object, and `report` is not called afterwards.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/annotation.h"
#include "harness/process/child_process.h"

namespace watchproof {

struct ConsumerRequest {
  std::string what;  // "open", "go on", "snapshot", "progress"
  std::string layer{};
  int count = 1;
  bool pause = false;
  bool kill = false;
  bool fragments = false;
  std::int64_t revision = 0;
  std::int64_t within_ms = 0;
};

struct ConsumerOptions {
  std::vector<std::string> command;
  std::string endpoint;  // HOST:PORT of the store
  std::string second;    // the same by another way, for consumers with two servers
  std::string prefix;    // of the keys that it follows
  std::filesystem::path log;
  // What it saw, and when by the monotonic clock.
  std::function<void(const ConsumerReport&, TimePoint)> report;
};

class ConsumerProcess {
 public:
  static Result<std::unique_ptr<ConsumerProcess>> Start(ConsumerOptions options);
  ~ConsumerProcess() { Stop(); }
  ConsumerProcess(const ConsumerProcess&) = delete;
  ConsumerProcess& operator=(const ConsumerProcess&) = delete;

  // Does not wait for the answer.
  Status Ask(const ConsumerRequest& request);
  // Requests that are done; to start is the first one.
  int answered() const { return answered_; }
  std::optional<ExitState> exit_state() const { return child_->exit_state(); }
  std::string LastWords() const { return child_->LastWords(); }
  // Idempotent. Blocks until it has ended.
  void Stop();

 private:
  explicit ConsumerProcess(ConsumerOptions options) : options_(std::move(options)) {}
  void ReadLines();
  void TakeLine(std::string_view line);

  const ConsumerOptions options_;
  int ours_ = -1;  // of a pair of sockets, its standard input and output
  std::unique_ptr<ChildProcess> child_;
  std::atomic<int> answered_ = 0;
  std::thread reader_;
};

}  // namespace watchproof
