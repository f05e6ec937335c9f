// SPDX-License-Identifier: Apache-2.0
// When calls were open and when responses arrived, to report what a fault overlapped.
//
//   OverlapTable table;
//   table.Consume(line);                           // every line of the recording, in order
//   const Overlap overlap = table.Between(armed_at, healed_at);
//
// Not thread-safe. Memory: some 50 bytes per call, 16 per response.
#pragma once

#include <unordered_map>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/results/result.h"

namespace watchproof {

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
