// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/callers.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "proxies/core/stage.h"

namespace watchproof::proxy {

struct Callers::Caller {
  std::string name;
  bool held = false;
  bool known = false;  // the name was reported
};

namespace {

constexpr std::uint64_t kCallerKey = 0;  // not used by effects: their ids begin with 1
// A request head longer than this does not identify its caller.
constexpr std::size_t kLongestHead = 16 * 1024;
constexpr std::string_view kBodySize = "\r\nContent-Length: ";
constexpr std::string_view kNoBodySize = "\r\nTransfer-Encoding: ";

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
    while (!settled_ && !SkipBody()) {
      const auto whole = head_.find("\r\n\r\n");
      // The name and its end must be there, not the whole head.
      const std::string_view head = std::string_view(head_).substr(0, whole);
      if (const auto name = ValueOf(marker_, head, whole != std::string::npos)) {
        caller_->name = *name;
        caller_->held = settled_ = true;
        return report_();
      }
      if (whole == std::string::npos) break;
      // A request of another kind: what follows its body may be one of a caller.
      const auto body = ValueOf(kBodySize, head, true).value_or("0");
      settled_ = std::from_chars(body.data(), body.data() + body.size(), body_).ec != std::errc() ||
                 head.find(kNoBodySize) != std::string_view::npos;
      head_.erase(0, whole + 4);
    }
    settled_ = settled_ || chunk.kind != Chunk::Kind::kBytes || head_.size() > kLongestHead;
    caller_->held = !settled_ && !head_.empty();
  }

  // Whether the bytes end before the next head.
  bool SkipBody() {
    const std::size_t size = std::min(body_, head_.size());
    body_ -= size;
    head_.erase(0, size);
    return head_.empty();
  }

  // The value in a line of the head; the last line has no end of its own.
  static std::optional<std::string> ValueOf(std::string_view line, std::string_view head,
                                            bool whole) {
    const auto begin = head.find(line);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = head.substr(begin + line.size());
    const auto end = rest.find("\r\n");
    if (end == std::string_view::npos && !whole) return std::nullopt;
    return std::string(rest.substr(0, end));
  }

  const std::string marker_;
  const std::shared_ptr<Callers::Caller> caller_;  // shared with Callers: see there
  const std::function<void()> report_;
  std::string head_;      // of the request that is not whole yet
  std::size_t body_ = 0;  // what is to come of the one before it
  bool settled_ = false;  // nothing more is looked for
};

}  // namespace

void Callers::Follow(Io& io, Connection& connection, const Options& options) {
  std::erase_if(callers_, [](const auto& entry) { return entry.second.expired(); });
  auto caller = std::make_shared<Caller>();
  callers_[connection.id()] = caller;
  const auto report = [&io, known = options.known, id = connection.id(),
                       weak = std::weak_ptr<Caller>(caller)] {
    boost::asio::post(io, [known, id, weak] {
      if (const auto named = weak.lock()) named->known = true;
      known(id);
    });
  };
  connection.pipe(Direction::kToTarget)
      .AddStage(kCallerKey,
                std::make_unique<CallerStage>(options.header, std::move(caller), report));
}

const std::string& Callers::NameOf(ConnectionId connection) const {
  static const std::string kNoUser;
  const auto it = callers_.find(connection);
  const auto caller = it == callers_.end() ? nullptr : it->second.lock();
  return caller && caller->known ? caller->name : kNoUser;
}

void Callers::LetGo(Connection& connection) {
  const auto it = callers_.find(connection.id());
  const auto caller = it == callers_.end() ? nullptr : it->second.lock();
  if (!caller) return;
  caller->held = false;
  if (connection.live()) connection.pipe(Direction::kToTarget).Advance();
}

}  // namespace watchproof::proxy
