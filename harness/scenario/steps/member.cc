// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/member.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<UseMemberStep> kUseMember;
const StepRegistration<AwaitCaughtUpStep> kAwaitCaughtUp;
const StepRegistration<AwaitReleaseStep> kAwaitRelease;
const StepRegistration<AwaitSnapshotStep> kAwaitSnapshot;

// A member that comes back may have to receive everything.
constexpr Duration kCatchUpPatience = 20s;
constexpr std::string_view kSnapshots = "etcd_network_snapshot_receive_success";

}  // namespace

void UseMemberStep::Fields(FieldList& field) { field("member", member).Member(); }

Status UseMemberStep::Run(StepContext& context) const {
  context.session().UseMember(member);
  return {};
}

void AwaitCaughtUpStep::Fields(FieldList& field) { field("member", member).Member(); }

Status AwaitCaughtUpStep::Run(StepContext& context) const {
  const Revision through = context.head();
  context.Await(fmt::format("member {} to follow a leader through revision {}", member, through),
                kCatchUpPatience, [&] {
                  const auto status = context.environment().StatusOf(member);
                  return status.has_value() && status->leader != 0 &&
                         Revision(status->revision) >= through;
                });
  return {};
}

void AwaitReleaseStep::Fields(FieldList& field) { field("member", member).Member(); }

Status AwaitReleaseStep::Run(StepContext& context) const {
  context.Await(fmt::format("the storage of member {} to have the version of its release", member),
                kCatchUpPatience, [&] {
                  const auto status = context.environment().StatusOf(member);
                  return status.has_value() && HasStorageOfItsRelease(*status);
                });
  return {};
}

void AwaitSnapshotStep::Fields(FieldList& field) { field("member", member).Member(); }

Status AwaitSnapshotStep::Run(StepContext& context) const {
  context.Await(fmt::format("member {} to receive a snapshot", member), kCatchUpPatience,
                [&] { return context.environment().MetricOf(member, kSnapshots).value_or(0) > 0; });
  return {};
}

}  // namespace watchproof
