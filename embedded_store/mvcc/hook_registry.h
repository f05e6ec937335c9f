// SPDX-License-Identifier: Apache-2.0
// Hooks by name, for callers that start a store and have names only, such as a command line.
//
//   WP_ASSIGN_OR_RETURN(std::unique_ptr<Hooks> hooks, MakeHooks({"some-name", "another"}));
//
// Threads: RegisterHooks before main only; MakeHooks from any. Ownership: the caller's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "harness/base/status.h"

namespace watchproof::store {

// Makes hooks that forward to `next` everything they do not change, so that several can be
// combined.
using WrapHooks = std::function<std::unique_ptr<Hooks>(std::unique_ptr<Hooks> next)>;

// Requires: the name is new.
void RegisterHooks(const std::string& name, WrapHooks wrap);

// Without names: hooks that change nothing. An unknown name is refused with a list of the known
// ones.
Result<std::unique_ptr<Hooks>> MakeHooks(const std::vector<std::string>& names);

}  // namespace watchproof::store
