// SPDX-License-Identifier: Apache-2.0
#include "harness/model/compare.h"

namespace watchproof {
namespace {

template <typename Value>
bool Compares(std::int64_t result, const Value& given, const Value& operand) {
  switch (static_cast<CompareResult>(result)) {
    case CompareResult::kEqual:
      return given == operand;
    case CompareResult::kGreater:
      return given > operand;
    case CompareResult::kLess:
      return given < operand;
    case CompareResult::kNotEqual:
      return given != operand;
  }
  return false;
}

}  // namespace

std::optional<bool> HoldsFor(const CompareView& compare, const KeyFacts* facts) {
  const KeyValueView none;
  const KeyValueView& kv = facts == nullptr ? none : facts->kv;
  const auto known = [&](bool KeyFacts::*what) { return facts == nullptr || facts->*what; };
  switch (static_cast<CompareTarget>(compare.target)) {
    case CompareTarget::kVersion:
      if (!known(&KeyFacts::metadata_known)) return std::nullopt;
      return Compares(compare.result, kv.version, compare.version);
    case CompareTarget::kCreate:
      if (!known(&KeyFacts::metadata_known)) return std::nullopt;
      return Compares(compare.result, kv.create_revision, compare.create_revision);
    case CompareTarget::kMod:
      return Compares(compare.result, kv.mod_revision, compare.mod_revision);
    case CompareTarget::kValue:
      if (facts == nullptr) return false;
      if (!facts->value_known) return std::nullopt;
      return Compares(compare.result, kv.value, compare.value);
    case CompareTarget::kLease:
      if (!known(&KeyFacts::lease_known)) return std::nullopt;
      return Compares(compare.result, kv.lease, compare.lease);
  }
  return std::nullopt;
}

}  // namespace watchproof
