// SPDX-License-Identifier: Apache-2.0
// Finds the gRPC messages in the bytes of one direction of one stream.
//
//   for (const MessagePart& part : finder.Feed(payload)) ... payload.substr(part.body, ...)
//
// A message is a byte that flags compression, four bytes of length, and a body. Messages start
// anywhere in the DATA frames of a stream; only their ends are kept.
//
// Not thread-safe. Ownership: what Feed returns is valid until it is called again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace watchproof::proxy {

// The part of one message within one piece; offsets count from the start of the piece.
struct MessagePart {
  std::size_t begin = 0;  // of the part, prefix included
  std::size_t body = 0;   // where the body's bytes of this part begin
  std::size_t end = 0;    // one past its last byte
  bool first = false;     // the message begins here
  bool last = false;      // and ends here
  bool compressed = false;
};

class MessageFinder {
 public:
  // Every byte of the piece belongs to exactly one part. Nothing once lost().
  std::span<const MessagePart> Feed(std::string_view piece) {
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
  // The bytes are no gRPC messages: the first byte of one is neither 0 nor 1.
  bool lost() const { return lost_; }

  static constexpr std::size_t kPrefixBytes = 5;

 private:
  // Reads what is missing of the prefix, and returns where it stopped.
  std::size_t ReadPrefix(std::string_view piece, std::size_t at) {
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

  std::vector<MessagePart> parts_;
  std::size_t prefix_read_ = 0;  // of the current message
  std::uint32_t body_left_ = 0;
  bool compressed_ = false;
  bool lost_ = false;
};

}  // namespace watchproof::proxy
