// SPDX-License-Identifier: Apache-2.0
// Promises about calls, judged call by call: each answer is compared with that of a reference store
// (reference_store.h), in full and with the code and the words of a refusal.
//
//   promises.Compare("a put", reference.Put(op), store.Put(op));
//   promises.broken()
//
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/status.h"
#include "harness/explore/verdict.h"

namespace watchproof::explore {

// Everything in it, but tickets: equal for equal answers.
std::string ToText(const store::RangeAnswer& answer);
std::string ToText(const store::PutAnswer& answer);
std::string ToText(const store::DeleteAnswer& answer);
std::string ToText(const store::TxnAnswer& answer);
std::string ToText(const store::CompactAnswer& answer);
std::string ToText(const store::Granted& granted);
std::string ToText(const store::LeaseState& state);
std::string ToText(const std::vector<std::int64_t>& leases);
std::string ToText(Revision revision);
std::string ToText(std::chrono::seconds time);
std::string ToText(const Status& status);

class Promises {
 public:
  template <typename T>
  void Compare(const char* call, const Result<T>& expected, const Result<T>& observed) {
    CompareTexts(expected.has_value()
                     ? fmt::format("{} to be answered from what was done", call)
                     : fmt::format("{} to be refused: {}", call, expected.error().message()),
                 expected.has_value() ? ToText(*expected) : ToText(expected.error()),
                 observed.has_value() ? ToText(*observed) : ToText(observed.error()));
  }
  // Of a number that the store shows.
  void CompareNumbers(const char* number, std::int64_t expected, std::int64_t observed);
  void CompareTexts(const std::string& promise, const std::string& expected,
                    const std::string& observed);

  const std::vector<BrokenGuarantee>& broken() const { return broken_; }

 private:
  std::vector<BrokenGuarantee> broken_;
};

}  // namespace watchproof::explore
