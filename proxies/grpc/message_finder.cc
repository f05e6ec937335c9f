// SPDX-License-Identifier: Apache-2.0
#include "proxies/grpc/message_finder.h"

#include <algorithm>

namespace watchproof::proxy {

std::span<const MessagePart> MessageFinder::Feed(std::string_view piece) {
  parts_.clear();
  std::size_t at = 0;
  while (at < piece.size() && !lost_) {
    MessagePart part{.begin = at, .first = prefix_read_ == 0};
    at = ReadPrefix(piece, at);
    if (lost_) break;
    part.body = at;
    if (prefix_read_ == kPrefixBytes) {
      const std::size_t size = std::min<std::size_t>(body_left_, piece.size() - at);
      at += size;
      body_left_ -= static_cast<std::uint32_t>(size);
      part.last = body_left_ == 0;
      if (part.last) prefix_read_ = 0;
    }
    part.end = at;
    part.compressed = compressed_;
    parts_.push_back(part);
  }
  return parts_;
}

// Reads what is missing of the prefix, and returns where it stopped.
std::size_t MessageFinder::ReadPrefix(std::string_view piece, std::size_t at) {
  for (; prefix_read_ < kPrefixBytes && at < piece.size(); ++at, ++prefix_read_) {
    const auto byte = static_cast<std::uint8_t>(piece[at]);
    if (prefix_read_ == 0) {
      lost_ = byte > 1;
      if (lost_) break;
      compressed_ = byte == 1;
      body_left_ = 0;
    } else {
      body_left_ = body_left_ << 8 | byte;
    }
  }
  return at;
}

}  // namespace watchproof::proxy
