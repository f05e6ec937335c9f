// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/cluster/cluster_events.h"

#include <map>

#include "harness/faults/fault.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/load.h"

namespace watchproof {
namespace {

std::string EventOf(const InjectStep& inject) {
  std::string text = KindOf(inject.fault);
  for (const char* const name : {"files", "calls"}) {
    const auto given = inject.parameters.find(name);
    if (given != inject.parameters.end()) text += " " + given->second;
  }
  for (const char* const name : {"member", "from"}) {
    const auto member = inject.parameters.find(name);
    if (member != inject.parameters.end()) text += member->second == "1" ? " leader" : " follower";
    if (member != inject.parameters.end()) break;
  }
  return text;
}

std::string KindOf(const LoadStep& load) {
  if (load.hashes_only) return "hashes";
  std::string text = load.guarded     ? "guarded"
                     : load.puts_only ? "writes"
                     : load.drawn     ? "drawn calls"
                                      : "calls";
  if (load.leases) text += ", leases";
  if (load.compacts) text += ", compactions";
  return text;
}

}  // namespace

std::set<std::string> PairsOf(const Plan& plan, const std::set<std::string>* in_effect) {
  std::set<std::string> pairs;
  std::map<std::string, std::string> active;  // by the name of the fault, or load
  std::set<std::string> faults;               // of these
  std::string before;
  for (const Step& step : plan.steps) {
    if (const auto* const load = step.As<LoadStep>()) active[load->load] = KindOf(*load);
    if (const auto* const stop = step.As<StopLoadStep>()) active.erase(stop->load);
    if (const auto* const await = step.As<AwaitLoadStep>()) active.erase(await->load);
    if (const auto* const heal = step.As<HealStep>()) {
      const auto ended = active.find(heal->fault);
      if (ended != active.end()) before = ended->second;
      active.erase(heal->fault);
      faults.erase(heal->fault);
    }
    if (step.As<PermitStep>() != nullptr) {
      for (const std::string& fault : faults) pairs.insert(active[fault] + " + rights changed");
    }
    const auto* const inject = step.As<InjectStep>();
    if (inject == nullptr) continue;
    if (in_effect != nullptr && !in_effect->contains(inject->fault)) continue;
    const std::string event = EventOf(*inject);
    for (const auto& [name, other] : active) pairs.insert(other + " + " + event);
    if (!before.empty()) pairs.insert(before + " > " + event);
    active[inject->fault] = event;
    faults.insert(inject->fault);
  }
  return pairs;
}

}  // namespace watchproof
