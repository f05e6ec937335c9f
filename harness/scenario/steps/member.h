// SPDX-License-Identifier: Apache-2.0
// The steps that address members of a cluster. See step.h.
#pragma once

#include <cstdint>
#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// The calls of the following steps go to that member.
struct UseMemberStep {
  int member = 1;
  static constexpr std::string_view kOp = "use member";
  void Fields(FieldList& field) { field("member", member).Member(); }
  Status Run(StepContext& context) const;
};

// Waits until the member has a leader and everything that was written so far.
struct AwaitCaughtUpStep {
  int member = 1;
  static constexpr std::string_view kOp = "await caught up";
  void Fields(FieldList& field) { field("member", member).Member(); }
  Status Run(StepContext& context) const;
};

// Waits until the member leads: whichever does is asked to hand over to it.
struct AwaitLeadStep {
  int member = 1;
  static constexpr std::string_view kOp = "await lead";
  void Fields(FieldList& field) { field("member", member).Member(); }
  Status Run(StepContext& context) const;
};

// Waits until the storage of the member has the version of its release, or of the one that it is to
// become, as etcd reports it since 3.6. That takes all members, and some seconds; before that none
// of the next release can start.
struct AwaitReleaseStep {
  int member = 1;
  std::string release = {};  // empty: its own
  static constexpr std::string_view kOp = "await release";
  void Fields(FieldList& field) {
    field("member", member).Member();
    field("release", release).Optional();
  }
  Status Run(StepContext& context) const;
};

// Asks the cluster to permit that its members become a release of the minor version before. That
// they are ready for it, each says later: see above. Nothing is asked before one of 3.4, which is
// what its documents say.
struct PermitDowngradeStep {
  std::string release;
  static constexpr std::string_view kOp = "permit downgrade";
  void Fields(FieldList& field) { field("release", release); }
  Status Run(StepContext& context) const;
};

// Waits until the member reports that it has received so many snapshots of the store since it
// started.
struct AwaitSnapshotStep {
  int member = 1;
  std::int64_t count = 1;
  static constexpr std::string_view kOp = "await snapshot";
  void Fields(FieldList& field) {
    field("member", member).Member();
    field("count", count).Within(1, 100, "snapshots").Optional();
  }
  Status Run(StepContext& context) const;
};

// Without the fact that the member follows a leader and lacks the latest write, the attempt tests
// something else, and is inconclusive.
struct RequireMemberBehindStep {
  int member = 1;
  static constexpr std::string_view kOp = "require member behind";
  void Fields(FieldList& field) { field("member", member).Member(); }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
