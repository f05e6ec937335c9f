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

// Keys that are written all the time were changed in one of so many revisions.
constexpr std::int64_t kRecent = 7;

// Small numbers of a script, as revisions near the one that is known; that of none stays.
Revision Near(Revision known, std::int64_t number) {
  if (number <= 0) return Revision(number);
  return Revision(std::max<std::int64_t>(known.value - number + 1, 1));
}

std::int64_t At(const Place& place, Revision known) {
  if (place.from == Place::From::kNumber)
    return std::max<std::int64_t>(Near(known, place.plus).value, 0);
  const bool head = place.from == Place::From::kHead;
  return std::max<std::int64_t>(known.value - (head ? 0 : kBelowHead) + place.plus, 0);
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
  const Known what{.at = [known](const Place& place) { return At(place, known); },
                   .key = [&](const std::string&, const std::string&) { return SomeKey(names); }};
  Call call = DrawCall(prng_);
  if (auto* const put = std::get_if<Put>(&call)) {
    put->lease = names.Lease(put->lease);
    return RequestOf(*put, placement_, values_);
  }
  if (const auto* const erase = std::get_if<Delete>(&call)) return RequestOf(*erase, placement_);
  if (auto* const txn = std::get_if<Txn>(&call)) {
    return RequestOf(Placed(std::move(*txn), names), placement_, values_, what);
  }
  ReadRequest read = RequestOf(std::get<Get>(call), placement_, what);
  read.serializable = prng_.Chance(0.5);
  return read;
}

// Others write at the same time: what a key may be like by now.
KnownKey DrawnCalls::SomeKey(const Names& names) {
  const std::int64_t mod = Near(names.known, prng_.Between(1, kRecent)).value;
  return {.create = mod,
          .mod = mod,
          .version = prng_.Between(1, 3),
          .lease = names.Lease(prng_.Between(0, 3)),
          .value = fmt::format("v{}", values_.given)};
}

Txn DrawnCalls::Placed(Txn txn, const Names& names) const {
  for (Condition& condition : txn.when) {
    if (condition.target != Condition::Target::kLease) continue;
    std::int64_t number = 0;
    const std::string& digits = condition.value;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, number).ptr != end) continue;
    condition.value = std::to_string(names.Lease(number));
  }
  for (auto* const parts : {&txn.then, &txn.otherwise}) {
    for (TxnPart& part : *parts) {
      part.lease = names.Lease(part.lease);
      part.read.keys_only = false;  // etcd 3.7 leaves the leases out, which reads alone show
    }
  }
  for (Txn& nested : txn.nested) nested = Placed(std::move(nested), names);
  return txn;
}

}  // namespace watchproof::explore
