// SPDX-License-Identifier: Apache-2.0
// Clients that call the store concurrently, each on its own thread and connection.
//
//   Load load(context, {endpoint}, step, {});                      // the clients begin at once
//   environment.PumpUntil([&] { return load.done(); }, Within(30s));
//   load.Stop();                                                   // blocks until no call is open
//
// The calls are drawn from the step's seed, client by client; how the calls of different clients
// overlap depends on the machine. Each call and its answer is in the recording. A client continues
// after a call without an answer.
//
// Threads: one per client, which touch nothing but the recording and a few counters; all else is
// for the thread that made the load. Ownership: refers to the context.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/prng.h"
#include "harness/client/kv_client.h"
#include "harness/driver/plan.h"

namespace watchproof {

// How the clients call the target.
struct LoadAccess {
  WriteForm writes = WriteForm::kPlain;
  std::string token = {};  // if the target has users
};

class Load {
 public:
  // The key of the step is that on the target. Requires: an endpoint. The clients are spread over
  // the endpoints.
  Load(RecordingContext& context, std::vector<std::string> endpoints, const LoadStep& step,
       LoadAccess access);
  ~Load() { Stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  bool done() const { return finished_ == threads_.size(); }
  // Calls that have ended so far, and those of them without an answer.
  std::size_t ended() const { return ended_; }
  std::size_t lost() const { return lost_; }
  // The highest revision in an answer so far.
  Revision highest() const { return Revision(highest_); }
  // No further call begins. Idempotent.
  void Stop();

 private:
  void Run(std::size_t client);
  Result<Revision> CallOnce(KvClient& client, Prng& prng) const;

  RecordingContext& context_;
  const std::vector<std::string> endpoints_;
  const LoadStep step_;
  const LoadAccess access_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> finished_ = 0;
  std::atomic<std::size_t> ended_ = 0;
  std::atomic<std::size_t> lost_ = 0;
  std::atomic<std::int64_t> highest_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace watchproof
