// SPDX-License-Identifier: Apache-2.0
#include "cases/support/case_registry.h"

#include <algorithm>

namespace watchproof {
namespace {

std::vector<CaseInfo>& Cases() {
  static std::vector<CaseInfo> cases;
  return cases;
}

// The path of a source file below the repository's root. __FILE__ is absolute, or relative to the
// build folder where the compiler cache makes it so; the prefix comes from __FILE__ of this file.
std::string FromRoot(std::string file) {
  constexpr std::string_view kHere = __FILE__;
  constexpr std::string_view kRoot = kHere.substr(0, kHere.rfind("cases/support/"));
  if (file.starts_with(kRoot)) return file.substr(kRoot.size());
  // The other form: some objects came from a cache and this one did not, or the other way round.
  const std::size_t cases = file.rfind("/cases/");
  return cases == std::string::npos ? file : file.substr(cases + 1);
}

}  // namespace

bool RegisterCase(CaseInfo info) {
  info.file = FromRoot(std::move(info.file));
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
