// SPDX-License-Identifier: Apache-2.0
// Whether a target offers what a plan needs of it.
//
//   TargetOffer offer;
//   WP_RETURN_IF_ERROR(ProbeOffer(target, demand, profile, {}, "", offer));
//   if (!offer.missing.empty()) return Unsupported(offer.missing);
//
// Blocks: where it is not stated, the target is asked. Threads: a function without state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/faults/fault.h"
#include "harness/session/profile.h"
#include "harness/targets/target.h"

namespace watchproof {

struct PlanNeeds {
  std::vector<Capability> needs;
  std::vector<FaultInfo> faults;  // that will be injected
  std::string beyond_requests;    // requests that the profile leaves out
};

struct TargetOffer {
  // A sentence without its end; empty: nothing is missing.
  std::string missing;
  // Those of them that were found by probing, because it was not stated whether they are offered.
  std::vector<std::string> found_missing;
  // Nothing of it is what a store offers or not: it is not permitted, or needs a process, a disk or
  // a server that only watchproof uses.
  bool hindered = false;
  // Whether it is stated what the target offers: rejecting that is then a finding.
  bool stated = false;
  // Stated or probed; what was not needed is not probed.
  Capabilities offered{};
};

// `missing_of_releases`: what the manifest says that releases do not offer, by version. Keys of the
// probes are below the prefix. If probing fails, the offer still says what is stated.
Status ProbeOffer(Target& target, const PlanNeeds& demand, const Profile& profile,
                  const std::map<std::string, std::vector<std::string>>& missing_of_releases,
                  const std::string& prefix, TargetOffer& offer);

}  // namespace watchproof
