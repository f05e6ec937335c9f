// SPDX-License-Identifier: Apache-2.0
// A few keys that a consumer follows, and random writes to them: puts, deletions, keys that come
// again.
//
//   FollowedKeys keys(scenario, 6);
//   keys.Write(20);
//   const std::string ghost = keys.New();
//
// Not thread-safe. Ownership: refers to the scenario.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cases/support/watch_case.h"
#include "harness/scenario/steps/consumer.h"

namespace watchproof {

// All keys are below it: "STEM/NAME".
inline std::string FollowedStem() {
  return std::string(kConsumerPrefix.substr(0, kConsumerPrefix.size() - 1));
}

class FollowedKeys {
 public:
  FollowedKeys(Scenario& scenario, int keys)
      : scenario_(scenario), prng_(scenario.Random("followed keys")) {
    for (int i = 0; i < keys; ++i) keys_.push_back(New());
  }

  // One more, which Write leaves alone.
  std::string New() { return scenario_.Key(FollowedStem()); }
  void Write(std::int64_t writes, const ValueSize& size = {}) {
    for (; writes > 0; --writes) {
      const std::string& key = prng_.Pick(keys_);
      if (present_.contains(key) && prng_.Chance(0.3)) {
        scenario_.Delete(key);
        present_.erase(key);
      } else {
        scenario_.Put(key, size);
        present_.insert(key);
      }
    }
  }

 private:
  Scenario& scenario_;
  Prng prng_;
  std::vector<std::string> keys_;
  std::set<std::string> present_;
};

// The consumer follows with so many watches. A list comes to the head before there is one.
inline void Follow(Scenario& scenario, std::size_t watches = 1) {
  scenario.Add(FollowStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Add(AwaitRegisteredStep{watches});
}

// Once the consumer follows, its connection is cut, and new ones are refused until "refuse" is
// healed.
inline void FollowAndCutOff(Scenario& scenario) {
  Follow(scenario);
  scenario.Inject("refuse");
  scenario.Inject("reset");
  scenario.AwaitEffect("refuse");
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
}

// What all these cases have in common, for their metadata.
inline CaseInfo CaseWithConsumer(CaseInfo info) {
  info.requirement =
      "a client that follows keys comes to the state of the store, or reports why not";
  info.level = Level::kMust;
  if (info.guarantees.empty()) info.guarantees = {"Reliable"};
  info.of_consumers = true;
  return info;
}

}  // namespace watchproof

// As WATCH_CASE, of the suite of consumers.
#define CONSUMER_CASE(name, ...) \
  WP_CASE(::watchproof::CaseWithConsumer, Consumers, name, __VA_ARGS__)
