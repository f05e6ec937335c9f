// SPDX-License-Identifier: Apache-2.0
// One TCP connection with one gRPC call at a time, with as little as possible between the socket
// and the caller: a benchmark shares the machine with the server that it measures, so every cycle
// the client spends is missing in the server.
//
//   BareCall call("127.0.0.1:2379", sink);
//   if (!call.Connect()) ...
//   call.Begin("/etcdserverpb.KV/Put");
//   call.Send(bytes);                          // of one message
//   call.CloseHalf();
//   while (!call.idle()) if (!call.Flush() || !call.Receive()) ...   // calls the sink
//
// nghttp2 frames and compresses headers; a message is handed over in place, in the receive buffer,
// whenever one frame holds all of it.
//
// Threads: one at a time, but for Abort. Ownership: borrows the sink. Benchmarks only.
#pragma once

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace watchproof::store {

// Puts length-prefixed messages together from pieces that are cut anywhere.
class MessageJoiner {
 public:
  template <typename OnMessage>
  void Take(std::string_view bytes, OnMessage&& on_message);
  void Clear() { partial_.clear(); }

 private:
  static constexpr std::size_t kPrefix = 5;  // one byte of flags, four of length
  static std::size_t WholeSize(std::string_view prefixed);

  std::string partial_;
};

class BareCall {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnMessage(std::string_view message) = 0;
    virtual void OnEnd(bool ok) = 0;  // of the call; ok: with status 0
  };

  BareCall(std::string endpoint, Sink& sink);
  ~BareCall();
  BareCall(const BareCall&) = delete;
  BareCall& operator=(const BareCall&) = delete;

  // Tries until the server listens. False when it does not for half a minute.
  bool Connect();
  // Requires: idle().
  void Begin(const std::string& path);
  void Send(std::string_view message);
  void CloseHalf();
  bool idle() const { return stream_ == 0; }
  int socket() const { return socket_; }

  // Blocks until all that may be sent has been. False when the connection is broken.
  bool Flush();
  // Blocks until something comes. False when the connection is over.
  bool Receive();
  // From any thread: a Receive that waits, and every later one, returns false.
  void Abort();

 private:
  struct Callbacks;
  bool Write(std::string_view bytes) const;
  void StartSession();

  const std::string endpoint_;
  Sink& sink_;
  int socket_ = -1;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::int32_t stream_ = 0;  // of the call; 0: none
  std::string outgoing_;     // prefixed messages that no frame holds yet
  std::size_t sent_ = 0;     // of outgoing_
  bool half_closed_ = false;
  bool status_ok_ = false;
  MessageJoiner joiner_;
  std::string frames_;  // on their way to the socket
  std::vector<std::uint8_t> buffer_;
};

template <typename OnMessage>
void MessageJoiner::Take(std::string_view bytes, OnMessage&& on_message) {
  while (!bytes.empty()) {
    if (partial_.empty() && bytes.size() >= kPrefix && bytes.size() >= WholeSize(bytes)) {
      const std::size_t whole = WholeSize(bytes);
      on_message(bytes.substr(kPrefix, whole - kPrefix));
      bytes.remove_prefix(whole);
      continue;
    }
    const std::size_t known = partial_.size() < kPrefix ? kPrefix : WholeSize(partial_);
    const std::size_t step = std::min(known - partial_.size(), bytes.size());
    partial_.append(bytes.substr(0, step));
    bytes.remove_prefix(step);
    if (partial_.size() < kPrefix || partial_.size() < WholeSize(partial_)) continue;
    on_message(std::string_view(partial_).substr(kPrefix));
    partial_.clear();
  }
}

}  // namespace watchproof::store
