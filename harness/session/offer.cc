// SPDX-License-Identifier: Apache-2.0
#include "harness/session/offer.h"

#include <algorithm>

#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

// What the target's kind and version offer, corrected by the manifest's row of the release, then by
// the profile.
Stated StatedOf(Target& target, const Profile& profile,
                const std::map<std::string, std::vector<std::string>>& missing_of_releases) {
  Stated stated = target.stated();
  const auto state = [&stated](Capability capability, bool offered) {
    (offered ? stated.offered : stated.missing).insert(capability);
    (offered ? stated.missing : stated.offered).erase(capability);
  };
  const auto release = missing_of_releases.find(target.version());
  if (release != missing_of_releases.end()) {
    for (const std::string& name : release->second) {
      if (const auto capability = FindCapability(name)) state(*capability, false);
    }
  }
  for (const Capability capability : profile.stated.offered) state(capability, true);
  for (const Capability capability : profile.stated.missing) state(capability, false);
  return stated;
}

// Only the embedded store may be used to tamper with messages.
std::string TamperProblem(Target& target, const std::vector<FaultInfo>& faults) {
  if (target.ours()) return {};
  for (const FaultInfo& fault : faults) {
    if (fault.self_test_only)
      return "messages to tamper with, which fault " + fault.name + " needs";
  }
  return {};
}

// What is not done although the target may offer it; empty: nothing hinders it.
std::string NotPermitted(const Target& target, Capability need, const Status& refusal) {
  if (need == Capability::kCompaction && !target.may_compact()) {
    return fmt::format(
        "{} is not permitted: --allow-disruptive {} permits it, if its history may be lost",
        Name(need), target.endpoint().Named());
  }
  if (refusal.code() != StatusCode::kPermissionDenied) return {};
  return fmt::format("{} is not permitted to this user (--user): {}", Name(need),
                     refusal.message());
}

// Whether it depends on the machine, and on how the target was given.
bool IsOfTheWay(Capability need) {
  return need == Capability::kProcess || need == Capability::kDisk ||
         need == Capability::kServerOfItsOwn;
}

// As parts of one sentence.
struct Hindrances {
  std::vector<std::string> lacking;
  bool of_the_store = false;
  std::vector<std::string> not_permitted;

  std::string ToString() const {
    std::vector<std::string> parts = not_permitted;
    if (!lacking.empty()) {
      parts.insert(parts.begin(),
                   fmt::format("the target does not offer {}", fmt::join(lacking, ", ")));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

}  // namespace

Status ProbeOffer(Target& target, const PlanNeeds& demand, const Profile& profile,
                  const std::map<std::string, std::vector<std::string>>& missing_of_releases,
                  const std::string& prefix, TargetOffer& offer) {
  const Stated stated = StatedOf(target, profile, missing_of_releases);
  offer.stated = !stated.offered.empty();
  offer.offered = stated.offered;
  Hindrances hindrances;
  if (std::string tampers = TamperProblem(target, demand.faults); !tampers.empty()) {
    hindrances.lacking.push_back(std::move(tampers));
    hindrances.of_the_store = true;
  }
  if (!demand.beyond_requests.empty()) {
    hindrances.lacking.push_back(
        fmt::format("{}, which profile {} leaves out", demand.beyond_requests, profile.name));
    hindrances.of_the_store = true;
  }
  offer.missing = hindrances.ToString();
  Capabilities wanted(demand.needs.begin(), demand.needs.end());
  if (std::ranges::any_of(demand.faults, &FaultInfo::on_disk)) wanted.insert(Capability::kDisk);
  // Without the proxy a fault cannot take effect; its receipt says so.
  wanted.erase(Capability::kProxy);
  if (wanted.empty()) return {};
  std::map<Capability, Status> refusals;
  WP_ASSIGN_OR_RETURN(const Capabilities offered,
                      ProbeCapabilities(target, wanted, Within(10s),
                                        {.stated = stated,
                                         .prefix = prefix.empty() ? "" : prefix + "probe/",
                                         .refusals = &refusals}));
  offer.offered.insert(offered.begin(), offered.end());
  for (const Capability need : wanted) {
    if (offered.contains(need)) continue;
    const Status& refusal = refusals[need];
    if (std::string why = NotPermitted(target, need, refusal); !why.empty()) {
      hindrances.not_permitted.push_back(std::move(why));
      continue;
    }
    hindrances.of_the_store = hindrances.of_the_store || !IsOfTheWay(need);
    hindrances.lacking.push_back(refusal.ok()
                                     ? std::string(Name(need))
                                     : fmt::format("{}: {}", Name(need), refusal.ToString()));
    const bool of_the_api = need < Capability::kOurs && need != Capability::kStrictPreviousValues;
    if (of_the_api && !stated.missing.contains(need)) offer.found_missing.emplace_back(Name(need));
  }
  offer.missing = hindrances.ToString();
  offer.hindered = !offer.missing.empty() && !hindrances.of_the_store;
  return {};
}

}  // namespace watchproof
