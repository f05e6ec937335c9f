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
// Watches of one range receive the same events in separate messages, split at different places. The
// bytes that such messages share are written once: the window holds the latest events as one run of
// bytes. New events are appended, so they stand in it in the order of revisions, and nearly every
// later message is a part of it.
//
//   const WindowPart part = index.Find(window, events);       // the writer's side
//   window.Apply(part, literal);                              // both sides, in the same order
//   Bytes tail = window.Share(part);
//
// Line numbers are not stored: entries are numbered from 1 in the order of the file.
// Not thread-safe. Ownership: shared parts keep their segment alive after the window has moved on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/bytes.h"
#include "harness/history/entry.h"

namespace watchproof {

inline constexpr std::size_t kFrameHeaderSize = 28;
// No gRPC message and no text of the harness comes near; a larger length is not a history.
inline constexpr std::uint32_t kLongestPart = 1U << 30;

// Where the events of a message stand in the window once their `literal` last bytes were appended.
struct WindowPart {
  bool fresh = false;  // the window begins anew
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  std::uint32_t literal = 0;
};

class EventWindow {
 public:
  static constexpr std::size_t kSize = 1 << 20;

  // False, and nothing happens, when the part does not fit the window. `literal` is appended.
  bool Apply(const WindowPart& part, std::string_view literal);
  // Requires: the part was applied.
  Bytes Share(const WindowPart& part) const;
  std::string_view view() const { return {segment_.get(), used_}; }

 private:
  // Shared with the parts that were handed out. Grows only beyond them.
  std::shared_ptr<char[]> segment_;
  std::size_t used_ = 0;
};

// Finds messages in the window by their first event.
class EventIndex {
 public:
  // Requires: `events` are fields of a WatchResponse, the first of them an event, no more than
  // EventWindow::kSize bytes.
  WindowPart Find(std::string_view window, std::string_view events);

 private:
  // One place per event, the latest one; an event with the same hash replaces it.
  static constexpr std::size_t kPlaces = 1 << 14;

  void Learn(std::string_view events, std::size_t at);

  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(kPlaces);  // 1 + offset
};

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
