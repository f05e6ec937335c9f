// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

#include <algorithm>

namespace watchproof::store {
namespace {

std::vector<DefectInfo>& Registry() {
  static std::vector<DefectInfo> defects;
  return defects;
}

}  // namespace

DefectRegistration::DefectRegistration(DefectInfo info, ChangeHooks change) {
  RegisterHooks(info.name, std::move(change));
  Registry().push_back(std::move(info));
}

std::vector<DefectInfo> KnownDefects() {
  std::vector<DefectInfo> defects = Registry();
  // The linker chose the order of registration.
  std::sort(defects.begin(), defects.end(),
            [](const DefectInfo& a, const DefectInfo& b) { return a.name < b.name; });
  return defects;
}

}  // namespace watchproof::store
