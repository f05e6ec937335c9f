// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/guarantee.h"

#include <algorithm>
#include <utility>

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
  return RegisteredCheckers()[static_cast<std::size_t>(guarantee)];
}

}  // namespace

CheckerRegistration::CheckerRegistration(CheckerInfo info) {
  Registry().push_back(std::move(info));
}

const std::vector<CheckerInfo>& RegisteredCheckers() {
  static const std::vector<CheckerInfo> kSorted = [] {
    std::vector<CheckerInfo> sorted = Registry();
    std::sort(sorted.begin(), sorted.end(),
              [](const CheckerInfo& a, const CheckerInfo& b) { return a.guarantee < b.guarantee; });
    WP_CHECK(sorted.size() == AllGuarantees().size(), "every guarantee has one linked checker");
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      WP_CHECK(sorted[i].guarantee == AllGuarantees()[i], "every guarantee has one linked checker");
    }
    return sorted;
  }();
  return kSorted;
}

std::string_view Name(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::kOrdered:
      return "Ordered";
    case Guarantee::kUnique:
      return "Unique";
    case Guarantee::kAtomic:
      return "Atomic";
    case Guarantee::kReliable:
      return "Reliable";
    case Guarantee::kResumable:
      return "Resumable";
    case Guarantee::kBookmarkable:
      return "Bookmarkable";
    case Guarantee::kCompactionSurfaced:
      return "CompactionSurfaced";
    case Guarantee::kPreviousValue:
      return "PreviousValue";
    case Guarantee::kFields:
      return "Fields";
    case Guarantee::kHeaders:
      return "Headers";
    case Guarantee::kFiltered:
      return "Filtered";
    case Guarantee::kFragmented:
      return "Fragmented";
    case Guarantee::kIsolated:
      return "Isolated";
    case Guarantee::kSettled:
      return "Settled";
    case Guarantee::kAuthorized:
      return "Authorized";
    case Guarantee::kAvailable:
      return "Available";
    case Guarantee::kLinearizable:
      return "Linearizable";
    case Guarantee::kSerializable:
      return "Serializable";
    case Guarantee::kTransactional:
      return "Transactional";
    case Guarantee::kMonotonicReads:
      return "MonotonicReads";
    case Guarantee::kDurable:
      return "Durable";
  }
  return "unknown guarantee";
}

std::string_view Promise(Guarantee guarantee) { return InfoOf(guarantee).promise; }
std::string_view Impact(Guarantee guarantee) { return InfoOf(guarantee).impact; }
std::string_view Explain(Guarantee guarantee) { return InfoOf(guarantee).explain; }

const std::vector<Guarantee>& AllGuarantees() {
  static const std::vector<Guarantee> kAll = {
      Guarantee::kOrdered,
      Guarantee::kUnique,
      Guarantee::kAtomic,
      Guarantee::kReliable,
      Guarantee::kResumable,
      Guarantee::kBookmarkable,
      Guarantee::kCompactionSurfaced,
      Guarantee::kPreviousValue,
      Guarantee::kFields,
      Guarantee::kHeaders,
      Guarantee::kFiltered,
      Guarantee::kFragmented,
      Guarantee::kIsolated,
      Guarantee::kSettled,
      Guarantee::kAuthorized,
      Guarantee::kAvailable,
      Guarantee::kLinearizable,
      Guarantee::kSerializable,
      Guarantee::kTransactional,
      Guarantee::kMonotonicReads,
      Guarantee::kDurable,
  };
  return kAll;
}

}  // namespace watchproof
