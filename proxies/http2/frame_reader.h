// SPDX-License-Identifier: Apache-2.0
// Cuts one direction of a connection into frames, as its bytes come.
//
//   reader.Push(bytes);
//   while (auto frames = reader.Next()) ...   // one frame, or HEADERS with its CONTINUATIONs
//   if (reader.bad()) ...                     // this is no HTTP/2: reader.TakeRest() has the bytes
//
// The client's direction begins with the preface, which is handed out like a frame. What is neither
// is noticed at its first wrong byte, so that no foreign protocol ever waits for the rest of a
// frame.
//
// Memory: at most one frame of the size that its receiver allowed, or kMostHeaderBytes of HEADERS.
// Not thread-safe. Ownership: what Next returns is valid until the next call of any function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxies/core/direction.h"
#include "proxies/http2/frame.h"

namespace watchproof::proxy {

struct FrameRun {
  FrameHeader header;      // of the first frame
  std::string_view bytes;  // of all
  bool preface = false;    // no frame at all
};

class FrameReader {
 public:
  // Requires: a narrow direction.
  explicit FrameReader(Direction direction) : to_target_(direction == Direction::kToTarget) {}

  void Push(std::string_view bytes);
  std::optional<FrameRun> Next();
  // Why this is no HTTP/2, once it is known; empty as long as it may be.
  const char* bad() const { return bad_; }
  // What was pushed and not handed out.
  std::string TakeRest();
  // The receiver takes longer frames from now on. It never takes shorter ones again.
  void AllowFrames(std::uint32_t length);
  std::size_t pending() const { return buffer_.size() - taken_; }

  static constexpr std::size_t kMostHeaderBytes = 1 << 20;

 private:
  std::optional<FrameRun> NextPreface(std::string_view rest);
  // The bytes of the run that begins here; 0 if more must come, or it is bad.
  std::size_t RunLength(std::string_view rest);
  bool Plausible(std::string_view rest, std::size_t at);

  const bool to_target_;
  std::string buffer_;
  std::size_t taken_ = 0;
  bool preface_done_ = false;  // to the target: the preface; to the client: the first SETTINGS
  std::uint32_t longest_ = kDefaultMaxFrame;
  const char* bad_ = nullptr;
};

}  // namespace watchproof::proxy
