// SPDX-License-Identifier: Apache-2.0
// What can be said of a plan before it is run, by the fields of its steps.
//
//   WP_RETURN_IF_ERROR(CheckPlan(plan));   // "step 3 (heal): there is no fault 'stall' before it"
//   Usage most = UsageOf(plan);
//
// Threads: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/scenario/plan.h"
#include "harness/session/profile.h"

namespace watchproof {

// Whether a plan that was read from a file can be carried out: what a step refers to is defined by
// an earlier step, and all numbers have a plausible size. Steps are numbered from 1.
Status CheckPlan(const Plan& plan);

// What the target must offer for the steps of a plan that no case declares anything about.
std::vector<Capability> NeedsOf(const Plan& plan);

// Sums the waits of a plan that end with their time and not with a fact, or that are limits for the
// target. An error if the sum is above the time for steps.
Status CheckWaits(const Plan& plan, Duration time_for_steps);

// Upper bounds, for owners of a running server: whatever is created is counted as if it stayed, and
// sentinels and probes as often as they may be written.
Usage UsageOf(const Plan& plan);

// What the plan requests of the target and the profile's requests cannot express, for messages;
// empty: nothing.
std::string BeyondRequests(const Plan& plan, Profile::Requests requests);

// Whether following the plan may leave revisions at which no key changes, by what is declared.
bool LeavesRevisionsOut(const Plan& plan, const Profile& profile);

// The names of that subject that the steps define, or that they are about.
std::set<std::string> DefinedBy(const Plan& plan, Subject subject);
std::set<std::string> NamedBy(const Plan& plan, Subject subject, Field::Role role);

}  // namespace watchproof
