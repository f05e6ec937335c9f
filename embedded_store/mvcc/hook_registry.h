// SPDX-License-Identifier: Apache-2.0
// Hooks by name, for callers that start a store and have names only, such as a command line.
//
//   WP_ASSIGN_OR_RETURN(const Hooks hooks, MakeHooks({"some-name", "another"}));
//
// Threads: RegisterHooks before main only; MakeHooks from any. Ownership: values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "harness/base/check.h"
#include "harness/base/status.h"

namespace watchproof::store {

// Assigns what it changes, and leaves all the rest to those before it.
using ChangeHooks = std::function<void(Hooks& hooks)>;

// By name; filled before main.
inline std::map<std::string, ChangeHooks>& KnownHooks() {
  static std::map<std::string, ChangeHooks> known;
  return known;
}

// Requires: the name is new.
inline void RegisterHooks(const std::string& name, ChangeHooks change) {
  WP_CHECK(KnownHooks().emplace(name, std::move(change)).second, "every name is registered once");
}

// Hooks changed by each name in turn; without names, hooks that change nothing. An unknown name is
// refused with a list of the known ones.
inline Result<Hooks> MakeHooks(const std::vector<std::string>& names) {
  Hooks hooks;
  for (const std::string& name : names) {
    const auto found = KnownHooks().find(name);
    if (found != KnownHooks().end()) {
      found->second(hooks);
      continue;
    }
    std::string known;
    for (const auto& [one, change] : KnownHooks()) known += (known.empty() ? "" : ", ") + one;
    return Fail(StatusCode::kInvalidArgument, "\"{}\" is not known; known are: {}", name,
                known.empty() ? "none" : known);
  }
  return hooks;
}

}  // namespace watchproof::store
