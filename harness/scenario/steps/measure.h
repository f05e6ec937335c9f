// SPDX-License-Identifier: Apache-2.0
// The steps that measure the target, beside a burden and without one: see model/figure.h, and the
// guarantees Bounded and Available. What is measured without a burden is what the following
// measurements beside one are compared with. See step.h.
#pragma once

#include <map>
#include <string>

#include "harness/model/figure.h"
#include "harness/scenario/step.h"

namespace watchproof {

// By the name of a figure: so many times as bad as without the burden is a finding.
using FigureLimits = std::map<std::string, std::string>;
Status CheckLimits(const FigureLimits& limits);

// Clients put keys as fast as they are answered, and one more puts a key and waits for its event,
// again and again.
struct MeasureLoadStep {
  // What an operator asks for as soon as they are measured, until it is answered.
  enum class Asks { kNothing, kCompaction, kDefragmentation };
  static constexpr std::string_view kAsks[] = {"nothing", "compaction", "defragmentation"};
  std::string beside{};  // the burden; empty: none
  bool over = false;     // the burden is no longer there
  Asks asks = Asks::kNothing;
  std::string key;    // key/0, key/1, ... are put, and the key itself
  std::string group;  // watches of the key itself, which receive the events
  Duration time = 1s;
  std::size_t clients = 4;
  FigureLimits limits{};
  static constexpr std::string_view kOp = "measure load";
  void Fields(FieldList& field) {
    field("beside", beside).Optional();
    field("over", over).Optional();
    field("asks", asks, kAsks).Optional();
    field("key", key);
    field("group", group).Uses(Subject::kGroup);
    field("us", time).Waits();
    field("clients", clients).Within(1, 1000, "clients");
    field("limits", limits).Optional();
  }
  Status Check() const { return CheckLimits(limits); }
  std::string_view Request() const;
  Usage Cost() const;
  Status Run(StepContext& context) const;
};

// The member in use is asked to put the key, again and again, until it answers: how long that
// takes, from the begin of the step on, in a cluster that has just lost its leader, or has just
// been healed.
struct MeasureServiceStep {
  std::string beside{};
  std::string key;
  FigureLimits limits{};
  static constexpr std::string_view kOp = "measure service";
  void Fields(FieldList& field) {
    field("beside", beside).Optional();
    field("key", key);
    field("limits", limits).Optional();
  }
  Status Check() const { return CheckLimits(limits); }
  Usage Cost() const;
  Status Run(StepContext& context) const;
};

// What the target holds while nothing is asked of it: memory that is in use, goroutines, files. The
// key is put and read until its memory has been collected.
struct MeasureRestStep {
  std::string beside{};
  std::string key;
  std::size_t watches = 0;  // so many more than when it was first at rest; see Figure::kPerWatch
  std::size_t cancels = 0;  // so many cancelled since then; see Figure::kPerCancel
  // So many bytes since it was last at rest without a burden; see Figure::kPerWritten.
  std::int64_t written = 0;
  FigureLimits limits{};
  static constexpr std::string_view kOp = "measure rest";
  void Fields(FieldList& field) {
    field("beside", beside).Optional();
    field("key", key);
    field("watches", watches).Within(0, 1'000'000, "watches").Optional();
    field("cancels", cancels).Within(0, 1'000'000, "cancels").Optional();
    field("written", written).Within(0, 1'000'000'000, "bytes").Optional();
    field("limits", limits).Optional();
  }
  Status Check() const { return CheckLimits(limits); }
  Usage Cost() const;
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
