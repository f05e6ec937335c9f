// SPDX-License-Identifier: Apache-2.0
// What travels through the frame stages of a connection: one frame, or HEADERS whole.
//
// Threads: values, on the io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proxies/core/direction.h"
#include "proxies/grpc/watch_scanner.h"
#include "proxies/http2/frame.h"

namespace watchproof::proxy {

inline constexpr std::string_view kWatchPath = "/etcdserverpb.Watch/Watch";
inline constexpr std::string_view kCompactPath = "/etcdserverpb.KV/Compact";

// What stays the same about a stream.
struct StreamInfo {
  FrameStream id;
  std::string path;
  std::int64_t number = 0;  // counts from 1: the streams of this path on this connection
};

struct Unit {
  Direction direction = Direction::kToClient;
  FrameHeader header;  // of the first frame
  std::string bytes;   // of all frames, as they were read
  // Null for the connection itself and for unknown streams. Shared by the table of streams and the
  // units under way, which may outlive the stream.
  std::shared_ptr<const StreamInfo> stream;
  std::vector<WatchOffset> offsets;  // of DATA of a watch stream
  std::int64_t cost = 0;             // of the bytes that were read for it, see Chunk::cost

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }
  bool is(FrameType type) const { return header.type == type; }
  // What it uses up of the receiver's windows.
  std::int64_t flow() const { return is(FrameType::kData) ? header.length : 0; }
  bool ends_stream() const {
    return (is(FrameType::kData) || is(FrameType::kHeaders)) && header.has(kFlagEndStream);
  }
  // Padded DATA stays whole.
  bool divisible() const { return is(FrameType::kData) && !header.has(kFlagPadded); }
};

// Cuts `unit` behind `bytes` of its payload, into two frames of the same stream; returns the first.
// Requires: divisible, and 0 < bytes < its length.
Unit SplitOff(Unit& unit, std::size_t bytes);
// Leaves everything in `unit` but the end of its stream, which is returned as an empty frame.
// Requires: divisible, and it ends its stream.
Unit SplitEnd(Unit& unit);
// Takes the padding off; returns a frame without bytes that stands for what the padding took of the
// receiver's windows. Requires: DATA of a known stream, with padding.
Unit TakePadding(Unit& unit);

// The first offset of this kind, or null.
const WatchOffset* FindOffset(const Unit& unit, WatchOffset::Kind kind);

}  // namespace watchproof::proxy
