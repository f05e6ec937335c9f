// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/hook_registry.h"

#include <map>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

std::map<std::string, ChangeHooks>& Registry() {
  static std::map<std::string, ChangeHooks> known;
  return known;
}

std::string KnownNames() {
  std::string names;
  for (const auto& [name, change] : Registry()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

}  // namespace

void RegisterHooks(const std::string& name, ChangeHooks change) {
  WP_CHECK(Registry().emplace(name, std::move(change)).second, "every name is registered once");
}

Result<Hooks> MakeHooks(const std::vector<std::string>& names) {
  Hooks hooks;
  for (const std::string& name : names) {
    const auto found = Registry().find(name);
    if (found == Registry().end()) {
      return Fail(StatusCode::kInvalidArgument, "\"{}\" is not known; known are: {}", name,
                  KnownNames());
    }
    found->second(hooks);
  }
  return hooks;
}

}  // namespace watchproof::store
