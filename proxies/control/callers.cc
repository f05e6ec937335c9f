// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/callers.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "proxies/effects/line.h"

namespace watchproof::proxy {

struct Callers::Caller {
  std::string name;
  bool held = false;
};

namespace {

constexpr std::uint64_t kCallerKey = 0;  // not used by effects: their ids begin with 1
// A request head longer than this does not identify its caller.
constexpr std::size_t kLongestHead = 16 * 1024;

class CallerStage final : public Line {
 public:
  CallerStage(const std::string& header, std::shared_ptr<Callers::Caller> caller,
              std::function<void()> report)
      : marker_("\r\n" + header + ": "), caller_(std::move(caller)), report_(std::move(report)) {}

  void Push(Chunk chunk, TimePoint /*now*/) override {
    if (!settled_) Look(chunk);
    Join(std::move(chunk));
  }
  std::optional<Chunk> Pull(TimePoint now) override {
    return caller_->held ? std::nullopt : Line::Pull(now);
  }
  // The rest of a head may still be on its way.
  std::int64_t read_ahead() const override {
    return caller_->held && !settled_ ? static_cast<std::int64_t>(2 * kLongestHead) : 0;
  }

 private:
  void Look(const Chunk& chunk) {
    head_ += chunk.bytes;
    const auto begin = head_.find(marker_);
    const auto end = begin == std::string::npos ? begin : head_.find("\r\n", begin + 2);
    if (end != std::string::npos) {
      const auto from = begin + marker_.size();
      caller_->name = head_.substr(from, end - from);
      caller_->held = true;
      settled_ = true;
      return report_();
    }
    if (const auto last = head_.rfind("\r\n\r\n"); last != std::string::npos) {
      head_.erase(0, last + 4);
    }
    settled_ = chunk.kind != Chunk::Kind::kBytes || head_.size() > kLongestHead;
    caller_->held = !settled_ && !head_.empty();
  }

  const std::string marker_;
  const std::shared_ptr<Callers::Caller> caller_;  // shared with Callers: see there
  const std::function<void()> report_;
  std::string head_;      // of the request that is not whole yet
  bool settled_ = false;  // nothing more is looked for
};

}  // namespace

void Callers::Follow(Io& io, Connection& connection, const Options& options) {
  std::erase_if(callers_, [](const auto& entry) { return entry.second.expired(); });
  auto caller = std::make_shared<Caller>();
  callers_[connection.id()] = caller;
  connection.pipe(Direction::kToTarget)
      .AddStage(kCallerKey,
                std::make_unique<CallerStage>(options.header, std::move(caller),
                                              [&io, known = options.known, id = connection.id()] {
                                                boost::asio::post(io, [known, id] { known(id); });
                                              }));
}

const std::string& Callers::NameOf(ConnectionId connection) const {
  static const std::string kNoUser;
  const auto it = callers_.find(connection);
  const auto caller = it == callers_.end() ? nullptr : it->second.lock();
  return caller ? caller->name : kNoUser;
}

void Callers::LetGo(Connection& connection) {
  const auto it = callers_.find(connection.id());
  const auto caller = it == callers_.end() ? nullptr : it->second.lock();
  if (!caller) return;
  caller->held = false;
  if (connection.live()) connection.pipe(Direction::kToTarget).Advance();
}

}  // namespace watchproof::proxy
