// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/bench/bench_stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "embedded_store/bench/wire_reader.h"

namespace watchproof::store {
namespace {

constexpr std::uint64_t kStep = 10'000;  // nanoseconds

void* TagOf(std::intptr_t number) { return reinterpret_cast<void*>(number); }

}  // namespace

std::shared_ptr<grpc::Channel> OwnChannel(const std::string& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), arguments);
}

std::uint64_t NowStamp() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

void DelayCounts::Add(std::uint64_t nanoseconds) {
  ++counts_[std::min<std::uint64_t>(nanoseconds / kStep, counts_.size() - 1)];
}

void DelayCounts::Add(const DelayCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

double DelayCounts::Quantile(double part) const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts_) all += count;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    if (all > 0 && static_cast<double>(below) >= part * static_cast<double>(all)) {
      return static_cast<double>(i + 1) * static_cast<double>(kStep) / 1e6;
    }
  }
  return 0;
}

BenchStream::BenchStream(StreamOptions options)
    : options_(std::move(options)), channel_(OwnChannel(options_.endpoint)), stub_(channel_) {}

BenchStream::~BenchStream() {
  context_.TryCancel();
  if (thread_.joinable()) {
    wake_.Set(&queue_, std::chrono::system_clock::now(), TagOf(kWake));
    thread_.join();
  }
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) continue;
}

bool BenchStream::Open(std::vector<etcdserverpb::WatchRequest> requests) {
  requests_ = std::move(requests);
  context_.set_wait_for_ready(true);
  call_ = stub_.PrepareCall(&context_, "/etcdserverpb.Watch/Watch", &queue_);
  call_->StartCall(TagOf(kStart));
  thread_ = std::thread([this] { Run(); });
  while (created_ < requests_.size() && !ended_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !ended_;
}

void BenchStream::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
    switch (reinterpret_cast<std::intptr_t>(tag)) {
      case kStart:
        if (!ok) break;
        WriteNext();
        ReadNext();
        continue;
      case kWrite:
        if (ok) WriteNext();
        continue;
      case kRead:
        if (!ok) break;
        options_.reader == Reader::kRaw ? Take() : TakeParsed();
        ReadNext();
        continue;
      case kWake:
        // A read that is pending ends by itself.
        if (reading_ || ended_) continue;
        break;
      default:
        return;
    }
    ended_ = true;
    call_->Finish(&status_, TagOf(kFinish));
  }
}

void BenchStream::WriteNext() {
  if (written_ == requests_.size()) return;
  const grpc::Slice bytes(requests_[written_++].SerializeAsString());
  request_ = grpc::ByteBuffer(&bytes, 1);
  call_->Write(request_, TagOf(kWrite));
}

void BenchStream::ReadNext() {
  reading_ = options_.read_events || created_ < requests_.size();
  if (!reading_) return;
  call_->Read(&response_, TagOf(kRead));
}

void BenchStream::Take() {
  std::vector<grpc::Slice> slices;
  response_.Dump(&slices);
  const std::uint64_t now = options_.stamps ? NowStamp() : 0;
  const Seen seen = Scan(slices, options_.stamps,
                         [&](std::uint64_t stamp) { delays_.Add(now > stamp ? now - stamp : 0); });
  if (seen.created) ++created_;
  ++messages_;
  events_ += seen.events;
}

void BenchStream::TakeParsed() {
  grpc::SerializationTraits<etcdserverpb::WatchResponse>::Deserialize(&response_, &parsed_);
  if (options_.stamps) {
    const std::uint64_t now = NowStamp();
    for (const mvccpb::Event& event : parsed_.events()) {
      std::uint64_t stamp = 0;
      std::memcpy(&stamp, event.kv().value().data(), sizeof stamp);
      delays_.Add(now > stamp ? now - stamp : 0);
    }
  }
  if (parsed_.created()) ++created_;
  ++messages_;
  events_ += static_cast<std::uint64_t>(parsed_.events_size());
}

}  // namespace watchproof::store
