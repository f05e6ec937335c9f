// SPDX-License-Identifier: Apache-2.0
// One bidirectional watch stream with many watches multiplexed on it.
//
//   WP_ASSIGN_OR_RETURN(auto stream, WatchStream::Open(recorder, {.endpoint = "127.0.0.1:2379"}));
//   const std::uint32_t ordinal = stream->Create({.key = "a", .start = Revision(2)});
//   stream->RequestProgress();
//   stream->StopReading();  ...  stream->ResumeReading();
//   stream->Close();
//
// What arrives goes to the recorder as it came, stamped in the reactor; nothing is decoded or
// decided here. Threads: any may call; requests are sent in the order of the calls, one write in
// flight. Ownership: refers to the recorder. Close cancels the call and waits until gRPC is done
// with it; the destructor closes.
#pragma once

#include <memory>
#include <string>

#include "harness/client/connection.h"
#include "harness/history/recorder.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

struct StreamOptions {
  std::string endpoint{};        // HOST:PORT; opens a connection of its own
  Connection connection{};       // instead: one that others use, too
  std::string path = "proxied";  // "proxied", "direct" or "control", for the recording
  std::string token;             // of a user, if the target has authentication enabled
  bool require_leader = false;   // asks the target to end the stream when it has lost its leader
};

class WatchStream {
 public:
  static Result<std::unique_ptr<WatchStream>> Open(Recorder& recorder,
                                                   const StreamOptions& options);
  ~WatchStream();

  StreamId id() const;
  const Connection& connection() const;
  // Returns the watch's place among the creates of this stream, from 0.
  std::uint32_t Create(const WatchCreate& watch);
  void Cancel(WatchId id);
  void RequestProgress();
  // A request of a kind that no server knows.
  void RequestUnknown();
  // The same with so many bytes that the server must end the stream, which counts as closed by the
  // client from here on.
  void RequestOversized(std::size_t bytes);
  // Ends the sending of requests; the watches stay open.
  void HalfClose();
  // After it returns, at most one more message is taken from gRPC, until ResumeReading.
  void StopReading();
  void ResumeReading();
  // Takes this many more messages while reading is stopped.
  void ReadOn(std::int64_t messages);
  // Idempotent. Blocks until no callback can run any more.
  void Close();

 private:
  class Impl;
  explicit WatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
