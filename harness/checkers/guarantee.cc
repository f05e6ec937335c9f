// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/guarantee.h"

#include <algorithm>

#include "harness/base/check.h"
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

// A function's own static, because registrations of other files run in unknown order.
std::vector<CheckerInfo>& Registry() {
  static std::vector<CheckerInfo> registry;
  return registry;
}

const CheckerInfo& InfoOf(Guarantee guarantee) {
  const auto& all = RegisteredCheckers();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const CheckerInfo& info) { return info.guarantee == guarantee; });
  WP_CHECK(found != all.end(), "a guarantee has a linked checker of its name");
  return *found;
}

}  // namespace

void RegisterChecker(CheckerInfo info) { Registry().push_back(info); }

const std::vector<CheckerInfo>& RegisteredCheckers() {
  static const std::vector<CheckerInfo> kSorted = [] {
    std::vector<CheckerInfo> sorted = Registry();
    std::sort(sorted.begin(), sorted.end(),
              [](const CheckerInfo& a, const CheckerInfo& b) { return a.place < b.place; });
    WP_CHECK(!sorted.empty(), "the checkers are linked");
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      WP_CHECK(sorted[i - 1].place < sorted[i].place, "every guarantee has a place of its own");
    }
    return sorted;
  }();
  return kSorted;
}

const Clause& HeadlineOf(Guarantee guarantee) {
  return Contract::BuiltIn().Get(InfoOf(guarantee).clause);
}
std::string_view Impact(Guarantee guarantee) { return InfoOf(guarantee).impact; }
std::string_view Explain(Guarantee guarantee) { return InfoOf(guarantee).explain; }
Gravity GravityOf(Guarantee guarantee) { return InfoOf(guarantee).gravity; }

std::vector<Guarantee> AllGuarantees() {
  std::vector<Guarantee> all;
  for (const CheckerInfo& info : RegisteredCheckers()) all.push_back(info.guarantee);
  return all;
}

}  // namespace watchproof
