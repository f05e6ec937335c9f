// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/pipe.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "harness/base/check.h"
#include "proxies/core/connection.h"
#include "proxies/core/kernel_pipe.h"
#include "proxies/core/socket.h"

namespace watchproof::proxy {

using boost::system::error_code;

Pipe::Pipe(Io& io, Direction direction, Ends ends, Connection& owner)
    : direction_(direction),
      source_(ends.source),
      sink_(ends.sink),
      buffers_(ends.buffers),
      owner_(owner),
      read_turn_(io),
      write_turn_(io),
      alarm_(io) {
  WP_CHECK(direction != Direction::kBoth, "a pipe has one direction");
}

bool Pipe::AnyShut() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return link.stage->shut(); });
}

Ending Pipe::WantedEnding() const {
  for (const Link& link : links_) {
    if (link.stage->ending() != Ending::kNone) return link.stage->ending();
  }
  return Ending::kNone;
}

bool Pipe::MayRead() const {
  if (AnyShut()) return false;
  std::int64_t allowed = 0;
  for (const Link& link : links_) allowed += link.stage->read_ahead();
  return held_ == 0 || held_ + kChunkBytes <= allowed;
}

Task Pipe::ReadLoop() {
  while (!stopped_) {
    // Readiness first and permission second, so that a shut stage sees when a byte began to wait.
    co_await source_.async_wait(Tcp::socket::wait_read, kAsTuple);
    while (!stopped_ && !MayRead()) {
      Advance();  // which may end the connection
      if (stopped_ || MayRead()) break;
      co_await read_turn_.WaitUntil(kNever);
    }
    if (stopped_ || (MayCarry() ? CarryStraight() : ReadOnce()) == More::kNo) co_return;
  }
}

bool Pipe::MayCarry() const {
  return buffers_ == Buffers::kRoomy && bulk_ && links_.empty() && outlet_.empty() && !sink_lost_ &&
         !ended_ && KernelPipe::OfThisThread().open();
}

Pipe::More Pipe::CarryStraight() {
  Carried carried =
      KernelPipe::OfThisThread().Carry(source_.native_handle(), sink_.native_handle());
  passed_ += carried.bytes;
  bulk_ = carried.bytes >= kChunkBytes || !carried.rest.empty();
  if (!carried.rest.empty()) {
    Take(std::move(carried.rest));
    Advance();
  }
  if (carried.ended) return EndSource(!source_broken_);
  const bool later = carried.error == 0 || carried.error == EAGAIN || carried.error == EINTR;
  return later ? More::kYes : EndSource(false);
}

Pipe::More Pipe::EndSource(bool clean) {
  source_done_ = true;
  Feed(0, clean ? Chunk::End() : Chunk::Reset(), Clock::now());
  Advance();
  return More::kNo;
}

Pipe::More Pipe::ReadOnce() {
  std::array<char, kChunkBytes> buffer;  // NOLINT: filled by the read
  error_code error;
  const std::size_t size = source_.read_some(boost::asio::buffer(buffer), error);
  if (error == boost::asio::error::would_block || error == boost::asio::error::interrupted) {
    return More::kYes;
  }
  if (error) return EndSource(error == boost::asio::error::eof && !source_broken_);
  bulk_ = size == buffer.size();
  Take(std::string(buffer.data(), size));
  WriteInPlace();
  return More::kYes;
}

void Pipe::Take(std::string bytes) {
  Chunk chunk = Chunk::Bytes(std::move(bytes));
  held_ += chunk.cost;
  Feed(0, std::move(chunk), Clock::now());
}

void Pipe::WriteInPlace() {
  in_place_ = writer_sleeps_;
  do {
    Advance();
  } while (in_place_ && !stopped_ && !outlet_.empty() &&
           outlet_.front().kind == Chunk::Kind::kBytes && !WriteSome());
  if (std::exchange(in_place_, false) && !stopped_) WakeLoops();
}

void Pipe::Feed(std::size_t link, Chunk chunk, TimePoint now) {
  if (link < links_.size()) {
    links_[link].stage->Push(std::move(chunk), now);
  } else if (!ended_ && !(sink_lost_ && chunk.kind == Chunk::Kind::kBytes)) {
    outlet_.push_back(std::move(chunk));
  } else {
    Discard(chunk);
  }
}

// Behind an end that an effect made up the source may go on; only the end of all still counts.
void Pipe::Discard(const Chunk& chunk) {
  held_ -= chunk.cost;
  if (chunk.kind == Chunk::Kind::kReset) owner_.OnEndingDue(Ending::kReset, *this);
  if (chunk.kind == Chunk::Kind::kClose) owner_.OnEndingDue(Ending::kClose, *this);
}

void Pipe::Advance() {
  const TimePoint now = Clock::now();
  const std::int64_t unread = AnyShut() ? UnreadBytes(source_) : 0;
  for (Link& link : links_) link.stage->Observe(now, unread);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const bool last = i + 1 == links_.size();
    while (!last || outlet_.empty()) {
      std::optional<Chunk> chunk = links_[i].stage->Pull(now);
      if (!chunk) break;
      Feed(i + 1, std::move(*chunk), now);
    }
    held_ -= links_[i].stage->TakeLost();
  }
  WakeLoops();
  bool peer_due = false;
  for (Link& link : links_) peer_due |= link.stage->TakePeerCall();
  if (peer_due) owner_.OnPeerDue(*this);
  if (const Ending ending = WantedEnding(); ending != Ending::kNone) {
    owner_.OnEndingDue(ending, *this);
  }
}

