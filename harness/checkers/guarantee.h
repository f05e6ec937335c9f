// SPDX-License-Identifier: Apache-2.0
// A guarantee of the watch API or of the key-value API, by its name. Those that etcd names carry
// etcd's names, others the names of the literature. Everything else about a guarantee is in the
// file that judges it, harness/checkers/<name>.cc.
//
//   Guarantee("Ordered")   Promise(finding.guarantee)   for (Guarantee one : AllGuarantees()) ...
//
// Threads: values.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

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

// How binding a rule is: the one that a finding broke, and the one that a case tests. Both are
// promises of etcd's documentation unless they say otherwise. A rule that should hold is documented
// behaviour without such a promise: the order of changes within a revision, progress without a
// request, the size of fragments, the refusal of a senseless compaction. What may be (late events,
// the order of keys deleted together) is noted and never fails an attempt.
enum class Level {
  kMust,    // etcd's documentation promises it
  kShould,  // documented behaviour
  kMay,     // observed and interesting; never fails an attempt
};
constexpr std::string_view Name(Level level) {
  constexpr std::string_view kNames[] = {"must", "should", "may"};
  return kNames[static_cast<std::size_t>(level)];
}

constexpr std::string_view Name(Guarantee guarantee) { return guarantee.name(); }
// One sentence: what a client may rely on.
std::string_view Promise(Guarantee guarantee);
// One sentence: the impact on a Kubernetes cache that a store with this fault feeds.
std::string_view Impact(Guarantee guarantee);
// A plain-language paragraph for `watchproof explain`, with the source of the rule.
std::string_view Explain(Guarantee guarantee);
Gravity GravityOf(Guarantee guarantee);
// In the order of every list.
std::vector<Guarantee> AllGuarantees();

}  // namespace watchproof
