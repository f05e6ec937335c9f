// SPDX-License-Identifier: Apache-2.0
// What clients of etcd's API may rely on, in numbered clauses that others can cite, written once in
// fixtures/contract/etcd.toml: each promise with its source, what tests it, and the guarantee that
// judges it. And the levels that a store reaches by keeping some of them.
//
//   const Clause& clause = Contract::BuiltIn().Get("W-12");
//   fmt::print("{} {}\n", clause.id, clause.says);
//
// Threads: values, and one constant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

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

struct Clause {
  std::string id;    // "W-12", for good
  std::string says;  // one sentence
  Level level = Level::kMust;
  std::string guarantee;                // that judges it
  std::vector<std::string> cases{};     // that test it; "Suite.*": all of a suite
  std::vector<std::string> promises{};  // standing promises that ask for it
  std::string source;                   // a link
  std::string since{};    // the first minor version of etcd with it, "3.4"; empty: each
  std::string until{};    // the last one; empty: none so far
  std::string profile{};  // of a run, which alone asks for it; empty: any may
  std::string differs{};  // how etcd itself differs from it, on every release
  // Whether the case is one that tests it.
  bool TestedBy(std::string_view case_name) const;
  // Whether it holds for stores that speak the API of etcd 3.`minor`.
  bool Binds(int minor) const;
};

// What a store reaches that keeps each of these clauses.
struct Reach {
  std::string name;
  std::string about;                   // one sentence
  std::vector<std::string> clauses{};  // their ids; "W-*": all that must hold of a letter
};

class Contract {
 public:
  // Errors name the line and what was expected.
  static Result<Contract> Parse(std::string_view toml);
  static const Contract& BuiltIn();
  // The text of fixtures/contract/etcd.toml, as it was when the executable was built.
  static std::string_view BuiltInText();

  // In the order of the text; each id once.
  const std::vector<Clause>& clauses() const { return clauses_; }
  // The least first.
  const std::vector<Reach>& reaches() const { return reaches_; }
  const Clause* Find(std::string_view id) const;
  // Requires: there is one.
  const Clause& Get(std::string_view id) const;
  // What the case tests, in the order of the text.
  std::vector<const Clause*> TestedBy(std::string_view case_name) const;
  // The clauses that it needs.
  std::vector<const Clause*> Of(const Reach& reach) const;

 private:
  std::vector<Clause> clauses_;
  std::vector<Reach> reaches_;
};

}  // namespace watchproof
