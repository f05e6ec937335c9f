// SPDX-License-Identifier: Apache-2.0
#include "harness/session/stream_traffic.h"

#include "harness/environment/environment.h"

namespace watchproof {

void StreamTraffic::Consume(const Entry& entry) {
  if (entry.kind == EntryKind::kStreamClosed) ended_.insert(entry.stream);
  if (entry.kind == EntryKind::kStreamOpened) {
    if (entry.text == Name(Path::kProxied)) arrived_[entry.stream];
    return;
  }
  const auto stream = arrived_.find(entry.stream);
  if (stream == arrived_.end()) return;
  if (entry.kind == EntryKind::kResponseReceived) {
    last_arrival_ = entry.at;
    ++stream->second.responses;
    stream->second.bytes +=
        static_cast<std::int64_t>(entry.payload.view().size() + entry.tail.view().size());
  } else if (entry.kind == EntryKind::kStreamClosed) {
    ++closed_;
    last_closed_ = entry.at;
  }
}

StreamTraffic::Arrived StreamTraffic::ArrivedAt(StreamId stream) const {
  const auto found = arrived_.find(stream);
  return found == arrived_.end() ? Arrived() : found->second;
}

std::vector<std::int64_t> StreamTraffic::BytesArrived() const {
  std::vector<std::int64_t> bytes;
  for (const auto& [stream, arrived] : arrived_) bytes.push_back(arrived.bytes);
  return bytes;
}

}  // namespace watchproof
