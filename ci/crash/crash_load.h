// SPDX-License-Identifier: Apache-2.0
// Clients that write, watch and compact until their server is gone, and record what they received.
//
//   CrashLoad load(endpoint, history, seed);   // begins at once
//   ...kill the server...
//   load.Join();
//   Result<CrashFindings> found = ReadStore(endpoint);   // of the restarted server, without writes
//
// Threads: its own; one object at a time. Ownership: borrows the history. Test code only.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ci/crash/crash_history.h"
#include "harness/base/prng.h"
#include "harness/base/status.h"

namespace watchproof::store {

class CrashLoad {
 public:
  CrashLoad(const std::string& endpoint, CrashHistory& history, const Prng& random);
  ~CrashLoad() { Join(); }
  CrashLoad(const CrashLoad&) = delete;
  CrashLoad& operator=(const CrashLoad&) = delete;

  // Blocks until every client has noticed the end of the server.
  void Join();

 private:
  void Write(int writer, Prng random);
  void Compact(Prng random);
  void Watch();
  void Grant();

  const std::string endpoint_;
  CrashHistory& history_;
  std::atomic<bool> over_{false};  // a client has seen the end
  std::vector<std::thread> threads_;
};

// Blocks until the server answers, at most ten seconds.
Result<CrashFindings> ReadStore(const std::string& endpoint);

}  // namespace watchproof::store
