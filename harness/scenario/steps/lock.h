// SPDX-License-Identifier: Apache-2.0
// The steps about locks and elections, which the server's own services offer. See step.h.
//
// A caller that asks for a lock, or runs in an election, has a lease, and the key of its claim is
// made of the name and the lease. The service writes it: a recording has a put without an answer
// for each claim, and a deletion for each release.
#pragma once

#include <cstdint>
#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Asks, and does not wait for the answer: its end is that of a load with the name of the lease.
struct ClaimStep {
  std::string name;
  std::string lease;
  bool election = false;
  static constexpr std::string_view kOp = "claim";
  void Fields(FieldList& field) {
    field("name", name).Is(Subject::kKey);
    field("lease", lease).Uses(Subject::kLease);
    field("election", election).Optional();
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.keys = 1, .operations = 2}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Waits until so many callers have a claim.
struct AwaitClaimsStep {
  std::string name;
  std::int64_t count = 0;
  static constexpr std::string_view kOp = "await claims";
  void Fields(FieldList& field) {
    field("name", name);
    field("count", count);
  }
  std::string_view Request() const { return "a lock"; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Gives back what the caller with the lease has.
struct ReleaseStep {
  std::string name;
  std::string lease;
  bool election = false;
  static constexpr std::string_view kOp = "release";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
    field("election", election).Optional();
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Puts the key in a transaction that compares the revision at which the caller's claim was created:
// it changes nothing once the claim is gone.
struct GuardedPutStep {
  std::string name;
  std::string lease;
  std::string key;
  static constexpr std::string_view kOp = "guarded put";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
    field("key", key).Is(Subject::kKey);
  }
  std::string_view Request() const { return "a transaction"; }
  Usage Cost() const { return {.bytes = 16, .operations = 2}; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
