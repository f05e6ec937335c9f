// SPDX-License-Identifier: Apache-2.0
// A watch that lasts: opened again from where it was, whenever its stream ends, until it is
// destroyed. What it receives is for those that read along on its path, and goes nowhere else.
//
//   StandingWatch watch({.endpoint = "127.0.0.1:2380", .key = "a", .range_end = "b"});
//
// Threads: one of its own. Ownership: nothing refers to it; the destructor waits for the thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/base/status.h"

namespace watchproof {

struct StandingWatchOptions {
  std::string endpoint;  // HOST:PORT
  std::string key;
  std::string range_end;  // etcd's meaning
  // A header of its requests, by which they are recognised.
  std::string header;
  std::string header_value;
  // Asked on the thread of the watch for the token of each stream, as tokens end; null: none.
  std::function<Result<std::string>()> log_in;
  // Called there, once, when the server refuses the watch, or its user.
  std::function<void(const std::string& why)> on_refused;
};

class StandingWatch {
 public:
  explicit StandingWatch(const StandingWatchOptions& options);
  ~StandingWatch();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
