// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/connection_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/history/run_started.h"

namespace watchproof {
namespace {

using proxy::Direction;

StatusCode CodeOf(int number) {
  const bool known = number >= 0 && number <= static_cast<int>(StatusCode::kUnauthenticated);
  return known ? static_cast<StatusCode>(number) : StatusCode::kUnknown;
}

}  // namespace

ConnectionLog::ConnectionLog(proxy::ConnectionId connection, Shared& shared)
    : name_(fmt::format("connection {}", connection)), shared_(shared) {}

void ConnectionLog::Append(Entry entry) {
  entry.at = now_;
  shared_.append(std::move(entry));
}

void ConnectionLog::Push(Direction direction, std::string_view bytes, Duration at) {
  if (lost_) return;
  now_ = at;
  reader_.Push(direction, bytes);
  if (const char* const why = reader_.bad()) Lose(why, at);
}

void ConnectionLog::End(Duration at) {
  now_ = at;
  reader_.End("the connection ended");
}

void ConnectionLog::Lose(std::string_view why, Duration at) {
  if (std::exchange(lost_, true)) return;
  now_ = at;
  const auto streams = std::ranges::count_if(
      calls_, [](const auto& one) { return one.second.method == Method::kNone; });
  State({.what = name_, .why = std::string(why), .streams = streams, .foreign = !reader_.began()});
  reader_.End("not recorded any further");
}

bool ConnectionLog::OnOpened(proxy::FrameStream call, std::string_view path,
                             std::string_view opened_by) {
  if (path == kWatchPath) {
    const StreamId stream(++shared_.streams);
    calls_[call] = {.stream = stream};
    Append({.kind = EntryKind::kStreamOpened,
            .stream = stream,
            .text = opened_by == kRecorderPath ? std::string(opened_by) : "proxied"});
    return true;
  }
  const Method method = MethodOf(path);
  if (!IsOfData(method)) return false;
  calls_[call].method = method;
  return true;
}

void ConnectionLog::OnMessage(proxy::FrameStream id, Direction direction,
                              std::string_view message) {
  Call& call = calls_[id];
  if (call.method == Method::kNone) return WatchMessage(call, direction, message);
  const bool many = call.method == Method::kLeaseKeepAlive;
  if (direction == Direction::kToClient) {
    if (!many) call.answer = message;
    if (!many || call.out.empty()) return;
    Answer(call.out.front(), call, {.code = StatusCode::kOk}, std::string(message));
    return call.out.pop_front();
  }
  if (std::exchange(call.asked, true) && !many) return;
  call.out.push_back(CallId(++shared_.calls));
  Append({.kind = EntryKind::kCallStarted,
          .method = call.method,
          .call = call.out.back(),
          .payload = Bytes::Take(shared_.hasher ? shared_.hasher->Request(call.method, message)
                                                : std::string(message)),
          .text = name_});
}

void ConnectionLog::WatchMessage(const Call& call, Direction direction, std::string_view message) {
  const bool sent = direction == Direction::kToTarget;
  const bool hashed = !sent && shared_.hasher != nullptr;
  Append({.kind = sent ? EntryKind::kRequestSent : EntryKind::kResponseReceived,
          .stream = call.stream,
          .payload =
              Bytes::Take(hashed ? shared_.hasher->WatchResponse(message) : std::string(message))});
}

void ConnectionLog::OnEnded(proxy::FrameStream id, const proxy::CallEnd& end) {
  auto found = calls_.extract(id);
  Call& call = found.mapped();
  Entry entry{.code = CodeOf(end.code), .text = end.text};
  if (call.method == Method::kNone) {
    entry.kind = EntryKind::kStreamClosed;
    entry.stream = call.stream;
    return Append(std::move(entry));
  }
  if (call.method == Method::kLeaseKeepAlive && entry.code == StatusCode::kOk) {
    entry.code = StatusCode::kUnknown;
    entry.text = "the stream ended without an answer";
  }
  for (const CallId out : call.out) Answer(out, call, entry, call.answer);
}

void ConnectionLog::Answer(CallId id, const Call& call, Entry entry, std::string answer) {
  entry.kind = EntryKind::kCallEnded;
  entry.method = call.method;
  entry.call = id;
  if (entry.code == StatusCode::kOk) {
    entry.payload = Bytes::Take(shared_.hasher ? shared_.hasher->Response(call.method, answer)
                                               : std::move(answer));
  }
  Append(std::move(entry));
}

void ConnectionLog::OnUnreadable(proxy::FrameStream id, std::string_view why) {
  const bool watches = calls_[id].method == Method::kNone;
  State({.what = fmt::format("{} of {}", watches ? "a watch stream" : "a call", name_),
         .why = std::string(why),
         .streams = watches ? 1 : 0});
  OnEnded(id, {.text = "not recorded any further"});
}

}  // namespace watchproof
