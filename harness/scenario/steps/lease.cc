// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/lease.h"

#include "harness/model/operations.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

// Longer than the judge gives a lease of two seconds, the shortest of etcd.
constexpr Duration kExpires = 15s;

const StepRegistration<LeaseStep, GrantAgainStep, RevokeStep, KeepAliveStep, ListLeasesStep,
                       AwaitExpiredStep>
    kLeaseSteps;

}  // namespace

Status LeaseStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(context.leases()[lease], context.session().Grant(ttl));
  return {};
}

Status GrantAgainStep::Run(StepContext& context) const {
  constexpr std::chrono::seconds kOther{700};
  const auto granted = context.session().kv().Grant(kOther, context.leases().at(lease));
  const bool refused = !granted.has_value() && IsDefiniteRefusal(granted.error().code());
  return refused ? Status() : StatusOf(granted);
}

// The answer has the last revision that the revocation made.
Status RevokeStep::Run(StepContext& context) const {
  const auto done = context.session().kv().Revoke(context.leases().at(lease));
  // Whether it had ended in time is for the judge.
  if (!done.has_value() && done.error().code() == StatusCode::kNotFound) return {};
  return context.NoteHead(done);
}

Status KeepAliveStep::Run(StepContext& context) const {
  KvClient& kv = context.session().kv();
  const std::int64_t id = context.leases().at(lease);
  Status trouble;
  const auto short_enough = [&] {
    const auto left = kv.TimeLeft(id);
    const bool ended = !left.has_value() && left.error().code() == StatusCode::kNotFound;
    if (!left.has_value() && !ended) trouble = left.error();
    return !left.has_value() || *left <= when_left;
  };
  if (when_left > 0s) {
    context.Await(fmt::format("the last {} s of lease {}", when_left.count(), lease), kExpires,
                  short_enough);
  }
  WP_RETURN_IF_ERROR(trouble);
  const Status kept = kv.KeepAlive(id);
  return kept.code() == StatusCode::kNotFound ? Status() : kept;
}

Status ListLeasesStep::Run(StepContext& context) const { return context.ListLeases(); }

Status AwaitExpiredStep::Run(StepContext& context) const {
  const std::int64_t id = context.leases().at(lease);
  Status trouble;
  context.Await(fmt::format("the end of lease {}", lease), kExpires, [&] {
    const Result<bool> held = context.session().HasLease(id);
    if (!held.has_value()) trouble = held.error();
    return !held.has_value() || !*held;
  });
  WP_RETURN_IF_ERROR(trouble);
  // If it has not ended, the judge says so of this list.
  WP_RETURN_IF_ERROR(context.session().kv().ListLeases());
  return context.NoteHead(context.session().Head());
}

}  // namespace watchproof
