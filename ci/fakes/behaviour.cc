// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/behaviour.h"

#include <algorithm>
#include <utility>

namespace watchproof::fakes {
namespace {

std::vector<RegisteredBehaviour>& Registry() {
  static std::vector<RegisteredBehaviour> registry;
  return registry;
}

}  // namespace

std::string Behaviour::Asked(const std::string&, std::string&) { return {}; }
void Behaviour::Answered(const std::string&, const std::string&, const std::string&) {}

BehaviourRegistration::BehaviourRegistration(BehaviourInfo info, BehaviourFactory make) {
  Registry().push_back({std::move(info), std::move(make)});
}

std::vector<RegisteredBehaviour> AllBehaviours() {
  std::vector<RegisteredBehaviour> all = Registry();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
  return all;
}

}  // namespace watchproof::fakes
