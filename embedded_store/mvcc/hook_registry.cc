// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/hook_registry.h"

#include <map>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

std::map<std::string, WrapHooks>& Registry() {
  static std::map<std::string, WrapHooks> known;
  return known;
}

std::string KnownNames() {
  std::string names;
  for (const auto& [name, wrap] : Registry()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

}  // namespace

void RegisterHooks(const std::string& name, WrapHooks wrap) {
  WP_CHECK(Registry().emplace(name, std::move(wrap)).second, "every name is registered once");
}

Result<std::unique_ptr<Hooks>> MakeHooks(const std::vector<std::string>& names) {
  auto hooks = std::make_unique<Hooks>();
  for (const std::string& name : names) {
    const auto found = Registry().find(name);
    if (found == Registry().end()) {
      return Fail(StatusCode::kInvalidArgument, "\"{}\" is not known; known are: {}", name,
                  KnownNames());
    }
    hooks = found->second(std::move(hooks));
  }
  return hooks;
}

}  // namespace watchproof::store
