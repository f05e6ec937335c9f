// SPDX-License-Identifier: Apache-2.0
// One connection with one watch stream, read as fast as its own thread can.
//
//   BenchStream stream({.endpoint = "127.0.0.1:2379", .reader = Reader::kRaw});
//   stream.Open(requests);            // all created when it returns
//   ... puts ...                      stream.events(), stream.delays()
//
// Threads: one of its own per stream; counters may be read from any. Benchmarks only.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {

// Counts events in the raw bytes, or parses each response into its message first.
enum class Reader { kRaw, kParsing };

struct StreamOptions {
  std::string endpoint;
  Reader reader = Reader::kRaw;
  bool stamps = false;      // values begin with the time of their put
  bool read_events = true;  // false: reads until all watches are created and then never again
};

std::shared_ptr<grpc::Channel> OwnChannel(const std::string& endpoint);
// Nanoseconds of the monotonic clock, the same in all processes of the machine.
std::uint64_t NowStamp();

// How long events took, in steps of 10 microseconds.
class DelayCounts {
 public:
  void Add(std::uint64_t nanoseconds);
  void Add(const DelayCounts& other);
  // In milliseconds; 0 when nothing was counted.
  double Quantile(double part) const;

 private:
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(1'000'000);
};

class BenchStream {
 public:
  explicit BenchStream(StreamOptions options);
  ~BenchStream();

  // False when the stream ended before all watches were created.
  bool Open(std::vector<etcdserverpb::WatchRequest> requests);
  std::uint64_t events() const { return events_; }
  std::uint64_t messages() const { return messages_; }
  // Requires: nothing is on its way any more.
  const DelayCounts& delays() const { return delays_; }
  bool ended() const { return ended_; }

 private:
  enum Tag : std::intptr_t { kStart = 1, kRead, kWrite, kWake, kFinish };
  void Run();
  void WriteNext();
  void ReadNext();
  void Take();
  void TakeParsed();

  const StreamOptions options_;
  std::vector<etcdserverpb::WatchRequest> requests_;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::Status status_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  etcdserverpb::WatchResponse parsed_;
  std::size_t written_ = 0;
  bool reading_ = true;  // of its own thread
  grpc::Alarm wake_;
  DelayCounts delays_;
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace watchproof::store
