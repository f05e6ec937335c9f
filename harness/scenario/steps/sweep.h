// SPDX-License-Identifier: Apache-2.0
// The step that goes over the options of a call. See step.h.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/step.h"
#include "harness/script/sweeps.h"

namespace watchproof {

// Reads, in parts too, writes or transactions with compares of the keys below `key`, with every
// option that they have, or what must be refused: see script/sweeps.h. Whether each had to be
// answered, and with what, is judged from the recording.
struct SweepStep {
  explore::SweepOf of = explore::SweepOf::kReads;
  static constexpr std::string_view kSweeps[] = {"reads", "reads in parts", "writes", "compares",
                                                 "refusals"};
  std::string key;  // ends with '/'
  std::size_t size = 200;
  std::uint64_t seed = 0;
  // A part of it.
  std::size_t from = 0;
  std::size_t count = kMostRequests;
  // That keys are put on, and one that has ended; empty: without leases.
  std::string lease{};
  std::string other_lease{};
  std::string ended_lease{};
  static constexpr std::size_t kMostRequests = 10'000;
  static constexpr std::string_view kOp = "sweep";
  void Fields(FieldList& field) {
    field("of", of, kSweeps);
    field("key", key);
    field("size", size).Within(1, kMostRequests, "requests");
    field("sweep_seed", seed);
    field("from", from).Optional().Within(0, kMostRequests, "requests");
    field("count", count).Optional().Within(1, kMostRequests, "requests");
    field("lease", lease).Optional().MayUse(Subject::kLease);
    field("other_lease", other_lease).Optional().MayUse(Subject::kLease);
    field("ended_lease", ended_lease).Optional().MayUse(Subject::kLease);
  }
  std::string_view Request() const { return "a request with any options"; }
  Usage Cost() const;
  std::vector<SweepStep> Smaller() const;
  std::string BeyondKubernetes() const { return "requests with any options"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
