// SPDX-License-Identifier: Apache-2.0
#include "cases/support/case_registry.h"

#include <algorithm>

namespace watchproof {
namespace {

std::vector<CaseInfo>& Cases() {
  static std::vector<CaseInfo> cases;
  return cases;
}

}  // namespace

bool RegisterCase(CaseInfo info) {
  Cases().push_back(std::move(info));
  return true;
}

std::vector<CaseInfo> AllCases() {
  std::vector<CaseInfo> cases = Cases();
  std::sort(cases.begin(), cases.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return cases;
}

const CaseInfo* FindCase(std::string_view name) {
  for (const CaseInfo& info : Cases()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace watchproof
