// SPDX-License-Identifier: Apache-2.0
// Puts per second of many clients against a running server, this store or etcd.
//
//   put_bench HOST:PORT CLIENTS SECONDS [VALUE_BYTES]
//
// Each client has one put in flight on a connection of its own, to a key of its own choice among
// ten thousand. One thread drives them all, so that the client costs the machine little. Prints one
// JSON line: puts per second and percentiles of their delay. ci/jobs/store_figures.sh takes turns.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/base/deadline.h"
#include "harness/base/prng.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

constexpr std::uint64_t kKeys = 10000;
constexpr Duration kWarmUp = 1s;

// One client: a connection and the put in flight on it.
struct Caller {
  std::unique_ptr<pb::KV::Stub> stub;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<pb::PutResponse>> call;
  pb::PutResponse response;
  grpc::Status status;
  TimePoint begun;
};

class Bench {
 public:
  Bench(const std::string& endpoint, int clients, std::size_t value_bytes) {
    request_.set_value(std::string(value_bytes, 'v'));
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    for (int i = 0; i < clients; ++i) {
      auto caller = std::make_unique<Caller>();
      caller->stub = pb::KV::NewStub(
          grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), arguments));
      callers_.push_back(std::move(caller));
    }
  }

  int Run(Duration time) {
    for (const auto& caller : callers_) Begin(*caller);
    const TimePoint from = Clock::now() + kWarmUp;
    const TimePoint to = from + time;
    std::size_t open = callers_.size();
    void* tag = nullptr;
    bool ok = false;
    while (open > 0 && queue_.Next(&tag, &ok)) {
      Caller& caller = *static_cast<Caller*>(tag);
      if (!caller.status.ok()) {
        fmt::print(stderr, "put_bench: {}\n", caller.status.error_message());
        return 1;
      }
      const TimePoint now = Clock::now();
      if (now >= from && now < to) delays_.push_back(now - caller.begun);
      if (now < to) {
        Begin(caller);
      } else {
        --open;
      }
    }
    Report(time);
    return 0;
  }

 private:
  void Begin(Caller& caller) {
    request_.set_key(fmt::format("bench/{:05}", random_.Below(kKeys)));
    caller.context = std::make_unique<grpc::ClientContext>();
    caller.context->set_wait_for_ready(true);
    caller.begun = Clock::now();
    caller.call = caller.stub->AsyncPut(caller.context.get(), request_, &queue_);
    caller.call->Finish(&caller.response, &caller.status, &caller);
  }
  double Milliseconds(double quantile) const {
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(delays_.size() - 1));
    return std::chrono::duration<double, std::milli>(delays_[at]).count();
  }
  void Report(Duration time) {
    if (delays_.empty()) delays_.push_back(time);
    std::sort(delays_.begin(), delays_.end());
    fmt::print(
        "{{\"clients\":{},\"value_bytes\":{},\"puts_per_second\":{:.0f},\"p50_ms\":{:.2f},"
        "\"p99_ms\":{:.2f}}}\n",
        callers_.size(), request_.value().size(),
        static_cast<double>(delays_.size()) / std::chrono::duration<double>(time).count(),
        Milliseconds(0.5), Milliseconds(0.99));
  }

  grpc::CompletionQueue queue_;
  pb::PutRequest request_;
  Prng random_{1};
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Duration> delays_;
};

}  // namespace
}  // namespace watchproof::store

int main(int count, char** words) {
  if (count < 4) {
    fmt::print(stderr, "usage: put_bench HOST:PORT CLIENTS SECONDS [VALUE_BYTES]\n");
    return 2;
  }
  watchproof::store::Bench bench(words[1], atoi(words[2]),
                                 count > 4 ? strtoull(words[4], nullptr, 10) : 100);
  return bench.Run(std::chrono::seconds(atoi(words[3])));
}
