// SPDX-License-Identifier: Apache-2.0
// Which failures are known for which release: fixtures/releases/manifest.toml, built into the
// executable.
//
//   const Expectations& expectations = Expectations::BuiltIn();
//   expectations.Apply(target, result);   // sets known, reason and upstream; returns the status
//
// A manifest can never hide an inconclusive or a harness error. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/results/result.h"
#include "harness/targets/release_source.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct ExpectedFailure {
  std::string case_name;
  // At least one of these must be among the findings, and no other may be: any other finding makes
  // the failure a new one.
  std::vector<std::string> guarantees;
  std::vector<int> upstream;  // etcd issue numbers
  std::string reason;
  std::string link;
  // The failure depends on chance: a pass does not mean that the row is out of date.
  bool sometimes = false;
};

struct Release {
  std::string product;  // "etcd": as in TargetSpec
  std::string version;  // "3.4.23"
  std::string source;   // where it comes from, for readers
  // What the release does not offer, for readers: a run finds that out by probing.
  std::vector<std::string> missing;
  std::optional<DebianBinary> debian;
  // The row applies, but "all" leaves the release out: it is in no public archive.
  bool only_if_met = false;
  std::vector<ExpectedFailure> expected;
};

enum class ExpectationStatus { kAsExpected, kKnownFailure, kNewFailure, kUnexpectedPass };

class Expectations {
 public:
  // Errors name the line and what was expected.
  static Result<Expectations> Parse(std::string_view toml);
  static const Expectations& BuiltIn();

  // Compares a pass or a fail with the row of the target's product and version; sets known, reason
  // and upstream of a known failure. All other verdicts stay unchanged.
  ExpectationStatus Apply(const TargetSpec& target, AttemptResult& result) const;

  // Null when the manifest does not list that release.
  const Release* FindRelease(std::string_view product, std::string_view version) const;
  const std::vector<Release>& releases() const { return releases_; }
  // Where the release can be fetched.
  ReleaseSource SourceOf(const Release& release) const;

 private:
  std::vector<Release> releases_;
  std::map<std::string, OfficialArchive> archives_;  // by product
};

}  // namespace watchproof
