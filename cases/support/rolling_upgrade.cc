// SPDX-License-Identifier: Apache-2.0
#include "cases/support/rolling_upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/load.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

constexpr int kMembers = 3;

// Less than what is written while one member is down. etcd 3.7 ends at entries of 3.5 that no
// snapshot has covered since (etcd #16989), so between two upgrades each member must make one.
constexpr int kEntriesBetweenSnapshots = 100;

constexpr char kGroup[] = "upgrade";

void Append(std::vector<Step> steps, std::vector<Step>& to) {
  for (Step& step : steps) to.push_back(std::move(step));
}

// A watch of the keys that are written while members are down. On the direct path, out of reach of
// the faults of the case.
std::vector<Step> Begin() {
  return {WatchStep{.group = kGroup,
                    .range = {.key = "upgrade/", .range_end = "upgrade0"},
                    .stream = "direct-upgrade"},
          AwaitCreatedStep{kGroup}};
}

// All members become one release, the one that the watches are on as the last one.
struct Round {
  std::size_t number = 0;  // from 0
  NextRelease next_release;
  int members = kMembers;
  int home = 1;  // where the watches are before
  int next = 2;  // and afterwards
  // The name in this round of what the case, or the round before, calls so.
  std::string Named(const std::string& name) const {
    return number == 0 ? name : fmt::format("{}-{}", name, number + 1);
  }
};

std::vector<Step> Upgrade(int member, const Round& round) {
  const std::string load = round.Named(fmt::format("upgrade-{}", member));
  const std::string fault = "restart/" + load;
  std::vector<Step> steps{LoadStep{.load = load,
                                   .clients = 2,
                                   .calls = 150,
                                   .keys = 4,
                                   .key = "upgrade/load",
                                   .seed = static_cast<std::uint64_t>(member) + 10 * round.number,
                                   .direct = true,
                                   .puts_only = true,
                                   .member = member == round.home ? round.next : round.home},
                          InjectStep{.fault = fault,
                                     .parameters = {{"member", std::to_string(member)},
                                                    {"release", round.next_release.release}}},
                          AwaitEffectStep{fault}, AwaitLoadStep{load}};
  for (int one = 1; one <= round.members; ++one) steps.push_back(AwaitCaughtUpStep{one});
  steps.push_back(HealStep{fault});
  return steps;
}

// What is still armed after a step.
void Follow(const Step& step, std::set<std::string>& armed) {
  if (const auto* inject = step.As<InjectStep>()) armed.insert(inject->fault);
  if (const auto* heal = step.As<HealStep>()) armed.erase(heal->fault);
}

// A lease may end while a member is down, and what a watch must have received counts on the
// revisions that the case made itself.
bool MustNotWait(const Plan& plan) {
  return !DefinedBy(plan, Subject::kLease).empty() ||
         std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
           const auto* require = step.As<RequireStep>();
           return require != nullptr && require->fact == RequireStep::Fact::kReceived;
         });
}

// Before which steps no fault is armed, the first step excepted.
std::vector<std::size_t> QuietPlaces(const std::vector<Step>& steps) {
  std::vector<std::size_t> places;
  std::set<std::string> armed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && armed.empty()) places.push_back(i);
    Follow(steps[i], armed);
  }
  return places;
}

// Groups of watches that the case neither ends nor resumes, and that any user may continue.
std::vector<std::string> OpenGroups(const std::vector<Step>& steps) {
  std::vector<std::string> groups;
  for (const Step& step : steps) {
    if (const auto* created = step.As<AwaitCreatedStep>()) groups.push_back(created->group);
    if (const auto* resumed = step.As<ResumeStep>()) groups.push_back(resumed->as);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const Step& step : steps) {
    const auto* watch = step.As<WatchStep>();
    const auto* cancel = step.As<CancelStep>();
    const auto* resume = step.As<ResumeStep>();
    const auto* churn = step.As<ChurnStep>();
    const std::string left_out = cancel                                    ? cancel->group
                                 : resume                                  ? resume->group
                                 : churn                                   ? churn->group
                                 : watch == nullptr || watch->user.empty() ? ""
                                                                           : watch->group;
    std::erase(groups, left_out);
  }
  return groups;
}

// The case restarts every member itself: then as that release, and the next time as the next one.
bool UpgradeOwnRestarts(Plan& plan, const std::vector<NextRelease>& releases) {
  std::map<std::string, std::size_t> restarted;
  std::vector<Step> steps;
  for (const Step& step : plan.steps) {
    const auto* inject = step.As<InjectStep>();
    if (inject == nullptr || !inject->fault.starts_with("restart")) {
      steps.push_back(step);
      continue;
    }
    InjectStep upgrade = *inject;
    const auto member = inject->parameters.find("member");
    std::size_t& times = restarted[member == inject->parameters.end() ? "1" : member->second];
    upgrade.parameters["release"] = releases[std::min(times++, releases.size() - 1)].release;
    steps.push_back(std::move(upgrade));
  }
  const int members = plan.cluster.members;
  if (members == 1 || restarted.size() != static_cast<std::size_t>(members)) return false;
  for (const auto& [member, times] : restarted) {
    if (times < releases.size()) return false;
  }
  // Nothing in between would permit a later downgrade.
  if (std::any_of(releases.begin() + 1, releases.end(), std::mem_fn(&NextRelease::older))) {
    return false;
  }
  plan.steps = PermitRelease(releases.front(), members);
  Append(std::move(steps), plan.steps);
  return true;
}

