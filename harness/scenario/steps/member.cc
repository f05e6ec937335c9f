// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/member.h"

#include "harness/scenario/step_context.h"
#include "harness/targets/probe.h"

namespace watchproof {
namespace {

const StepRegistration<UseMemberStep, AwaitCaughtUpStep, AwaitLeadStep, AwaitReleaseStep,
                       PermitDowngradeStep, AwaitSnapshotStep, RequireMemberBehindStep>
    kMemberSteps;

// A member that comes back may have to receive everything.
constexpr Duration kCatchUpPatience = 20s;
constexpr Duration kHandOver = 5s;
constexpr std::string_view kSnapshots = "etcd_network_snapshot_receive_success";

}  // namespace

Status UseMemberStep::Run(StepContext& context) const {
  context.session().UseMember(member);
  return {};
}

Status AwaitCaughtUpStep::Run(StepContext& context) const {
  const Revision through = context.head();
  context.MustCatchUp(member, through, [&]() -> std::string {
    const auto status = context.environment().target(member).Ask(Within(1s));
    if (!status.has_value()) return status.error().ToString();
    if (status->leader == 0) return "it follows no leader";
    if (Revision(status->revision) >= through) return {};
    return fmt::format("it is at revision {}", status->revision);
  });
  return {};
}

Status AwaitLeadStep::Run(StepContext& context) const {
  Environment& environment = context.environment();
  context.Await(fmt::format("member {} to lead", member), kCatchUpPatience, [&] {
    const auto heir = environment.target(member).Ask(Within(1s));
    if (heir.has_value() && heir->leader == heir->member) return true;
    for (int other = 1; heir.has_value() && other <= environment.members(); ++other) {
      const Target& target = environment.target(other);
      const auto status = target.Ask(Within(1s));
      if (!status.has_value() || status->leader != status->member) continue;
      // It may be refused while the cluster elects.
      (void)MoveLeader(target.endpoint(), heir->member, Within(kHandOver), target.token());
    }
    return false;
  });
  return {};
}

Status AwaitReleaseStep::Run(StepContext& context) const {
  context.Await(fmt::format("the storage of member {} to have the version of {}", member,
                            release.empty() ? "its release" : release),
                kCatchUpPatience, [this, &target = context.environment().target(member)] {
                  const auto status = target.Ask(Within(1s));
                  return status.has_value() &&
                         HasStorageOf(*status, release.empty() ? status->version : release);
                });
  return {};
}

Status PermitDowngradeStep::Run(StepContext& context) const {
  if (release.starts_with("3.4.")) return {};  // needs none
  return StatusOf(context.session().kv().Record(Method::kDowngrade, DowngradeTo(release)));
}

Status AwaitSnapshotStep::Run(StepContext& context) const {
  context.Await(fmt::format("member {} to receive {} snapshots", member, count), kCatchUpPatience,
                [this, &target = context.environment().target(member)] {
                  return target.Metric(kSnapshots).value_or(0) >= static_cast<double>(count);
                });
  return {};
}

Status RequireMemberBehindStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(const ServerStatus status,
                      context.environment().target(member).Ask(Within(5s)));
  if (status.leader != 0 && Revision(status.revision) < context.head()) return {};
  context.Inconclusive(fmt::format(
      "member {} {} a leader and was at revision {} of {}, so this attempt is not about "
      "one that follows and is behind",
      member, status.leader == 0 ? "lacked" : "had", status.revision, context.head()));
  return {};
}

}  // namespace watchproof
