// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/frame.h"

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

constexpr std::uint32_t kStreamBits = 0x7fffffff;  // the highest bit is reserved
constexpr std::size_t kPriorityBytes = 5;
constexpr std::size_t kSettingBytes = 6;
constexpr std::uint16_t kTableSetting = 0x1;
constexpr std::uint16_t kFrameSetting = 0x5;

std::uint32_t ReadBigEndian(std::string_view bytes, std::size_t count) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, count)) {
    number = number << 8 | static_cast<std::uint8_t>(byte);
  }
  return number;
}

void AppendBigEndian(std::string& bytes, std::uint32_t number, unsigned count) {
  while (count-- > 0) bytes.push_back(static_cast<char>(number >> (8 * count) & 0xff));
}

std::string Number(std::uint32_t first) {
  std::string bytes;
  AppendBigEndian(bytes, first, 4);
  return bytes;
}

}  // namespace

FrameHeader ReadFrameHeader(std::string_view bytes) {
  WP_CHECK(bytes.size() >= kFrameHeaderBytes, "a frame header has nine bytes");
  return {.length = ReadBigEndian(bytes, 3),
          .type = static_cast<FrameType>(bytes[3]),
          .flags = static_cast<std::uint8_t>(bytes[4]),
          .stream = FrameStream(ReadBigEndian(bytes.substr(5), 4) & kStreamBits)};
}

std::uint32_t ReadNumber32(std::string_view bytes) { return ReadBigEndian(bytes, 4); }
std::uint16_t ReadNumber16(std::string_view bytes) {
  return static_cast<std::uint16_t>(ReadBigEndian(bytes, 2));
}

std::optional<std::string_view> ContentOf(const FrameHeader& header, std::string_view frame) {
  std::string_view content = frame.substr(kFrameHeaderBytes);
  std::size_t padding = 0;
  if (header.has(kFlagPadded)) {
    if (content.empty()) return std::nullopt;
    padding = static_cast<std::uint8_t>(content.front());
    content.remove_prefix(1);
  }
  if (header.type == FrameType::kHeaders && header.has(kFlagPriority)) {
    if (content.size() < kPriorityBytes) return std::nullopt;
    content.remove_prefix(kPriorityBytes);
  }
  if (padding > content.size()) return std::nullopt;
  content.remove_suffix(padding);
  return content;
}

std::optional<std::string_view> HeaderBlockOf(std::string_view frames, std::string& joined) {
  const FrameHeader first = ReadFrameHeader(frames);
  const std::size_t first_size = kFrameHeaderBytes + first.length;
  const auto content = ContentOf(first, frames.substr(0, first_size));
  if (!content || first_size == frames.size()) return content;
  joined = *content;
  for (std::size_t at = first_size; at < frames.size();) {
    const std::size_t length = ReadFrameHeader(frames.substr(at)).length;
    joined += frames.substr(at + kFrameHeaderBytes, length);
    at += kFrameHeaderBytes + length;
  }
  return joined;
}

std::optional<ReceiverLimits> ReadSettings(std::string_view frame) {
  std::string_view payload = frame.substr(kFrameHeaderBytes);
  if (payload.size() % kSettingBytes != 0) return std::nullopt;
  ReceiverLimits settings;
  for (; !payload.empty(); payload.remove_prefix(kSettingBytes)) {
    const std::uint32_t value = ReadNumber32(payload.substr(2));
    if (ReadNumber16(payload) == kTableSetting) settings.header_table = value;
    if (ReadNumber16(payload) == kFrameSetting) settings.max_frame = value;
  }
  return settings;
}

std::string MakeFrame(const FrameHeader& header, std::string_view payload) {
  WP_CHECK(payload.size() <= kLargestMaxFrame, "the length of a frame has three bytes");
  std::string frame;
  frame.reserve(kFrameHeaderBytes + payload.size());
  AppendBigEndian(frame, static_cast<std::uint32_t>(payload.size()), 3);
  frame.push_back(static_cast<char>(header.type));
  frame.push_back(static_cast<char>(header.flags));
  AppendBigEndian(frame, header.stream.value, 4);
  frame += payload;
  return frame;
}

std::string MakeReset(FrameStream stream, std::uint32_t code) {
  return MakeFrame({.type = FrameType::kReset, .stream = stream}, Number(code));
}

std::string MakeGoAway(FrameStream last, std::uint32_t code) {
  return MakeFrame({.type = FrameType::kGoAway}, Number(last.value) + Number(code));
}

std::string MakeWindowUpdate(FrameStream stream, std::int64_t increment) {
  WP_CHECK(increment > 0 && increment <= kStreamBits, "a window grows by 1 to 2^31 - 1");
  return MakeFrame({.type = FrameType::kWindowUpdate, .stream = stream},
                   Number(static_cast<std::uint32_t>(increment)));
}

void LowerGoAway(std::string& frame, FrameStream last) {
  const std::string_view payload = std::string_view(frame).substr(kFrameHeaderBytes);
  if (payload.size() < 4 || (ReadNumber32(payload) & kStreamBits) <= last.value) return;
  frame.replace(kFrameHeaderBytes, 4, Number(last.value));
}

}  // namespace watchproof::proxy