void Pipe::WakeLoops() {
  if (in_place_) return;
  if (!outlet_.empty() || NextWake() < sleeps_until_) write_turn_.Notify();
  if (MayRead()) read_turn_.Notify();
}

TimePoint Pipe::NextWake() const {
  TimePoint next = kNever;
  for (const Link& link : links_) next = std::min(next, link.stage->wake_at());
  return next;
}

Task Pipe::WriteLoop() {
  while (!stopped_) {
    Advance();  // which may end the connection
    if (stopped_) co_return;
    if (outlet_.empty()) {
      sleeps_until_ = NextWake();
      writer_sleeps_ = true;
      co_await write_turn_.WaitUntil(sleeps_until_);
      writer_sleeps_ = false;
      continue;
    }
    switch (outlet_.front().kind) {
      case Chunk::Kind::kBytes:
        // A new stage may take the outlet back while this waits, hence the next round looks again.
        if (WriteSome()) co_await AwaitSink();
        break;
      case Chunk::Kind::kEnd: {
        error_code ignored;  // a peer that is gone already needs no end
        sink_.shutdown(Tcp::socket::shutdown_send, ignored);
        ended_ = true;
        outlet_.pop_front();
        for (const Chunk& behind : std::exchange(outlet_, {})) Discard(behind);
        Advance();
        owner_.OnEnded();
        co_return;
      }
      case Chunk::Kind::kClose:
        owner_.OnEndingDue(Ending::kClose, *this);
        co_return;
      case Chunk::Kind::kReset:
        owner_.OnEndingDue(Ending::kReset, *this);
        co_return;
    }
  }
}

Task Pipe::AwaitSink() {
  using namespace boost::asio::experimental::awaitable_operators;  // NOLINT: for one operator
  // What is due already waits for the sink like everything else.
  const TimePoint now = Clock::now();
  TimePoint wake = kNever;
  for (const Link& link : links_) {
    if (link.stage->wake_at() > now) wake = std::min(wake, link.stage->wake_at());
  }
  awaits_sink_ = true;
  if (wake == kNever) {
    co_await sink_.async_wait(Tcp::socket::wait_write, kAsTuple);
  } else {
    co_await (sink_.async_wait(Tcp::socket::wait_write, kAsTuple) || alarm_.WaitUntil(wake));
  }
  awaits_sink_ = false;
}

bool Pipe::WriteSome() {
  Chunk& chunk = outlet_.front();
  error_code error;
  const std::size_t size = sink_.write_some(
      boost::asio::buffer(chunk.bytes.data() + written_, chunk.bytes.size() - written_), error);
  if (error == boost::asio::error::would_block) return true;
  if (error == boost::asio::error::interrupted) return false;
  if (error) {
    stopped_ = true;  // of this direction only; the reader keeps its hands off as well
    read_turn_.Notify();
    owner_.OnSinkBroken(*this);
    return false;
  }
  passed_ += static_cast<std::int64_t>(size);
  written_ += size;
  if (written_ < chunk.bytes.size()) return false;
  held_ -= chunk.cost;
  outlet_.pop_front();
  written_ = 0;
  return false;
}

void Pipe::Stop() {
  if (!stopped_) Advance();  // the last look at what is being withheld
  stopped_ = true;
  read_turn_.Notify();
  write_turn_.Notify();
}

void Pipe::AddStage(std::uint64_t key, std::unique_ptr<Stage> stage) {
  if (stopped_ || ended_) return;
  const TimePoint now = Clock::now();
  stage->Observe(now, 0);
  if (written_ > 0) outlet_.front().bytes.erase(0, std::exchange(written_, 0));
  for (Chunk& chunk : outlet_) stage->Push(std::move(chunk), now);
  outlet_.clear();
  links_.push_back({.key = key, .stage = std::move(stage)});
  if (awaits_sink_ && links_.back().stage->wake_at() != kNever) {
    // The writer waits for the sink only; both users of the socket just look again. Before there is
    // a writer the socket is being connected, and that must go on.
    error_code ignored;
    sink_.cancel(ignored);
  }
  Advance();
}

void Pipe::RemoveStage(std::uint64_t key) {
  const auto it = std::find_if(links_.begin(), links_.end(),
                               [key](const Link& link) { return link.key == key; });
  if (it == links_.end()) return;
  if (!stopped_) Advance();
  const TimePoint now = Clock::now();
  const auto next = static_cast<std::size_t>(it - links_.begin());  // its index once `it` is gone
  std::deque<Chunk> freed = it->stage->TakeAll(now);
  held_ -= it->stage->TakeLost();
  links_.erase(it);
  for (Chunk& chunk : freed) Feed(next, std::move(chunk), now);
  if (!stopped_) Advance();
}

void Pipe::LoseSink() {
  sink_lost_ = true;
  written_ = 0;
  for (Chunk& chunk : std::exchange(outlet_, {})) Feed(links_.size(), std::move(chunk), {});
}

void Pipe::OnSourceBroken() {
  source_broken_ = true;
  if (stopped_ || ended_) {  // nothing is left in line behind which a reset could travel
    owner_.OnEndingDue(Ending::kReset, *this);
    return;
  }
  if (!source_done_) return;
  Feed(0, Chunk::Reset(), Clock::now());
  Advance();
}

}  // namespace watchproof::proxy
