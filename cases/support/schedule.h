// SPDX-License-Identifier: Apache-2.0
// Overlapping faults, drawn from the seed: an ordered list of moments with what happens at each.
// They become steps of the plan, from which they can be repeated.
//
//   Schedule schedule(scenario, {.group = "first", .write = [&](auto least, auto most) {...}});
//   schedule.Round();  schedule.Round();
//   scenario.AwaitDelivered(schedule.group());
//
// A round slows the path down in some ways, lets watches fall behind, and ends their connection.
// Each fault takes effect before the next one begins, while the previous ones are still active.
// Then the round heals them in another order and resumes the watches. Two faults are not combined
// if the first would hide the evidence of the second, and no fault is used twice.
//
// Not thread-safe. Ownership: refers to the scenario.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/support/scenario.h"

namespace watchproof {

struct ScheduleOptions {
  // The group to resume; later rounds resume the group of the round before.
  std::string group;
  // Writes some keys in the range of the group.
  std::function<void(std::int64_t least, std::int64_t most)> write;
};

// A fault with its kind, which decides what it can be combined with.
struct Disturbance {
  enum class Kind {
    kSlow,         // slows down the whole path
    kRefuses,      // refuses new connections, including those of the harness
    kHold,         // holds responses back in the proxy, also the end of a stream
    kReader,       // the client does not read, so it does not receive the end of its stream
    kCut,          // ends connections
    kStreamCut,    // ends a stream, triggered by its contents
    kNeedsFlow,    // ends connections; its evidence needs bytes that continue to flow
    kNeedsAnswer,  // as kNeedsFlow; its evidence also needs calls that were answered before
  };
  Kind kind = Kind::kSlow;
  std::string fault;
  std::map<std::string, std::string> parameters{};
};

class Schedule {
 public:
  Schedule(Scenario& scenario, ScheduleOptions options);

  void Round();
  // The group of the watches that are open now.
  const std::string& group() const { return group_; }

 private:
  // One of these kinds that was not used before, or none.
  const Disturbance* Draw(const std::vector<Disturbance::Kind>& kinds);
  void Inject(const Disturbance& disturbance);
  void Heal(const std::string& fault);
  // Fills in parameters that only the schedule can provide.
  std::map<std::string, std::string> ParametersOf(const Disturbance& disturbance) const;
  void AwaitMoment();

  Scenario& scenario_;
  const ScheduleOptions options_;
  Prng prng_;
  std::vector<Disturbance> left_;   // in the order in which they will be drawn
  std::vector<std::string> armed_;  // faults that are active
  std::string group_;
  std::string stream_ = "main";
  int rounds_ = 0;
};

}  // namespace watchproof
