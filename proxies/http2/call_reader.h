// SPDX-License-Identifier: Apache-2.0
// Reads the gRPC calls of one HTTP/2 connection from a copy of its bytes: which were opened, their
// messages, how they ended.
//
//   CallReader reader(visitor);
//   reader.Push(Direction::kToTarget, bytes);     // both directions, from the first byte on
//   if (reader.bad()) ...                         // it cannot be read any further
//   reader.End("the connection is closed");       // ends what is open
//
// Unlike the Follower it holds no bytes back and changes none, so it need not run on the io thread.
//
// Memory: one frame per direction and the beginnings of incomplete messages. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "proxies/core/direction.h"
#include "proxies/grpc/message_finder.h"
#include "proxies/http2/frame.h"
#include "proxies/http2/frame_reader.h"
#include "proxies/http2/header_decoder.h"

namespace watchproof::proxy {

// The numbers of gRPC's status codes that a connection itself gives rise to.
inline constexpr int kGrpcCancelled = 1;
inline constexpr int kGrpcUnknown = 2;
inline constexpr int kGrpcUnavailable = 14;

struct CallEnd {
  int code = kGrpcUnknown;
  std::string text = {};
  bool by_client = false;  // which no longer wants it
};

class CallVisitor {
 public:
  virtual ~CallVisitor() = default;
  // Whether the call is wanted; of others nothing follows. `opened_by` is the value of
  // kOpenedByHeader, which a client of the observer's own sends.
  virtual bool OnOpened(FrameStream call, std::string_view path, std::string_view opened_by) = 0;
  // A whole message. The view is valid for this call only.
  virtual void OnMessage(FrameStream call, Direction direction, std::string_view message) = 0;
  virtual void OnEnded(FrameStream call, const CallEnd& end) = 0;
  // A message that cannot be read; nothing more of the call follows.
  virtual void OnUnreadable(FrameStream call, std::string_view why) = 0;
};

class CallReader {
 public:
  // The visitor outlives the reader.
  explicit CallReader(CallVisitor& visitor) : visitor_(visitor) {}

  // Nothing happens once it is bad.
  void Push(Direction direction, std::string_view bytes);
  // Why the connection cannot be read any further; null while it can.
  const char* bad() const { return bad_; }
  // Every open call ends as unavailable.
  void End(std::string_view why);
  // Whether a call has been opened, wanted or not.
  bool began() const { return newest_.value != 0; }

  static constexpr std::string_view kOpenedByHeader = "watchproof-opened-by";
  static constexpr std::size_t kLargestMessage = 256 << 20;
  static constexpr std::size_t kMostCalls = 1 << 16;

 private:
  struct Messages {
    MessageFinder finder;
    std::string begun;  // of the message that is not whole yet
  };
  struct Call {
    Messages to_client;
    Messages to_target;
  };
  struct Half {
    explicit Half(Direction direction) : reader(direction) {}
    FrameReader reader;
    HeaderDecoder headers;
  };
  using Calls = std::map<FrameStream, Call>;

  Half& half(Direction direction) {
    return direction == Direction::kToClient ? to_client_ : to_target_;
  }
  const char* Read(Direction direction, const FrameRun& run);
  const char* ReadHeaders(Direction direction, const FrameRun& run);
  const char* ReadData(Direction direction, const FrameRun& run);
  const char* Allow(Direction direction, std::string_view frame);
  bool TakeParts(Calls::iterator call, Direction direction, std::string_view content);
  void Finish(Calls::iterator call, const CallEnd& end);

  CallVisitor& visitor_;
  Half to_client_{Direction::kToClient};
  Half to_target_{Direction::kToTarget};
  Calls calls_;  // that are wanted
  FrameStream newest_;
  const char* bad_ = nullptr;
};

}  // namespace watchproof::proxy
