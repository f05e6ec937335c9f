// SPDX-License-Identifier: Apache-2.0
// One connection with one watch stream, read by its own thread as fast as possible. Another thread
// parses, where parsing is requested, so that the client's cost is not attributed to the server.
//
//   BenchStream stream({.endpoint = "127.0.0.1:2379", .reader = Reader::kRaw});
//   stream.Open(requests);            // all created when it returns
//   ... puts ...                      stream.events(), stream.delays()
//
// Threads: one or two of its own per stream; counters may be read from any. Benchmarks only.
#pragma once

#include <google/protobuf/arena.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ci/bench/store/bare_call.h"
#include "ci/bench/store/wire_reader.h"
#include "fixtures/protos/rpc.pb.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

// Counts events in the raw bytes, or parses each response into its message first.
enum class Reader { kRaw, kParsing };

struct StreamOptions {
  std::string endpoint;
  Reader reader = Reader::kRaw;
  bool stamps = false;      // values begin with the time of their put
  bool read_events = true;  // false: reads until all watches are created and then never again
};

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

// Whole messages, one after the other.
struct Batch {
  std::string bytes;
  std::vector<std::size_t> sizes;
};

class BenchStream final : BareCall::Sink {
 public:
  explicit BenchStream(StreamOptions options);
  ~BenchStream() override;

  // False when the stream ended before all watches were created.
  bool Open(const std::vector<etcdserverpb::WatchRequest>& requests);
  std::uint64_t events() const { return events_; }
  std::uint64_t messages() const { return messages_; }
  // Requires: nothing is on its way any more.
  const DelayCounts& delays() const { return delays_; }

 private:
  void OnMessage(std::string_view message) override;
  void OnEnd(bool) override {}  // the call is idle then, and Run sees that
  void Run();
  void RunParser();
  void Count(const Seen& seen);
  // Lends the message to the parser; waits while it has more than enough.
  void HandOver(std::string_view message);
  Seen Take(std::string_view message);
  Seen Parse(std::string_view message);
  void AddDelay(std::uint64_t now, std::uint64_t stamp);

  const StreamOptions options_;
  BareCall call_;
  std::uint64_t wanted_ = 0;  // watches
  std::vector<char> arena_block_;
  google::protobuf::Arena arena_;  // of one parsed response
  DelayCounts delays_;
  Mutex mu_;
  CondVar changed_;
  Batch read_ GUARDED_BY(mu_);
  bool finished_ GUARDED_BY(mu_) = false;  // nothing more is read
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;
  std::thread parser_;
};

}  // namespace watchproof::store
