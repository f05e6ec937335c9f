// SPDX-License-Identifier: Apache-2.0
// Turns the calls of one connection into the entries of a recording: unary calls of the KV and
// lease services, and watch streams. Other calls are left out.
//
//   ConnectionLog log(connection, shared);
//   log.Push(Direction::kToTarget, bytes, at);
//   log.Lose("the recorder could not keep up", at);     // from here on it is not recorded
//
// Not thread-safe. Ownership: refers to what all connections share.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/capture/value_hasher.h"
#include "harness/history/annotation.h"
#include "proxies/core/connection_info.h"
#include "proxies/http2/call_reader.h"

namespace watchproof {

class ConnectionLog final : proxy::CallVisitor {
 public:
  struct Shared {
    std::function<void(Entry)> append;
    const ValueHasher* hasher = nullptr;  // null: values stay as they are
    std::uint32_t streams = 0;            // numbers given away
    std::uint32_t calls = 0;
  };
  ConnectionLog(proxy::ConnectionId connection, Shared& shared);

  void Push(proxy::Direction direction, std::string_view bytes, Duration at);
  // The connection is over.
  void End(Duration at);
  // What follows of it is missing from the recording, which says so.
  void Lose(std::string_view why, Duration at);
  bool lost() const { return lost_; }

 private:
  struct Call {
    Method method = Method::kNone;  // kNone: a watch stream
    StreamId stream{};
    std::deque<CallId> out{};  // without an answer: one, or those on a stream of keep-alives
    bool asked = false;
    std::string answer;  // becomes one with the status of the call
  };

  bool OnOpened(proxy::FrameStream call, std::string_view path,
                std::string_view opened_by) override;
  void OnMessage(proxy::FrameStream call, proxy::Direction direction,
                 std::string_view message) override;
  void OnEnded(proxy::FrameStream call, const proxy::CallEnd& end) override;
  void OnUnreadable(proxy::FrameStream call, std::string_view why) override;
  void Answer(CallId id, const Call& call, Entry entry, std::string answer);
  void WatchMessage(const Call& call, proxy::Direction direction, std::string_view message);
  void State(const NotRecorded& part) { Append(AnnotationEntry(part)); }
  void Append(Entry entry);

  const std::string name_;  // "connection 3"
  Shared& shared_;
  proxy::CallReader reader_{*this};
  std::map<proxy::FrameStream, Call> calls_;
  Duration now_{};
  bool lost_ = false;
};

}  // namespace watchproof
