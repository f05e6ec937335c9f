// SPDX-License-Identifier: Apache-2.0
// What went on in an attempt, by its recording: what arrived on the watch streams, for faults that
// look for evidence and for steps that wait for a moment; and what a fault overlapped, for reports.
//
//   traffic.Consume(entry);      // each of the recording, in order
//   traffic.ArrivedAt(stream).bytes;
//   overlaps.Consume(line);
//   const Overlap overlap = overlaps.Between(armed_at, healed_at);
//
// Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/results/result.h"

namespace watchproof {

class StreamTraffic {
 public:
  void Consume(const Entry& entry);

  bool HasEnded(StreamId stream) const { return ended_.contains(stream); }

  // What arrived on a stream of the proxied path.
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

// When calls were open and when responses arrived. Memory: some 50 bytes per call, 16 per response.
class OverlapTable {
 public:
  void Consume(const NumberedEntry& line);
  // Both ends count.
  Overlap Between(Duration from, Duration to) const;

 private:
  struct Call {
    Line began;
    Line ended;  // 0: not yet
    Duration from;
    Duration to;
    bool answered = false;
  };
  struct Arrival {
    Line line;
    Duration at;
  };

  std::vector<Call> calls_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // of open calls
  std::vector<Arrival> arrivals_;
};

}  // namespace watchproof
