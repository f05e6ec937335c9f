// SPDX-License-Identifier: Apache-2.0
// The file format of a history, version 1.
//
// One zstd frame (so `zstd -dc` opens it) around: the magic line, then one frame per entry:
//
//   offset  bytes  what (numbers are little-endian)
//        0      1  kind
//        1      1  method
//        2      1  code
//        3      1  zero
//        4      4  stream
//        8      4  call
//       12      8  at, nanoseconds since the recording began
//       20      4  length of the text
//       24      4  length of the payload
//       28         text, then payload
//
// Line numbers are not stored: entries are numbered from 1 in the order of the file.
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/history/entry.h"

namespace watchproof {

inline constexpr std::string_view kHistoryMagic = "watchproof history 1\n";
inline constexpr std::size_t kFrameHeaderSize = 28;
// No gRPC message and no text of ours comes near; what claims more is not a history.
inline constexpr std::uint32_t kLongestPart = 1U << 30;

// Appends the frame of `entry` to `out`. Requires: text and payload no longer than kLongestPart.
void AppendFrame(const Entry& entry, std::string& out);

struct Frame {
  Entry entry;           // the payload is a copy
  std::size_t size = 0;  // bytes that the frame took
};
// Empty when `data` ends inside the frame; an error when it is not one.
Result<std::optional<Frame>> ParseFrame(std::string_view data);

}  // namespace watchproof
