// SPDX-License-Identifier: Apache-2.0
// The open streams of one connection: their paths, and the content of the messages in them.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proxies/http2/header_decoder.h"
#include "proxies/http2/unit.h"

namespace watchproof::proxy {

class StreamTable {
 public:
  // Reads one frame, or HEADERS whole; `bad` is null, or why the connection cannot be followed any
  // more. `offsets` are those in DATA of a watch stream, valid until the next call.
  struct Observed {
    std::shared_ptr<const StreamInfo> stream;
    std::span<const WatchOffset> offsets;
    const char* bad = nullptr;
  };
  Observed Note(Direction direction, const FrameHeader& header, std::string_view bytes);

  // The receiver of `direction` allows a table of headers of so many bytes.
  void AllowTable(Direction direction, std::uint32_t bytes) {
    decoder(direction).AllowTable(bytes);
  }

  static constexpr std::size_t kMostStreams = 1 << 16;

 private:
  struct Stream {
    std::shared_ptr<const StreamInfo> info;
    std::optional<WatchScanner> responses;
    std::optional<WatchScanner> requests;
    bool client_ended = false;
    bool target_ended = false;
  };

  HeaderDecoder& decoder(Direction direction) {
    return direction == Direction::kToClient ? from_target_ : from_client_;
  }
  const char* NoteHeaders(Direction direction, const FrameHeader& header, std::string_view bytes);
  void Open(FrameStream id, std::string path);
  void NoteEnd(Direction direction, const FrameHeader& header);

  HeaderDecoder from_client_;
  HeaderDecoder from_target_;
  std::map<FrameStream, Stream> streams_;
  std::map<FrameStream, Stream>::node_type over_;  // the stream that ended last
  std::map<std::string, std::int64_t> opened_;  // by path; others than the known ones are not kept
  FrameStream newest_;
};

}  // namespace watchproof::proxy
