// SPDX-License-Identifier: Apache-2.0
// Harm that overlaps, drawn from the seed: an ordered list of moments and what is done at each,
// which becomes part of the plan and can be done again from it.
//
//   Schedule schedule(scenario, {.group = "first", .write = [&](auto least, auto most) {...}});
//   schedule.Round();  schedule.Round();
//   scenario.AwaitDelivered(schedule.group());
//
// A round makes the road slow in some ways, has watches fall behind, and ends their connection,
// each while what came before is still in place, and each felt before the next; then heals in
// another order and resumes. Harm that would keep a witness of later harm from seeing it does not
// go with that, and no fault comes twice. Not thread-safe. Ownership: refers to the scenario.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/support/scenario.h"

namespace watchproof {

struct ScheduleOptions {
  // Whose watches are resumed; groups of the schedule's own take over from it.
  std::string group;
  // Writes some keys that the group watches.
  std::function<void(std::int64_t least, std::int64_t most)> write;
};

// One way to do harm, with what it does not go with.
struct Disturbance {
  enum class Kind {
    kSlow,         // the road, for everybody
    kRefuses,      // who comes anew, and so calls of our own
    kHold,         // what the target says, in the proxy: it cannot be heard that a stream ended
    kReader,       // does not read: it does not hear that its stream has ended
    kCut,          // ends connections
    kStreamCut,    // ends a stream, by what is said on it
    kNeedsFlow,    // ends connections, and is felt by what goes on flowing
    kNeedsAnswer,  // as kNeedsFlow, and by calls that are answered before
  };
  Kind kind = Kind::kSlow;
  std::string fault;
  std::map<std::string, std::string> parameters{};
};

class Schedule {
 public:
  Schedule(Scenario& scenario, ScheduleOptions options);

  void Round();
  // The watches that live now.
  const std::string& group() const { return group_; }

 private:
  // One of these kinds that was not used before, or none.
  const Disturbance* Draw(const std::vector<Disturbance::Kind>& kinds);
  void Inject(const Disturbance& disturbance);
  void Heal(const std::string& fault);
  // The name of a parameter's value where only the schedule knows it.
  std::map<std::string, std::string> ParametersOf(const Disturbance& disturbance) const;
  void AwaitMoment();

  Scenario& scenario_;
  const ScheduleOptions options_;
  Prng prng_;
  std::vector<Disturbance> left_;   // in the order in which they will be drawn
  std::vector<std::string> armed_;  // faults that are in place
  std::string group_;
  std::string stream_ = "main";
  int rounds_ = 0;
};

}  // namespace watchproof
