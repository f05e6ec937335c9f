// SPDX-License-Identifier: Apache-2.0
// The step about what a target refuses for its size. See step.h.
#pragma once

#include <cstdint>

#include "harness/scenario/step.h"

namespace watchproof {

// From here on the target is held to its limits: those that etcd has by default, and the quota of
// the plan; see ClusterPlan.
struct LimitsStep {
  std::int64_t space = 0;  // bytes; 0: no limit
  std::int64_t operations = 128;
  std::int64_t request = 1536 << 10;
  static constexpr std::string_view kOp = "limits";
  void Fields(FieldList& field) {
    field("space", space).Optional();
    field("operations", operations).Optional();
    field("request", request).Optional();
  }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
