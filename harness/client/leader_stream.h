// SPDX-License-Identifier: Apache-2.0
// A stream of the leaders of an election, as its server sends them. Each message is recorded as the
// answer to a call that began with the stream, or with the message before.
//
//   LeaderStream leaders(recorder, {.connection = connection, .election = "name", .caller = "a"});
//   if (const auto answer = leaders.latest()) ... Parse(answer->view(), leader) ...
//
// Threads: one of its own; all else is for any. Ownership: the destructor cancels the stream and
// waits for the thread; the recorder must outlive it.
#pragma once

#include <grpcpp/client_context.h>

#include <optional>
#include <string>
#include <thread>

#include "harness/base/bytes.h"
#include "harness/base/mutex.h"
#include "harness/client/connection.h"
#include "harness/history/recorder.h"

namespace watchproof {

struct LeaderStreamOptions {
  Connection connection;
  std::string token{};
  std::string election;
  std::string caller;  // in the recording
};

class LeaderStream {
 public:
  LeaderStream(Recorder& recorder, LeaderStreamOptions options);
  ~LeaderStream();
  LeaderStream(const LeaderStream&) = delete;
  LeaderStream& operator=(const LeaderStream&) = delete;

  // Empty: none has come.
  std::optional<Bytes> latest() const;
  // Why the stream has ended; empty: it has not.
  std::optional<Status> ended() const;

 private:
  void Read();
  void Note(CallId call, const Result<Bytes>& answer);

  Recorder& recorder_;
  const LeaderStreamOptions options_;
  grpc::ClientContext context_;
  mutable Mutex mu_;
  std::optional<Bytes> latest_ GUARDED_BY(mu_);
  std::optional<Status> ended_ GUARDED_BY(mu_);
  std::thread reading_;
};

}  // namespace watchproof
