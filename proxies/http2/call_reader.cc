// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/call_reader.h"

#include <charconv>
#include <utility>

#include "harness/base/parse.h"

namespace watchproof::proxy {
namespace {

constexpr std::size_t kLongestText = 1024;

int NumberOf(std::string_view text) {
  int number = kGrpcUnknown;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void CallReader::Push(Direction direction, std::string_view bytes) {
  if (bad_) return;
  FrameReader& reader = half(direction).reader;
  reader.Push(bytes);
  while (!bad_) {
    const auto run = reader.Next();
    if (!run) break;
    if (!run->preface) bad_ = Read(direction, *run);
  }
  if (!bad_) bad_ = reader.bad();
}

void CallReader::End(std::string_view why) {
  while (!calls_.empty()) {
    Finish(calls_.begin(), {.code = kGrpcUnavailable, .text = std::string(why)});
  }
}

const char* CallReader::Read(Direction direction, const FrameRun& run) {
  switch (run.header.type) {
    case FrameType::kHeaders:
      return ReadHeaders(direction, run);
    case FrameType::kData:
      return ReadData(direction, run);
    case FrameType::kSettings:
      return Allow(direction, run.bytes);
    case FrameType::kPushPromise:
      return "a pushed stream";
    case FrameType::kReset: {
      const auto call = calls_.find(run.header.stream);
      if (call == calls_.end()) return nullptr;
      const bool by_client = direction == Direction::kToTarget;
      Finish(call, {.code = by_client ? kGrpcCancelled : kGrpcUnavailable,
                    .text = by_client ? "reset by the client" : "reset by the target",
                    .by_client = by_client});
      return nullptr;
    }
    default:
      return nullptr;
  }
}

// What a sender allows concerns the frames that come from the other side.
const char* CallReader::Allow(Direction direction, std::string_view frame) {
  const auto settings = ReadSettings(frame);
  if (!settings) return "a malformed SETTINGS frame";
  Half& other = half(Opposite(direction));
  if (settings->header_table) other.headers.AllowTable(*settings->header_table);
  if (settings->max_frame) other.reader.AllowFrames(*settings->max_frame);
  return nullptr;
}

const char* CallReader::ReadHeaders(Direction direction, const FrameRun& run) {
  std::string path;
  std::string opened_by;
  CallEnd end;
  const char* bad =
      half(direction).headers.Read(run.bytes, [&](std::string_view name, std::string_view value) {
        if (name == ":path") path = value;
        if (name == kOpenedByHeader) opened_by = value;
        if (name == "grpc-status") end.code = NumberOf(value);
        // With %XX for bytes that headers cannot hold.
        if (name == "grpc-message") end.text = PercentDecoded(value.substr(0, kLongestText));
      });
  if (bad) return bad;
  const FrameStream id = run.header.stream;
  if (direction == Direction::kToClient) {
    const auto call = calls_.find(id);
    if (call != calls_.end() && run.header.has(kFlagEndStream)) Finish(call, end);
    return nullptr;
  }
  // A client opens its streams in the order of their ids; what is not new is the end of an old one.
  if (id <= newest_) return nullptr;
  newest_ = id;
  if (calls_.size() == kMostCalls) return "too many open streams";
  if (visitor_.OnOpened(id, path, opened_by)) calls_.try_emplace(id);
  return nullptr;
}

const char* CallReader::ReadData(Direction direction, const FrameRun& run) {
  const auto call = calls_.find(run.header.stream);
  if (call == calls_.end()) return nullptr;
  const auto content = ContentOf(run.header, run.bytes);
  if (!content) return "padding longer than its frame";
  if (!TakeParts(call, direction, *content)) return nullptr;
  if (direction == Direction::kToClient && run.header.has(kFlagEndStream)) {
    Finish(call, {.text = "the target ended the call without a status"});
  }
  return nullptr;
}

// False if the call is read no further.
bool CallReader::TakeParts(Calls::iterator call, Direction direction, std::string_view content) {
  Messages& messages =
      direction == Direction::kToClient ? call->second.to_client : call->second.to_target;
  std::string_view why;
  for (const MessagePart& part : messages.finder.Feed(content)) {
    const std::string_view body = content.substr(part.body, part.end - part.body);
    if (part.compressed) why = "a compressed message";
    if (messages.begun.size() + body.size() > kLargestMessage) why = "a message of over 256 MiB";
    if (!why.empty()) break;
    if (part.first && part.last) {
      visitor_.OnMessage(call->first, direction, body);
      continue;
    }
    messages.begun += body;
    if (!part.last) continue;
    visitor_.OnMessage(call->first, direction, messages.begun);
    messages.begun.clear();
  }
  if (messages.finder.lost()) why = "bytes that are no gRPC messages";
  if (why.empty()) return true;
  const FrameStream id = call->first;
  calls_.erase(call);
  visitor_.OnUnreadable(id, why);
  return false;
}

void CallReader::Finish(Calls::iterator call, const CallEnd& end) {
  const FrameStream id = call->first;
  calls_.erase(call);
  visitor_.OnEnded(id, end);
}

}  // namespace watchproof::proxy
