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

enum class Exclusion { kLock, kElection };
inline constexpr std::string_view kExclusions[] = {"lock", "election"};

// Asks, and does not wait for the answer: its end is that of a load with the name of the lease.
struct ClaimStep {
  std::string name;
  std::string lease;
  Exclusion to = Exclusion::kLock;
  static constexpr std::string_view kOp = "claim";
  void Fields(FieldList& field) {
    field("name", name).Is(Subject::kKey);
    field("lease", lease).Uses(Subject::kLease);
    field("to", to, kExclusions).Optional();
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.keys = 1, .operations = 2}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Waits until the claim of the caller is there.
struct AwaitClaimStep {
  std::string name;
  std::string lease;
  static constexpr std::string_view kOp = "await claim";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
  }
  std::string_view Request() const { return "a lock"; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// The caller must get now what it claims, otherwise that is a finding of Answered. Requires: no
// other caller with a lease has it, or is before this one.
struct MustHoldStep {
  std::string name;
  std::string lease;
  static constexpr std::string_view kOp = "must hold";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 2}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Gives back what the caller with the lease has.
struct ReleaseStep {
  std::string name;
  std::string lease;
  Exclusion of = Exclusion::kLock;
  static constexpr std::string_view kOp = "release";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
    field("of", of, kExclusions).Optional();
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 2}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Has the leader with the lease proclaim a value: also once it has resigned, which must be refused.
struct ProclaimStep {
  std::string name;
  std::string lease;
  ValueRef value;
  static constexpr std::string_view kOp = "proclaim";
  void Fields(FieldList& field) {
    field("name", name);
    field("lease", lease).Uses(Subject::kLease);
    field("value", value);
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 2}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Asks for the leader of the election.
struct AskLeaderStep {
  std::string name;
  static constexpr std::string_view kOp = "ask leader";
  void Fields(FieldList& field) { field("name", name); }
  std::string_view Request() const { return "a lock"; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Follows the leaders of the election from here on, at the member in use.
struct FollowLeadersStep {
  std::string name;
  std::string voter;
  static constexpr std::string_view kOp = "follow leaders";
  void Fields(FieldList& field) {
    field("name", name);
    field("voter", voter);
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// The voter must be sent the caller with the lease as the leader, with its latest value, otherwise
// that is a finding of Answered. Requires: that caller leads.
struct MustFollowStep {
  std::string voter;
  std::string lease;
  static constexpr std::string_view kOp = "must follow";
  void Fields(FieldList& field) {
    field("voter", voter);
    field("lease", lease).Uses(Subject::kLease);
  }
  std::string_view Request() const { return "a lock"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a lock"; }
  Status Run(StepContext& context) const;
};

// Puts the key in a transaction that compares the revision at which the caller's claim was created,
// also once it has released it: then it must change nothing.
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
