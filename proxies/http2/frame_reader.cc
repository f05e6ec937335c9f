// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/frame_reader.h"

#include <algorithm>
#include <utility>

namespace watchproof::proxy {

void FrameReader::Push(std::string_view bytes) {
  buffer_.erase(0, std::exchange(taken_, 0));
  buffer_ += bytes;
}

std::string FrameReader::TakeRest() {
  buffer_.erase(0, std::exchange(taken_, 0));
  return std::exchange(buffer_, {});
}

void FrameReader::AllowFrames(std::uint32_t length) {
  longest_ = std::max(longest_, std::min(length, kLargestMaxFrame));
}

std::optional<FrameRun> FrameReader::Next() {
  if (bad_) return std::nullopt;
  const std::string_view rest = std::string_view(buffer_).substr(taken_);
  if (to_target_ && !preface_done_) return NextPreface(rest);
  const std::size_t length = RunLength(rest);
  if (length == 0) return std::nullopt;
  preface_done_ = true;
  taken_ += length;
  return FrameRun{.header = ReadFrameHeader(rest), .bytes = rest.substr(0, length)};
}

std::optional<FrameRun> FrameReader::NextPreface(std::string_view rest) {
  if (!kPreface.starts_with(rest.substr(0, kPreface.size()))) {
    bad_ = "the client does not begin with the preface of HTTP/2";
    return std::nullopt;
  }
  if (rest.size() < kPreface.size()) return std::nullopt;
  preface_done_ = true;
  taken_ += kPreface.size();
  return FrameRun{.bytes = rest.substr(0, kPreface.size()), .preface = true};
}

// A server's first frame is SETTINGS, and a short one: 00 xx xx 04. What begins differently will
// perhaps never send nine bytes.
bool FrameReader::Plausible(std::string_view rest, std::size_t at) {
  if (!to_target_ && !preface_done_) {
    const bool foreign = (!rest.empty() && rest[0] != 0) ||
                         (rest.size() > 3 && rest[3] != static_cast<char>(FrameType::kSettings));
    if (foreign) bad_ = "the target does not begin with the SETTINGS of HTTP/2";
  }
  if (!bad_ && rest.size() - at >= kFrameHeaderBytes &&
      ReadFrameHeader(rest.substr(at)).length > longest_) {
    bad_ = "a frame is longer than its receiver allowed";
  }
  return bad_ == nullptr;
}

std::size_t FrameReader::RunLength(std::string_view rest) {
  std::size_t length = 0;
  FrameHeader first;
  while (Plausible(rest, length) && rest.size() - length >= kFrameHeaderBytes) {
    const FrameHeader header = ReadFrameHeader(rest.substr(length));
    const bool continues = length > 0;
    if (!continues) first = header;
    const bool is_continuation = header.type == FrameType::kContinuation;
    if (continues != is_continuation || (continues && header.stream != first.stream)) {
      bad_ = "HEADERS and CONTINUATION do not follow each other";
      return 0;
    }
    length += kFrameHeaderBytes + header.length;
    if (length > kMostHeaderBytes && first.type == FrameType::kHeaders) {
      bad_ = "headers of more than a mebibyte";
      return 0;
    }
    if (length > rest.size()) return 0;
    const bool headers = first.type == FrameType::kHeaders;
    if (!headers || header.has(kFlagEndHeaders)) return length;
  }
  return 0;
}

}  // namespace watchproof::proxy
