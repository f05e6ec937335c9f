// SPDX-License-Identifier: Apache-2.0
#include "ci/bench/store/bench_stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace watchproof::store {
namespace {

constexpr std::uint64_t kStep = 10'000;  // nanoseconds
// Enough for most responses, so that parsing them allocates nothing but long strings.
constexpr std::size_t kArenaBytes = 1 << 20;
// What may wait for the parser: enough that neither thread waits for the other's every message.
constexpr std::size_t kMostWaiting = 1 << 20;

google::protobuf::ArenaOptions In(std::vector<char>& block) {
  google::protobuf::ArenaOptions options;
  options.initial_block = block.data();
  options.initial_block_size = block.size();
  return options;
}

}  // namespace

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
    : options_(std::move(options)),
      call_(options_.endpoint, *this),
      arena_block_(kArenaBytes),
      arena_(In(arena_block_)) {}

BenchStream::~BenchStream() {
  if (!thread_.joinable()) return;
  call_.Abort();
  {
    MutexLock lock(mu_);
    finished_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
  if (parser_.joinable()) parser_.join();
}

bool BenchStream::Open(const std::vector<etcdserverpb::WatchRequest>& requests) {
  if (!call_.Connect()) return false;
  wanted_ = requests.size();
  call_.Begin("/etcdserverpb.Watch/Watch");
  for (const etcdserverpb::WatchRequest& request : requests) {
    call_.Send(request.SerializeAsString());
  }
  thread_ = std::thread([this] { Run(); });
  if (options_.reader == Reader::kParsing) parser_ = std::thread([this] { RunParser(); });
  while (created_ < wanted_ && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !ended_;
}

void BenchStream::Run() {
  while (options_.read_events || created_ < wanted_) {
    if (!call_.Flush() || !call_.Receive() || call_.idle()) {
      ended_ = true;
      return;
    }
  }
}

void BenchStream::OnMessage(std::string_view message) {
  if (options_.reader == Reader::kRaw) {
    Count(Take(message));
  } else {
    HandOver(message);
  }
}

void BenchStream::HandOver(std::string_view message) {
  MutexLock lock(mu_);
  while (read_.bytes.size() >= kMostWaiting && !finished_) changed_.Wait(mu_);
  read_.bytes.append(message);
  read_.sizes.push_back(message.size());
  if (read_.sizes.size() == 1) changed_.NotifyAll();
}

void BenchStream::RunParser() {
  Batch taken;
  while (true) {
    taken.bytes.clear();
    taken.sizes.clear();
    {
      MutexLock lock(mu_);
      while (read_.sizes.empty() && !finished_) changed_.Wait(mu_);
      if (finished_) return;
      std::swap(read_, taken);
      changed_.NotifyAll();
    }
    std::string_view bytes = taken.bytes;
    for (const std::size_t size : taken.sizes) {
      Count(Parse(bytes.substr(0, size)));
      bytes.remove_prefix(size);
    }
  }
}

void BenchStream::Count(const Seen& seen) {
  if (seen.created) ++created_;
  ++messages_;
  events_ += seen.events;
}

void BenchStream::AddDelay(std::uint64_t now, std::uint64_t stamp) {
  delays_.Add(now > stamp ? now - stamp : 0);
}

Seen BenchStream::Take(std::string_view message) {
  const std::uint64_t now = options_.stamps ? NowStamp() : 0;
  return Scan(message, options_.stamps, [&](std::uint64_t stamp) { AddDelay(now, stamp); });
}

Seen BenchStream::Parse(std::string_view message) {
  arena_.Reset();
  auto& parsed = *google::protobuf::Arena::CreateMessage<etcdserverpb::WatchResponse>(&arena_);
  parsed.ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (options_.stamps) {
    const std::uint64_t now = NowStamp();
    for (const mvccpb::Event& event : parsed.events()) {
      std::uint64_t stamp = 0;
      std::memcpy(&stamp, event.kv().value().data(), sizeof stamp);
      AddDelay(now, stamp);
    }
  }
  return {.events = static_cast<std::uint64_t>(parsed.events_size()), .created = parsed.created()};
}

}  // namespace watchproof::store
