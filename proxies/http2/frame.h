// SPDX-License-Identifier: Apache-2.0
// The frames of HTTP/2 as bytes: reading their headers, making a few of them (RFC 9113).
//
// Threads: pure functions and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/units.h"

namespace watchproof::proxy {

// Chosen by the side that opens the stream; 0 is the connection itself.
using FrameStream = Quantity<struct FrameStreamTag, std::uint32_t>;

enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};  // others exist, and pass

inline constexpr std::uint8_t kFlagAck = 0x1;         // of SETTINGS and PING
inline constexpr std::uint8_t kFlagEndStream = 0x1;   // of DATA and HEADERS
inline constexpr std::uint8_t kFlagEndHeaders = 0x4;  // of HEADERS and CONTINUATION
inline constexpr std::uint8_t kFlagPadded = 0x8;      // of DATA and HEADERS
inline constexpr std::uint8_t kFlagPriority = 0x20;   // of HEADERS

inline constexpr std::size_t kFrameHeaderBytes = 9;
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::int64_t kDefaultWindow = 65535;
inline constexpr std::uint32_t kDefaultMaxFrame = 16384;
inline constexpr std::uint32_t kLargestMaxFrame = (1U << 24) - 1;

struct FrameHeader {
  std::uint32_t length = 0;  // of the payload
  FrameType type = FrameType::kData;
  std::uint8_t flags = 0;
  FrameStream stream;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

// Requires: kFrameHeaderBytes bytes.
FrameHeader ReadFrameHeader(std::string_view bytes);
std::uint32_t ReadNumber32(std::string_view bytes);
std::uint16_t ReadNumber16(std::string_view bytes);

// The bytes between padding and priority; nothing if the padding does not fit. Requires: a DATA or
// HEADERS frame, whole.
std::optional<std::string_view> ContentOf(const FrameHeader& header, std::string_view frame);

// The header block of HEADERS with its CONTINUATIONs; `joined` is its memory where there are any.
// Empty if a frame is malformed. Requires: whole frames.
std::optional<std::string_view> HeaderBlockOf(std::string_view frames, std::string& joined);

// What the sender of a SETTINGS frame is ready to receive, where the frame names it.
struct ReceiverLimits {
  std::optional<std::uint32_t> header_table = {};  // bytes of the table of headers
  std::optional<std::uint32_t> max_frame = {};     // bytes of a payload
};
// Empty if the frame is malformed.
std::optional<ReceiverLimits> ReadSettings(std::string_view frame);

std::string MakeFrame(const FrameHeader& header, std::string_view payload);
std::string MakeReset(FrameStream stream, std::uint32_t code);
std::string MakeGoAway(FrameStream last, std::uint32_t code);
// Requires: 0 < increment < 2^31.
std::string MakeWindowUpdate(FrameStream stream, std::int64_t increment);

// Makes a GOAWAY name no later stream than `last`. What is too short for one stays as it is.
void LowerGoAway(std::string& frame, FrameStream last);

}  // namespace watchproof::proxy
