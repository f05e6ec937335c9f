// SPDX-License-Identifier: Apache-2.0
// How much memory the target held while a fault was armed: measured, compared between releases,
// never judged.
//
//   MemoryMeter meter;
//   meter.Armed("stall", ports);  ...  meter.Sample(ports);  ...  meter.Healed("stall", ports);
//   for (const Footprint& footprint : meter.Summary()) ...
//
// Where the memory is not known, there are no footprints. Not thread-safe. Blocks: for one page of
// metrics where it takes that to know, at most a tenth of the time.
#pragma once

#include <string>
#include <vector>

#include "harness/faults/fault.h"
#include "harness/model/lag.h"

namespace watchproof {

class MemoryMeter {
 public:
  // Before the fault does anything.
  void Armed(const std::string& fault, const FaultPorts& ports);
  // Reads the metric if some fault is armed and the last reading is old enough.
  void Sample(const FaultPorts& ports);
  // Before it is healed: the last reading. No-op if it is not armed.
  void Healed(const std::string& fault, const FaultPorts& ports);

  // One per fault that was armed and measured, in the order of arming.
  std::vector<Footprint> Summary() const;

 private:
  struct Armament {
    Footprint footprint;
    bool over = false;
  };

  std::vector<Armament> armaments_;
  Duration next_{};  // the time of the next reading
};

}  // namespace watchproof