// The end of its stream excuses a watch, so that what it missed must come to light before: by a
// later event.
std::vector<Step> Settle(const std::vector<Step>& steps, const std::vector<std::string>& open) {
  std::vector<Step> settle;
  std::set<std::string> keys;
  for (const Step& step : steps) {
    const auto* watch = step.As<WatchStep>();
    if (watch != nullptr && keys.insert(watch->range.key).second) {
      settle.push_back(PutStep{.key = watch->range.key});
    }
  }
  for (const std::string& group : open) settle.push_back(AwaitDeliveredStep{group});
  return settle;
}

// The member that the watches are on becomes the release, and they are resumed on the next one.
// Returns what the resumed groups are called.
std::vector<std::string> UpgradeHome(const Round& round, const std::vector<std::string>& open,
                                     std::vector<Step>& steps) {
  Append(Settle(steps, open), steps);
  Append(Upgrade(round.home, round), steps);
  steps.push_back(UseMemberStep{round.next});
  std::vector<std::string> resumed;
  for (const std::string& group : open) {
    resumed.push_back(round.number == 0 ? group + " after the upgrade" : round.Named(group));
    steps.push_back(ResumeStep{.group = group, .as = resumed.back(), .member = round.next});
    steps.push_back(AwaitDeliveredStep{resumed.back()});
  }
  return resumed;
}

// The next release, when all have taken over the one before.
void UpgradeAgain(const Round& round, std::vector<std::string>& open, std::vector<Step>& steps) {
  for (int one = 1; one <= round.members; ++one) steps.push_back(AwaitReleaseStep{one});
  Append(PermitRelease(round.next_release, round.members), steps);
  for (int member = 1; member <= round.members; ++member) {
    if (member == round.home) continue;
    Append(Upgrade(member, round), steps);
    for (const std::string& group : open) steps.push_back(AwaitDeliveredStep{group});
  }
  open = UpgradeHome(round, open, steps);
}

}  // namespace

std::vector<Step> PermitRelease(const NextRelease& next, int members) {
  std::vector<Step> steps;
  if (!next.older) return steps;
  steps.push_back(PermitDowngradeStep{.release = next.release});
  for (int one = 1; one <= members; ++one) {
    steps.push_back(AwaitReleaseStep{.member = one, .release = next.release});
  }
  return steps;
}

Plan WithUpgrade(Plan plan, const std::vector<NextRelease>& releases) {
  if (releases.size() > 1 && plan.cluster.snapshot_count == 0) {
    plan.cluster.snapshot_count = kEntriesBetweenSnapshots;
  }
  if (UpgradeOwnRestarts(plan, releases)) return plan;
  const bool at_the_end = plan.cluster.members > 1 || MustNotWait(plan);
  Round round{.next_release = releases.front(),
              .members = std::max(plan.cluster.members, kMembers)};
  plan.cluster.members = round.members;
  const std::vector<std::size_t> quiet =
      at_the_end ? std::vector<std::size_t>() : QuietPlaces(plan.steps);
  std::vector<Step> steps;
  const auto upgrade = [&](int member) {
    if (member == 2) {
      Append(Begin(), steps);
      Append(PermitRelease(round.next_release, round.members), steps);
    }
    Append(Upgrade(member, round), steps);
    steps.push_back(AwaitDeliveredStep{kGroup});
  };
  std::set<std::string> armed;
  int next = 2;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    // The second member after a third of these places, and so on.
    while (next <= round.members && !quiet.empty() &&
           i == quiet[quiet.size() * static_cast<std::size_t>(next - 1) /
                      static_cast<std::size_t>(round.members)]) {
      upgrade(next++);
    }
    Follow(plan.steps[i], armed);
    steps.push_back(plan.steps[i]);
  }
  for (const std::string& fault : armed) steps.push_back(HealStep{fault});
  while (next <= round.members) upgrade(next++);
  std::vector<std::string> open = UpgradeHome(round, OpenGroups(steps), steps);
  while (++round.number < releases.size()) {
    round.next_release = releases[round.number];
    std::swap(round.home, round.next);
    UpgradeAgain(round, open, steps);
  }
  plan.steps = std::move(steps);
  return plan;
}

}  // namespace watchproof
