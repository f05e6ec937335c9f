// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/probe.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr std::size_t kMostKeys = 16;

}  // namespace

std::vector<WatchRef> OpenWatches(Driver& driver) {
  std::vector<WatchRef> open;
  for (const DrivenWatch& watch : driver.Watches()) {
    if (watch.state == DrivenWatch::State::kOpen) open.push_back(watch.ref);
  }
  return open;
}

std::set<std::string> KeysToProbe(Driver& driver) {
  const KeyRange own = driver.Own();
  std::set<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (keys.size() < kMostKeys && own.Contains(key)) keys.insert(key);
  };
  for (const DrivenWatch& watch : driver.Watches()) {
    if (watch.state != DrivenWatch::State::kOpen) continue;
    add(std::max(watch.range.first(), own.first()));
    if (!watch.range.single() && !watch.range.open_ended()) add(watch.range.end());
  }
  return keys;
}

void Probe(Driver& driver) {
  const std::vector<WatchRef> open = OpenWatches(driver);
  const std::set<std::string> keys = KeysToProbe(driver);
  if (open.empty() || keys.empty() || driver.GivesUp()) return;
  driver.PutEach(keys);
  driver.DeleteEach(keys);
  driver.RequireDelivery(open);
}

}  // namespace watchproof
