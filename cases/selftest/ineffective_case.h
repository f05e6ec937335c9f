// SPDX-License-Identifier: Apache-2.0
// A case about a fault that nobody can feel: it ends as inconclusive, or watchproof is wrong.
//
// Threads: plain functions.
#pragma once

#include <string>
#include <utility>

#include "cases/support/watch_case.h"

namespace watchproof {

// `target` is what the target must be, besides being behind a proxy; `file` and `line` are the
// place of the case.
inline CaseInfo IneffectiveCase(const std::string& name, std::string explain, Capability target,
                                const char* file, int line) {
  return {.name = "Unfelt." + name,
          .requirement = "a fault that was not felt proves nothing (watchproof, receipts)",
          .explain = std::move(explain),
          .level = Level::kMust,
          .needs = {Capability::kProxy, target},
          .guarantees = {},
          .expect = Verdict::kInconclusive,
          .file = file,
          .line = line};
}

// Two watches of one key, the group "first", that nobody has harmed yet. Returns the key.
inline std::string WatchUntouched(Scenario& scenario) {
  std::string key = scenario.Key("spared");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 2, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  return key;
}

}  // namespace watchproof
