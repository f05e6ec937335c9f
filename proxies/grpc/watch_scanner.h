// SPDX-License-Identifier: Apache-2.0
// The content of the messages of one direction of a watch stream, as far as triggers need it.
//
//   WatchScanner scanner(WatchScanner::Side::kResponses);
//   for (const WatchOffset& offset : scanner.Feed(payload)) ...
//
// An offset is a place in the bytes at which something has been read: the watch that a message is
// for (before its first event), an event, the end of a message. Messages that are compressed, or
// not of the watch API, are found but have no content. Bytes that are no message at all give, for
// every piece, one unreadable message that never ends.
//
// Not thread-safe. Ownership: what Feed returns is valid until it is called again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxies/grpc/field_scanner.h"
#include "proxies/grpc/message_finder.h"

namespace watchproof::proxy {

// What is known of a response, or of a request to create a watcher, as far as it has been read.
struct WatchFacts {
  std::int64_t watch_id = 0;
  std::int64_t revision = 0;  // a response's header; a create request's start
  std::int64_t compact_revision = 0;
  std::int64_t event_revision = 0;  // of the last event that was read
  std::int64_t events = 0;
  bool created = false;  // or a request to create
  bool canceled = false;
  bool fragment = false;  // more of the same response follows
  bool readable = true;   // false: the other fields are not set

  bool is_progress() const { return readable && events == 0 && !created && !canceled && !fragment; }
};

struct WatchOffset {
  enum class Kind { kHead, kEvent, kEnd };

  Kind kind = Kind::kEnd;
  std::size_t begin = 0;      // where the message begins in the piece; 0 if before
  std::size_t end = 0;        // one past what had to be read for it
  bool began_before = false;  // the message began in an earlier piece
  WatchFacts facts;

  // The offset as seen from a piece that begins `bytes` later.
  WatchOffset After(std::size_t bytes) const {
    WatchOffset later = *this;
    later.began_before |= begin < bytes;
    later.begin = begin > bytes ? begin - bytes : 0;
    later.end = end > bytes ? end - bytes : 0;
    return later;
  }
};

class WatchScanner final : private FieldSink {
 public:
  enum class Side { kRequests, kResponses };
  explicit WatchScanner(Side side);

  std::span<const WatchOffset> Feed(std::string_view piece);
  bool lost() const { return finder_.lost(); }

 private:
  void OnNumber(int name, std::int64_t value) override;
  void OnEnter(int name, std::size_t at) override;
  void OnLeave(int name, std::size_t at) override;

  void Scan(std::string_view piece, const MessagePart& part);
  void Offset(WatchOffset::Kind kind, std::size_t end);
  void NoteHeadOffset(std::size_t end);

  MessageFinder finder_;
  FieldScanner fields_;
  std::vector<WatchOffset> offsets_;
  WatchFacts facts_;
  std::int64_t event_revision_ = 0;
  std::size_t begin_ = 0;  // of the message, in the piece
  std::size_t body_ = 0;   // of the part, in the piece
  bool first_ = false;     // the part begins its message
  bool head_noted_ = false;
};

}  // namespace watchproof::proxy
