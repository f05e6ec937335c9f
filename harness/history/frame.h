// SPDX-License-Identifier: Apache-2.0
// How one entry of a recording is written. The file around the entries: chunk.h.
//
//   offset  bytes  what (numbers are little-endian)
//        0      1  kind
//        1      1  method
//        2      1  code
//        3      1  0, or 1: the payload ends with a part of the window, or 2: that begins anew
//        4      4  stream
//        8      4  call
//       12      8  at, nanoseconds since the recording began
//       20      4  length of the text
//       24      4  length of the payload, without what the window holds
//       28         text, then payload
//    then, with a window only:
//              4  where the part begins in the window
//              4  its length
//              4  how many of its last bytes are new
//                 those bytes, which are appended to the window
//
// Watches of one range receive the same events in separate messages. The bytes that such messages
// share are written once: event_window.h.
//
// Line numbers are not stored: entries are numbered from 1 in the order of the file.
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/history/entry.h"
#include "harness/history/event_window.h"

namespace watchproof {

inline constexpr std::size_t kFrameHeaderSize = 28;
// No gRPC message and no text of the harness comes near; a larger length is not a history.
inline constexpr std::uint32_t kLongestPart = 1U << 30;

class FrameWriter {
 public:
  // Appends the frame of `entry` to `out`. Requires: text and payload no longer than kLongestPart.
  // Keeps nothing of it but events in the window.
  void Append(const Entry& entry, std::string& out);

 private:
  void AppendJoined(const Entry& entry, std::string& out);
  void AppendPart(const WindowPart& part, std::string_view literal, std::string& out);

  EventWindow window_;
  EventIndex index_;
};

struct Frame {
  Entry entry;
  std::size_t size = 0;  // bytes that the frame took
};

class FrameReader {
 public:
  // Empty when `data` ends inside the frame; an error when it is not one. Frames come in their
  // order. The payload is a copy; that of a response shares `data` if
  // its `owner` is given.
  Result<std::optional<Frame>> Parse(std::string_view data,
                                     const std::shared_ptr<const void>& owner = nullptr);

 private:
  EventWindow window_;
};

}  // namespace watchproof
