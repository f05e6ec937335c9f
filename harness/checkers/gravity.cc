// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/gravity.h"

#include <algorithm>
#include <tuple>

namespace watchproof {

Gravity GravityOf(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kAvailable:
      return Gravity::kDeath;
    case Guarantee::kReliable:
    case Guarantee::kResumable:
    case Guarantee::kCompactionSurfaced:
    case Guarantee::kFiltered:
    case Guarantee::kFragmented:
    case Guarantee::kAuthorized:
    case Guarantee::kDurable:
    case Guarantee::kLinearizable:
    case Guarantee::kTransactional:
      return Gravity::kData;
    case Guarantee::kOrdered:
    case Guarantee::kUnique:
    case Guarantee::kAtomic:
    case Guarantee::kSerializable:
    case Guarantee::kMonotonicReads:
      return Gravity::kOrder;
    case Guarantee::kBookmarkable:
    case Guarantee::kIsolated:
    case Guarantee::kSettled:
      return Gravity::kSilence;
    case Guarantee::kPreviousValue:
    case Guarantee::kFields:
    case Guarantee::kHeaders:
      return Gravity::kFields;
  }
  return Gravity::kData;
}

void GravestFirst(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.level, GravityOf(a.guarantee), a.at) <
           std::tuple(b.level, GravityOf(b.guarantee), b.at);
  });
}

}  // namespace watchproof
