// SPDX-License-Identifier: Apache-2.0
// Which verdict is expected of which release, from the answer keys (harness/bugs), and where
// releases come from: fixtures/releases/manifest.toml, built into the executable.
//
//   const Expectations& expectations = Expectations::BuiltIn();
//   expectations.Apply(target, result);   // sets known, reason, upstream, bugs; returns the status
//
// The key can never hide an inconclusive or a harness error. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"
#include "harness/releases/release_archives.h"
#include "harness/results/baseline.h"
#include "harness/results/result.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct Release {
  std::string product;  // "etcd": as in TargetSpec
  std::string version;  // "3.4.23"
  std::string source;   // where it comes from, for readers
  // What the release does not offer, for readers: a run finds that out by probing.
  std::vector<std::string> missing;
  std::optional<DebianBinary> debian;
};

enum class ExpectationStatus {
  kAsExpected,
  kKnownFailure,
  kNewFailure,
  kRegression,  // fails as a bug does that the release has fixed
  kFixedEarly,  // passes, although the release is affected by a bug that the case shows
};

class Expectations {
 public:
  // A manifest, and in the same document its own answer key, of etcd unless it says otherwise.
  // Errors name the line and what was expected.
  static Result<Expectations> Parse(std::string_view toml);
  static const Expectations& BuiltIn();
  // The text of fixtures/releases/manifest.toml, as it was when the executable was built.
  static std::string_view BuiltInText();

  // Beside the key: new failures that these accept are known, too.
  void Accept(const std::vector<AcceptedFailure>& accepted);

  // Compares a pass or a fail with what the bugs of the target's version say; sets known, reason,
  // upstream and bugs. All other verdicts stay unchanged. What fails in a consumer is known if the
  // store below shows known bugs and nothing else in that attempt. `store`: the result on it, after
  // this; null where that explains nothing.
  ExpectationStatus Apply(const TargetSpec& target, AttemptResult& result,
                          const AttemptResult* store = nullptr) const;

  // Null: no key is about the product.
  const AnswerKey* KeyOf(const std::string& product) const;
  const std::vector<AcceptedFailure>& accepted() const { return accepted_; }
  // Those that show a bug of the version, whether always or by luck; also of one that only the
  // topology has.
  std::vector<std::string> CasesThatFail(const std::string& product, const std::string& version,
                                         const std::string& topology = {}) const;
  // Null when the manifest does not list that release.
  const Release* FindRelease(std::string_view product, std::string_view version) const;
  const std::vector<Release>& releases() const { return releases_; }
  const std::map<std::string, GoModule>& modules() const { return modules_; }  // by product
  // Null when the product has none.
  const GoModule* ModuleOf(const std::string& product) const;
  // Where a version can be fetched, whether the manifest lists it or not.
  ReleaseSource SourceOf(const std::string& product, const std::string& version) const;

 private:
  ExpectationStatus ByKey(const TargetSpec& target, AttemptResult& result) const;

  AnswerKey key_;
  std::vector<AcceptedFailure> accepted_;
  std::vector<Release> releases_;
  std::map<std::string, OfficialArchive> archives_;  // by product
  std::map<std::string, GoModule> modules_;          // by product
};

}  // namespace watchproof
