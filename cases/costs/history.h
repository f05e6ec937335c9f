// SPDX-License-Identifier: Apache-2.0
// What the cases about costs share: a long history.
//
//   const Write first = WriteHistory(scenario, past, 10'000);   // watches start there
//
// Threads: as Scenario.
#pragma once

#include <string>

#include "cases/support/scenario.h"

namespace watchproof {

// So many transactions of thirty-two puts below the key, by several clients. A write before them.
inline Write WriteHistory(Scenario& scenario, const std::string& key, std::size_t revisions) {
  constexpr std::size_t kWriters = 8;
  const Write first = scenario.Put(key + "/first");
  scenario.BeginLoad({.load = key,
                      .clients = kWriters,
                      .calls = revisions / kWriters,
                      .keys = 32,
                      .key = key,
                      .direct = true,
                      .together = true});
  scenario.AwaitLoad(key);
  return first;
}

}  // namespace watchproof
