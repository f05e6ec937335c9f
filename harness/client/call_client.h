// SPDX-License-Identifier: Apache-2.0
// Unary calls with requests and answers as bytes, one after the other on one connection, and
// keep-alives of leases over one stream.
//
//   CallClient calls(connection);
//   WP_ASSIGN_OR_RETURN(const Bytes answer,
//                       calls.Call(recorder, Method::kPut, request, "script 7"));
//   KeepAlives stream(calls);
//   stream.Call(recorder, LeaseOf(7).bytes(), "script 7");
//
// Threads: calls: any once the token is set; a stream: one. A call blocks its caller until the
// answer or the time limit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/bytes.h"
#include "harness/client/connection.h"
#include "harness/history/recorder.h"

namespace grpc {
class ClientContext;
}  // namespace grpc

namespace watchproof {

struct CallLimits {
  Duration each = 10s;
  // No call lasts longer than that after the client was made; one that starts shortly before, or
  // later, gets a second.
  Duration in_all = 24h;
};

class CallClient {
 public:
  explicit CallClient(Connection connection, const CallLimits& limits = {})
      : connection_(std::move(connection)), limits_(limits) {}

  // Sent with every call from here on, for a server with authentication enabled.
  void SetToken(const std::string& token) { token_ = token; }
  const std::string& token() const { return token_; }

  // Recorded. `caller` names the client in the recording: what it reads and writes has an order.
  Result<Bytes> Call(Recorder& recorder, Method method, std::string request,
                     const std::string& caller) const;
  // A read that is answered in parts (KV.RangeStream), recorded as the read that it is, with the
  // parts as one answer.
  Result<Bytes> ReadInParts(Recorder& recorder, std::string request,
                            const std::string& caller) const;
  // Not recorded, because it is not judged: "/etcdserverpb.Lease/LeaseLeases".
  Result<Bytes> Ask(const std::string& path, std::string_view request) const;
  Result<Bytes> Ask(Method method, std::string_view request) const {
    const char* const path = InfoOf(method).path;
    return method == Method::kSnapshot ? AskForFirst(path, request) : Ask(path, request);
  }
  // The messages of a stream, until it ends or `take` returns false. Likewise.
  Status EachMessage(const std::string& path, std::string_view request,
                     const std::function<bool(const Bytes&)>& take) const;

 private:
  friend class KeepAlives;
  // When a call that begins now is given up.
  Duration Limit() const;
  void Prepare(grpc::ClientContext& context) const;
  // The first message of a stream, the rest of which is not wanted.
  Result<Bytes> AskForFirst(const std::string& path, std::string_view request) const;
  Result<Bytes> AskInParts(std::string_view request) const;

  const Connection connection_;
  const CallLimits limits_;
  const TimePoint made_ = Clock::now();
  std::string token_;
};

// Opens its stream with the first call, and a new one once that has failed.
class KeepAlives {
 public:
  // The client must outlive it.
  explicit KeepAlives(const CallClient& calls);
  ~KeepAlives();

  // Recorded as a call of its own: the next request and its answer.
  Result<Bytes> Call(Recorder& recorder, std::string request, const std::string& caller);

 private:
  class Stream;
  const CallClient& calls_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace watchproof
