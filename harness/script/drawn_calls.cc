// SPDX-License-Identifier: Apache-2.0
#include "harness/script/drawn_calls.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

constexpr std::int64_t kValuesOfClient = 1'000'000;
// Loads compact about so far below the head.
constexpr std::int64_t kBelowHead = 20;

// Small numbers of a script, as revisions near the one that is known; that of none stays.
Revision Near(Revision known, std::int64_t number) {
  if (number <= 0) return Revision(number);
  return Revision(std::max<std::int64_t>(known.value - number + 1, 1));
}

}  // namespace

DrawnCalls::DrawnCalls(const std::string& prefix, std::size_t client, Prng prng,
                       const std::string& no_end)
    : placement_(prefix, 0, no_end),
      prng_(std::move(prng)),
      values_{.given = static_cast<std::int64_t>(client + 1) * kValuesOfClient} {}

// One that is none, or never there, is left as it is: what names it is refused.
std::int64_t DrawnCalls::Names::Lease(std::int64_t lease) const {
  if (lease <= 0) return lease;
  return leases.empty() ? 0 : leases[static_cast<std::size_t>(lease) % leases.size()];
}

KvRequest DrawnCalls::Next(Revision known, const std::vector<std::int64_t>& leases) {
  const Names names{known, leases};
  Call call = DrawCall(prng_);
  if (auto* const put = std::get_if<Put>(&call)) {
    put->lease = names.Lease(put->lease);
    return RequestOf(*put, placement_, values_);
  }
  if (const auto* const erase = std::get_if<Delete>(&call)) return RequestOf(*erase, placement_);
  if (auto* const txn = std::get_if<Txn>(&call)) {
    return RequestOf(Placed(std::move(*txn), names), placement_, values_);
  }
  return ReadAt(std::get<Get>(call), known);
}

Txn DrawnCalls::Placed(Txn txn, const Names& names) const {
  for (Condition& condition : txn.when) {
    const bool lease = condition.target == Condition::Target::kLease;
    const bool revision = condition.target == Condition::Target::kMod ||
                          condition.target == Condition::Target::kCreate;
    if (!lease && !revision) continue;
    std::int64_t number = 0;
    const std::string& digits = condition.value;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    condition.value = std::to_string(lease ? names.Lease(number) : Near(names.known, number).value);
  }
  for (auto* const parts : {&txn.then, &txn.otherwise}) {
    for (TxnPart& part : *parts) part.lease = names.Lease(part.lease);
  }
  for (Txn& nested : txn.nested) nested = Placed(std::move(nested), names);
  return txn;
}

ReadRequest DrawnCalls::ReadAt(const Get& get, Revision known) {
  std::int64_t at = get.at.plus;
  if (get.at.from == Place::From::kHead) at += known.value;
  if (get.at.from == Place::From::kFloor) at += known.value - kBelowHead;
  ReadRequest read = RequestOf(get, placement_, std::max<std::int64_t>(at, 0));
  for (Revision* const bound : {&read.min_mod, &read.max_mod, &read.min_create, &read.max_create}) {
    *bound = Near(known, bound->value);
  }
  read.serializable = prng_.Chance(0.5);
  return read;
}

}  // namespace watchproof::explore
