// SPDX-License-Identifier: Apache-2.0
// Whether events come late while no fault is active. etcd promises no delivery time, so a late
// event is a note and never a failure.
//
//   DelayRule rule(facts);
//   rule.Consume(line);                       // each line of the recording
//   rule.Deliver(watch, response);            // before the watch table has it
//   rule.Finish(findings);
//
// The limit comes from the run: twenty times its slowest write, and a second at least. A delay
// counts from the answer to the write, for a watch that was created before it and had been on time
// since the latest fault. Memory: one entry per watch and the latest 4,096 revisions. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/checkers/checker.h"

namespace watchproof {

class DelayRule {
 public:
  explicit DelayRule(const Facts& facts) : facts_(facts), written_(kRemembered) {}

  void Consume(const NumberedEntry& line);
  void Deliver(WatchIndex watch, const Response& response);
  void Finish(Findings& findings) const;

 private:
  static constexpr std::size_t kRemembered = 4096;

  struct Written {
    Revision revision{};
    Where answered;
  };
  struct Worst {
    WatchIndex watch{};
    Revision revision{};
    Where answered;
    Where delivered;
    Duration delay{};
  };
  // A watch that was late is measured again once it has been on time.
  struct Pace {
    bool on_time = true;
    Line since{};  // of that
  };

  const Facts& facts_;
  std::vector<Written> written_;                     // by revision, modulo its size
  std::unordered_map<std::uint32_t, Duration> out_;  // writes without an answer yet
  std::vector<Pace> paces_;                          // by watch
  Duration slowest_write_{};
  Worst worst_;
};

}  // namespace watchproof
