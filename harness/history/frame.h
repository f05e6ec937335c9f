// SPDX-License-Identifier: Apache-2.0
// The file format of a history, version 2.
//
// One zstd frame (so `zstd -dc` opens it) around: the magic line, then one frame per entry:
//
//   offset  bytes  what (numbers are little-endian)
//        0      1  kind
//        1      1  method
//        2      1  code
//        3      1  0, or 1 + the slot whose tail completes the payload
//        4      4  stream
//        8      4  call
//       12      8  at, nanoseconds since the recording began
//       20      4  length of the text
//       24      4  length of the payload
//       28         text, then payload
//              4  only with a slot: how many of its last bytes follow the payload
//
// Watches of one range are told the same events, each in a message of its own: only the id before
// them differs. So the last 16 responses that were written whole are remembered in 16 slots, in
// turn, and a response that ends in the same events as one of them is written as its beginning and
// a slot.
//
// Line numbers are not stored: entries are numbered from 1 in the order of the file.
// Not thread-safe.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/history/entry.h"

namespace watchproof {

inline constexpr std::string_view kHistoryMagic = "watchproof history 2\n";
inline constexpr std::size_t kFrameHeaderSize = 28;
// No gRPC message and no text of ours comes near; what claims more is not a history.
inline constexpr std::uint32_t kLongestPart = 1U << 30;

// What both sides remember of the responses that were written whole.
class SharedTails {
 public:
  struct Match {
    std::size_t slot = 0;
    std::size_t size = 0;  // bytes of the tail; 0: none
  };
  // Requires: `payload` is a watch response.
  Match Find(std::string_view payload) const;
  // Only what is long enough to be worth it is remembered.
  void Remember(const Bytes& payload);
  // Empty if the slot does not hold as much.
  Bytes Tail(std::size_t slot, std::size_t size) const;

 private:
  static constexpr std::size_t kSlots = 16;
  struct Slot {
    Bytes payload;
    std::size_t events = 0;  // bytes from the first event on
  };
  std::array<Slot, kSlots> slots_;
  std::size_t next_ = 0;
};

class FrameWriter {
 public:
  // Appends the frame of `entry` to `out`. Requires: text and payload no longer than kLongestPart.
  // Looks for a shared tail at once, while the message is still in the processor's cache; keeps at
  // most the last messages that were written whole.
  void Append(const Entry& entry, std::string& out);

 private:
  void AppendJoined(const Entry& entry, std::string& out);

  SharedTails tails_;
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
  SharedTails tails_;
};

}  // namespace watchproof
