// SPDX-License-Identifier: Apache-2.0
// The steps about leases, which the plan names. See step.h.
#pragma once

#include <chrono>
#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

struct LeaseStep {
  std::string lease;
  std::chrono::seconds ttl{};
  static constexpr std::string_view kOp = "lease";
  void Fields(FieldList& field) {
    field("lease", lease).Defines(Subject::kLease);
    field("ttl", ttl);
  }
  std::string_view Request() const { return "a lease"; }
  Usage Cost() const { return {.leases = 1, .operations = 1}; }
  Status Run(StepContext& context) const;
};

// Asks for another lease with the id of this one, which is in use. Whether that is refused is
// judged.
struct GrantAgainStep {
  std::string lease;
  static constexpr std::string_view kOp = "grant again";
  void Fields(FieldList& field) { field("lease", lease).Uses(Subject::kLease); }
  std::string_view Request() const { return "a lease"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "the id of a lease"; }
  Status Run(StepContext& context) const;
};

struct RevokeStep {
  std::string lease;
  static constexpr std::string_view kOp = "revoke";
  void Fields(FieldList& field) { field("lease", lease).Uses(Subject::kLease); }
  std::string_view Request() const { return "the revocation of a lease"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "the revocation of a lease"; }
  Status Run(StepContext& context) const;
};

// Renews the lease, once no more than `when_left` seconds of it are left; 0: at once.
struct KeepAliveStep {
  std::string lease;
  std::chrono::seconds when_left{};
  static constexpr std::string_view kOp = "keep alive";
  void Fields(FieldList& field) {
    field("lease", lease).Uses(Subject::kLease);
    field("when_left", when_left);
  }
  std::string_view Request() const { return "a keep-alive of a lease"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a keep-alive of a lease"; }
  Status Run(StepContext& context) const;
};

// Asks the target for the list of its leases, and for the time and the keys of each lease of the
// plan. The answers are judged.
struct ListLeasesStep {
  static constexpr std::string_view kOp = "list leases";
  void Fields(FieldList&) {}
  std::string_view Request() const { return "the list of leases"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "the list of leases"; }
  Status Run(StepContext& context) const;
};

// Waits until the lease has expired. Requires: its time is short.
struct AwaitExpiredStep {
  std::string lease;
  static constexpr std::string_view kOp = "await expired";
  void Fields(FieldList& field) { field("lease", lease).Uses(Subject::kLease); }
  std::string_view Request() const { return "the list of leases"; }
  std::string BeyondKubernetes() const { return "the list of leases"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
