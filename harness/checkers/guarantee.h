// SPDX-License-Identifier: Apache-2.0
// A guarantee of the watch API or of the key-value API, by its name. Those that etcd names carry
// etcd's names, others the names of the literature. Everything else about a guarantee is in the
// file that judges it, harness/checkers/<name>.cc.
//
//   Guarantee("Ordered")   HeadlineOf(guarantee).says   for (Guarantee one : AllGuarantees()) ...
//
// Threads: values.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/contract/contract.h"

namespace watchproof {

class Guarantee {
 public:
  constexpr Guarantee() = default;
  // Requires: a checker has registered under the name, which stays for the whole program.
  constexpr explicit Guarantee(std::string_view name) : name_(name) {}

  constexpr std::string_view name() const { return name_; }
  constexpr auto operator<=>(const Guarantee&) const = default;

 private:
  std::string_view name_;
};

// What a finding against a guarantee means, the gravest first: a dead target, lost or invented
// data, then order, missing messages, fields.
enum class Gravity { kDeath, kData, kOrder, kSilence, kFields };
constexpr std::string_view Name(Gravity gravity) {
  constexpr std::string_view kNames[] = {"death", "data", "order", "silence", "fields"};
  return kNames[static_cast<std::size_t>(gravity)];
}

constexpr std::string_view Name(Guarantee guarantee) { return guarantee.name(); }
// The clause of the contract that is all of it in one sentence. Others may say more.
const Clause& HeadlineOf(Guarantee guarantee);
// One sentence: the impact on a Kubernetes cache that a store with this fault feeds.
std::string_view Impact(Guarantee guarantee);
// A plain-language paragraph for `watchproof explain`, with the source of the rule.
std::string_view Explain(Guarantee guarantee);
Gravity GravityOf(Guarantee guarantee);
// In the order of every list.
std::vector<Guarantee> AllGuarantees();

}  // namespace watchproof
