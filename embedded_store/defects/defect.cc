// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

#include <map>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

std::map<std::string, Defect>& Registry() {
  static std::map<std::string, Defect> defects;
  return defects;
}

std::string Names() {
  std::string names;
  for (const auto& [name, defect] : Registry()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

DefectRegistration::DefectRegistration(Defect defect) {
  const std::string name = defect.info.name;
  WP_CHECK(Registry().emplace(name, std::move(defect)).second, "defects have different names");
}

std::vector<DefectInfo> KnownDefects() {
  std::vector<DefectInfo> infos;
  for (const auto& [name, defect] : Registry()) infos.push_back(defect.info);
  return infos;
}

Result<std::unique_ptr<Hooks>> MakeHooks(const std::vector<std::string>& names) {
  auto hooks = std::make_unique<Hooks>();
  for (const std::string& name : names) {
    const auto found = Registry().find(name);
    if (found == Registry().end()) {
      return Fail(StatusCode::kInvalidArgument, "no defect is called \"{}\"; there are: {}", name,
                  Names());
    }
    hooks = found->second.make(std::move(hooks));
  }
  return hooks;
}

}  // namespace watchproof::store
