// SPDX-License-Identifier: Apache-2.0
#include "ci/bench/store/bench_writers.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <limits>
#include <string_view>
#include <vector>

#include "ci/bench/store/bare_call.h"
#include "ci/bench/store/bench_stream.h"
#include "fixtures/protos/rpc.pb.h"

namespace watchproof::store {
namespace {

using Clock = std::chrono::steady_clock;

class Writer final : BareCall::Sink {
 public:
  Writer(const PutLoad& load, PutsDone& done) : done_(done), call_(load.endpoint, *this) {}

  bool Connect() { return call_.Connect(); }
  int socket() const { return call_.socket(); }
  bool idle() const { return call_.idle(); }
  bool Put(const etcdserverpb::PutRequest& request) {
    call_.Begin("/etcdserverpb.KV/Put");
    call_.Send(request.SerializeAsString());
    call_.CloseHalf();
    return call_.Flush();
  }
  // What has come. False when the connection is over.
  bool Listen() { return call_.Receive() && call_.Flush(); }

 private:
  void OnMessage(std::string_view message) override {
    answer_.ParseFromArray(message.data(), static_cast<int>(message.size()));
  }
  void OnEnd(bool ok) override {
    if (!ok) return;
    ++done_.acknowledged;
    done_.first_revision = std::min(done_.first_revision, answer_.header().revision());
  }

  PutsDone& done_;
  BareCall call_;
  etcdserverpb::PutResponse answer_;
};

// All writers of one load.
class Load {
 public:
  explicit Load(const PutLoad& load) : load_(load), poll_(epoll_create1(EPOLL_CLOEXEC)) {
    done_.first_revision = std::numeric_limits<std::int64_t>::max();
    value_.assign(std::max<std::size_t>(load.value_bytes, sizeof(std::uint64_t)), 'x');
  }
  ~Load() { ::close(poll_); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  PutsDone Run() {
    if (!ConnectAll()) return {.failed = load_.puts};
    start_ = Clock::now();
    for (;;) {
      BeginDue();
      if (idle_.size() == writers_.size() && begun_ == load_.puts) break;
      if (!ListenOnce()) break;
    }
    const std::chrono::duration<double> took = Clock::now() - start_;
    done_.seconds = took.count();
    done_.failed = load_.puts - done_.acknowledged;
    return done_;
  }

 private:
  bool ConnectAll() {
    for (std::size_t i = 0; i < load_.writers; ++i) {
      Writer& writer = writers_.emplace_back(load_, done_);
      if (!writer.Connect()) return false;
      epoll_event event{.events = EPOLLIN, .data = {.ptr = &writer}};
      epoll_ctl(poll_, EPOLL_CTL_ADD, writer.socket(), &event);
      idle_.push_back(&writer);
    }
    return true;
  }

  Clock::time_point Due(std::uint64_t index) const {
    if (load_.per_second <= 0) return start_;
    const std::chrono::duration<double> offset(static_cast<double>(index) / load_.per_second);
    return start_ + std::chrono::duration_cast<Clock::duration>(offset);
  }

  void BeginDue() {
    while (!idle_.empty() && begun_ < load_.puts && Clock::now() >= Due(begun_)) {
      Writer& writer = *idle_.front();
      idle_.pop_front();
      const std::uint64_t index = begun_++;
      request_.set_key(load_.keys > 1 ? load_.key + std::to_string(index % load_.keys) : load_.key);
      const std::uint64_t stamp = NowStamp();
      std::memcpy(value_.data(), &stamp, sizeof stamp);
      request_.set_value(value_);
      broken_ |= !writer.Put(request_);
    }
  }

  // Until an answer comes or the next put is due. False when a connection broke.
  bool ListenOnce() {
    timespec wait{};
    const bool timed = !idle_.empty() && begun_ < load_.puts;
    if (timed) {
      const std::chrono::nanoseconds left =
          std::max<std::chrono::nanoseconds>(Due(begun_) - Clock::now(), {});
      wait.tv_sec = left.count() / 1'000'000'000;
      wait.tv_nsec = left.count() % 1'000'000'000;
    }
    std::array<epoll_event, 64> events{};
    const int count =
        epoll_pwait2(poll_, events.data(), events.size(), timed ? &wait : nullptr, nullptr);
    for (int i = 0; i < count; ++i) {
      Writer& writer = *static_cast<Writer*>(events[static_cast<std::size_t>(i)].data.ptr);
      const bool was_idle = writer.idle();
      broken_ |= !writer.Listen();
      if (!was_idle && writer.idle()) idle_.push_back(&writer);
    }
    return !broken_;
  }

  const PutLoad& load_;
  const int poll_;
  std::deque<Writer> writers_;
  std::deque<Writer*> idle_;
  std::uint64_t begun_ = 0;
  bool broken_ = false;
  Clock::time_point start_;
  std::string value_;
  etcdserverpb::PutRequest request_;
  PutsDone done_;
};

}  // namespace

PutsDone PutAll(const PutLoad& load) { return Load(load).Run(); }

}  // namespace watchproof::store
