// SPDX-License-Identifier: Apache-2.0
// Hooks by name, for callers that start a store and have names only, such as a command line.
//
//   WP_ASSIGN_OR_RETURN(const Hooks hooks, MakeHooks({"some-name", "another"}));
//
// Threads: RegisterHooks before main only; MakeHooks from any. Ownership: values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "harness/base/status.h"

namespace watchproof::store {

// Assigns what it changes, and leaves all the rest to those before it.
using ChangeHooks = std::function<void(Hooks& hooks)>;

// Requires: the name is new.
void RegisterHooks(const std::string& name, ChangeHooks change);

// Hooks changed by each name in turn; without names, hooks that change nothing. An unknown name is
// refused with a list of the known ones.
Result<Hooks> MakeHooks(const std::vector<std::string>& names);

}  // namespace watchproof::store
