// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/stream_table.h"

#include <utility>

namespace watchproof::proxy {
namespace {

// Paths come from the client, so what is kept of them has a limit.
constexpr std::size_t kMostPaths = 256;
constexpr std::size_t kLongestPath = 1024;

}  // namespace

StreamTable::Observed StreamTable::Note(Direction direction, const FrameHeader& header,
                                        std::string_view bytes) {
  Observed observed;
  if (header.type == FrameType::kPushPromise) observed.bad = "a pushed stream";
  if (header.type == FrameType::kHeaders) observed.bad = NoteHeaders(direction, header, bytes);
  const auto it = streams_.find(header.stream);
  if (observed.bad || it == streams_.end()) return observed;
  Stream& stream = it->second;
  observed.stream = stream.info;
  if (header.type == FrameType::kData) {
    const auto content = ContentOf(header, bytes);
    if (!content) {
      observed.bad = "padding longer than its frame";
      return observed;
    }
    auto& scanner = direction == Direction::kToClient ? stream.responses : stream.requests;
    if (scanner) observed.offsets = scanner->Feed(*content);
  }
  NoteEnd(direction, header);
  return observed;
}

const char* StreamTable::NoteHeaders(Direction direction, const FrameHeader& header,
                                     std::string_view bytes) {
  std::string path;
  const char* bad =
      decoder(direction).Read(bytes, [&path](std::string_view name, std::string_view value) {
        if (name == ":path") path = value.substr(0, kLongestPath);
      });
  if (bad) return bad;
  // A client opens its streams in the order of their ids; what is not new is the end of an old one.
  if (direction == Direction::kToClient || header.stream <= newest_) return nullptr;
  if (streams_.size() == kMostStreams) return "too many open streams";
  Open(header.stream, std::move(path));
  return nullptr;
}

void StreamTable::Open(FrameStream id, std::string path) {
  std::int64_t number = 0;
  if (opened_.contains(path) || opened_.size() < kMostPaths) number = ++opened_[path];
  newest_ = id;
  Stream& stream = streams_[id];
  if (path == kWatchPath) {
    stream.responses.emplace(WatchScanner::Side::kResponses);
    stream.requests.emplace(WatchScanner::Side::kRequests);
  }
  stream.info = std::make_shared<const StreamInfo>(
      StreamInfo{.id = id, .path = std::move(path), .number = number});
}

void StreamTable::NoteEnd(Direction direction, const FrameHeader& header) {
  const auto it = streams_.find(header.stream);
  if (it == streams_.end()) return;
  Stream& stream = it->second;
  const bool has_end = header.type == FrameType::kData || header.type == FrameType::kHeaders;
  if (has_end && header.has(kFlagEndStream)) {
    (direction == Direction::kToClient ? stream.target_ended : stream.client_ended) = true;
  }
  const bool over =
      header.type == FrameType::kReset || (stream.client_ended && stream.target_ended);
  // Units share ownership of the facts; those of the last frame are yet to be read.
  if (over) over_ = streams_.extract(it);
}

}  // namespace watchproof::proxy
