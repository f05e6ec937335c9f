// SPDX-License-Identifier: Apache-2.0
// A case with a fault that cannot take effect. It must end as inconclusive; any other verdict is a
// mistake of watchproof.
//
// Threads: plain functions.
#pragma once

#include <string>
#include <utility>

#include "cases/support/watch_case.h"

namespace watchproof {

// `target` is a capability that the case needs besides the proxy; `file` and `line` are the source
// location of the case.
inline CaseInfo IneffectiveCase(const std::string& name, std::string explain, Capability target,
                                const char* file, int line) {
  return {.name = "Ineffective." + name,
          .requirement = "a fault that did not take effect proves nothing (watchproof, receipts)",
          .explain = std::move(explain),
          .level = Level::kMust,
          .needs = {Capability::kProxy, target},
          .guarantees = {},
          .expect = Verdict::kInconclusive,
          .file = file,
          .line = line};
}

// Opens two watches of one key, the group "first", before any fault. Returns the key.
inline std::string WatchUntouched(Scenario& scenario) {
  std::string key = scenario.Key("untouched");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 2, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  return key;
}

}  // namespace watchproof
