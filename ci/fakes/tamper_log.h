// SPDX-License-Identifier: Apache-2.0
// The log of what a dishonest server broke. Each line is JSON and written at once, because the
// process may be killed.
//
//   TamperLog log(file, {.behaviour = "drops-events", .data = "/tmp/.../store"});
//   log.Tampered({.stream = 3, .key = "a/", .what = "left out an event"});
//
// Threads: any. Ownership: the log owns its file descriptor.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "harness/base/mutex.h"

namespace watchproof::fakes {

struct TamperLine {
  std::uint64_t stream = 0;  // 0: a call
  std::string key{};         // of the first watch of the stream
  std::string what{};
};

class TamperLog {
 public:
  // An empty file name: nothing is written. `data` identifies the process, where several share a
  // file.
  TamperLog(const std::filesystem::path& file, std::string behaviour, std::string data);
  ~TamperLog();
  TamperLog(const TamperLog&) = delete;
  TamperLog& operator=(const TamperLog&) = delete;

  void Tampered(const TamperLine& line);

 private:
  const std::string behaviour_;
  const std::string data_;
  Mutex mu_;
  int descriptor_ GUARDED_BY(mu_) = -1;
  int written_ GUARDED_BY(mu_) = 0;
};

}  // namespace watchproof::fakes
