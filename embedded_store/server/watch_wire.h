// SPDX-License-Identifier: Apache-2.0
// Watch replies as bytes on the wire, written without generated messages: the events of a batch are
// encoded once and shared, and only a short head is made for each watcher.
//
//   WireReply wire(reply, kMaxReceiveBytes, hooks);
//   while (auto message = wire.Next()) stream.Write(*message);
//
// Previous values are looked up here, when the first sender gets to the batch: one that compaction
// has taken by then is left out, as in etcd (#10681).
// Threads: a WireReply belongs to one sender; what batches share may be used by many.
// Ownership: messages hold shares of the encoded events.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

struct EncodedEvents {
  grpc::Slice bytes;
  std::vector<std::size_t> ends;  // of each event
};

// One reply on its way: a message, or several when it may be fragmented and is above `most_bytes`.
// A single event above the bound still travels whole.
class WireReply {
 public:
  // Requires: most_bytes is at least some hundreds.
  WireReply(WatchReply reply, std::size_t most_bytes, const Hooks& hooks = Hooks::None());
  // Empty after the last one.
  std::optional<grpc::ByteBuffer> Next();

 private:
  // Where the part that begins with this event ends.
  std::size_t EndOfPart(std::size_t begin) const;

  const WatchReply reply_;
  const std::size_t most_bytes_;
  const Hooks& hooks_;
  const std::shared_ptr<const EncodedEvents> events_;  // null when there are none
  std::size_t sent_ = 0;                               // events in earlier parts
  bool done_ = false;
};

}  // namespace watchproof::store
