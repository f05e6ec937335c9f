// SPDX-License-Identifier: Apache-2.0
// What arrived on the watch streams, by the recording: for faults that look for evidence, and for
// steps that wait for a moment.
//
//   traffic.Consume(entry);      // each of the recording
//   traffic.ArrivedAt(stream).bytes;
//
// Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "harness/history/entry.h"

namespace watchproof {

class StreamTraffic {
 public:
  void Consume(const Entry& entry);

  bool HasEnded(StreamId stream) const { return ended_.contains(stream); }

  // Of the streams on the proxied path:
  struct Arrived {
    std::int64_t responses = 0;
    std::int64_t bytes = 0;
  };
  // Nothing for streams on other paths.
  Arrived ArrivedAt(StreamId stream) const;
  // In the order of opening.
  std::vector<std::int64_t> BytesArrived() const;
  // When anything arrived last.
  Duration last_arrival() const { return last_arrival_; }
  // How many have ended, and when the last one did.
  std::int64_t closed() const { return closed_; }
  Duration last_closed() const { return last_closed_; }

 private:
  std::map<StreamId, Arrived> arrived_;  // of the proxied path
  std::set<StreamId> ended_;
  Duration last_arrival_{};
  std::int64_t closed_ = 0;
  Duration last_closed_{};
};

}  // namespace watchproof
