// SPDX-License-Identifier: Apache-2.0
// The answer keys, one per product: its known bugs, each written once in fixtures/bugs/etcd.toml,
// kine.toml and so on, with the releases that it affects, the cases that show it, and the
// signatures that findings carry.
//
//   for (const Bug& bug : AnswerKey::BuiltIn().bugs()) ... StateIn(bug.affected, version) ...
//   AnswerKey::Find("kine")->bugs()
//   text = KnownBugText(finding.signature, {.product = "etcd", .version = "3.5.16"});
//
// A signature resembles a bug and does not prove the cause; but a bug is ruled out if the release
// has fixed it, if it needs a cluster and the target is a single server, or if that is another
// product.
// Threads: values, and one constant.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/bugs/release_version.h"

namespace watchproof {

// A case that shows the bug.
struct ShownBy {
  std::string case_name;
  // At least one of these is broken, and no other, in findings with a signature of the bug.
  std::vector<std::string> guarantees;
  std::string rate{};    // of attempts that show it: "7 of 8"; empty: all
  std::string reason{};  // why this case fails; empty: the title of the bug
  // What the target needs that shows it, if not what the bug needs: "upgrade=3.6.16".
  std::string topology{};
};

// A bug of the list by which etcd's own robustness tests measure themselves.
struct TrackRecord {
  std::string red{};    // a release with it, on which the first of its cases was tried
  std::string green{};  // and the first without; empty: there is none yet
  // From the start of `run --jobs 2` on the red release to the first attempt that shows it, median
  // of three on two cores: "9 s"; empty where none does.
  std::string first_red{};
  std::string theirs;  // what those tests need to show it, by their own words
};

// What a bug costs operators, the gravest first.
enum class Cost {
  kData,       // lost, invented, or wrong
  kSecurity,   // what is not allowed is possible
  kOutage,     // a member ends, hangs, or does not start
  kSilence,    // what was to come does not, and nothing says so
  kOrder,      // it comes, and not as it was promised
  kResources,  // memory, time
  kNoise,
};
inline constexpr int kCosts = 7;
std::string_view Name(Cost cost);  // as in the key: "data"

struct Bug {
  std::string name;                    // "#18089", "kine#568"
  std::string product = "etcd";        // that has it
  std::string issues{};                // what an issue's URL begins with; empty: that of etcd's
  std::vector<int> upstream{};         // issues and pull requests, the first of which names it
  std::vector<std::string> aliases{};  // of advisories: "GHSA-xg4h-6gfc-h4m8"
  std::string title;
  Cost cost = Cost::kNoise;
  std::string impact;  // one line for operators
  std::vector<AffectedRange> affected;
  std::vector<std::string> signatures{};  // not empty where cases show it
  std::vector<std::string> clauses{};     // of the contract, that findings of it break; likewise
  int members = 1;                        // that it needs
  std::string topology{};                 // the only one that has it: see TargetSpec; empty: any
  std::string needs{};                    // flags, or other circumstances
  std::string source;                     // of the ranges: changelogs, pull requests
  std::string link{};                     // what else there is to read about it
  // Whether any case may show it: by its closing questions, or as a fault of it happens to meet it.
  bool every_case = false;
  std::vector<ShownBy> shown{};
  // If no case shows it, one of these: what else does ("exploration" or "probing", ": ", and how);
  // why what it does is permitted; why nothing shows it.
  std::string met{};
  std::string permitted{};
  std::string not_shown{};
  std::optional<TrackRecord> track_record{};

  // "etcd #18089"; an advisory's name says enough.
  std::string Label() const;
  // Why no case shows it; empty if one does.
  const std::string& WhyNoCase() const;
  std::string UrlOf(int issue) const;
  // Its issue, or what else there is to read about it.
  std::string Url() const;
};

// That of etcd's tracker.
std::string IssueUrl(int issue);

struct Signature {
  std::string title;  // what a finding with it means
  int members = 1;    // that it needs, whatever the bug
  // Where no code decides which findings have it (harness/signatures): the guarantee that is
  // broken, and the words that occur in what was expected or observed, all of them.
  std::string guarantee{};
  std::vector<std::string> says{};
};

class AnswerKey {
 public:
  // The [[bug]] and [[signature]] tables of a document, which may have others, and its `product`
  // and `issues`; without them, etcd's. Errors name the line and what was expected.
  static Result<AnswerKey> Parse(std::string_view toml);
  // That of etcd.
  static const AnswerKey& BuiltIn();
  // Those of fixtures/bugs, as they were when the executable was built; etcd's comes first.
  static const std::vector<AnswerKey>& All();
  // Null: none is about the product.
  static const AnswerKey* Find(std::string_view product);
  // By which findings on a target of the product are named: its own; etcd's for the embedded store,
  // which has etcd's bugs planted, and for what is unknown; otherwise one without any bugs.
  static const AnswerKey& For(std::string_view product);
  // The bug of that name in any of them. Null: there is none.
  static const Bug* FindBug(std::string_view name);

  const std::string& product() const { return product_; }
  const std::vector<Bug>& bugs() const { return bugs_; }
  const std::map<std::string, Signature, std::less<>>& signatures() const { return signatures_; }
  // The signature of a finding by its words; empty: none fits.
  std::string SignatureOf(std::string_view guarantee, std::string_view expected,
                          std::string_view observed) const;

 private:
  std::string product_ = "etcd";
  std::vector<Bug> bugs_;
  std::map<std::string, Signature, std::less<>> signatures_;  // by name
};

struct KeyText {
  std::string_view product;
  std::string_view text;
};
// Generated from fixtures/bugs/.
const std::vector<KeyText>& KeyTexts();

// The properties of a target that decide which bugs it can have.
struct BugCarrier {
  // "etcd", "kine"; "embedded", which has etcd's planted; empty: unknown.
  std::string product{};
  std::string version{};                  // as the target reports it; empty: unknown
  int members = 0;                        // of its cluster; 0: unknown
  std::optional<std::string> topology{};  // "grpc-proxy", or "" for a plain one; none: unknown
};

// The names of the bugs with the signature that the target can have: "#20221".
std::vector<std::string> KnownBugs(std::string_view signature, const BugCarrier& target);

// Whether the target can have one of the bugs with the signature: a finding of it is no news then.
bool IsKnownBug(std::string_view signature, const BugCarrier& target);

// The text that a finding with the signature shows. Empty if the target cannot have the bug: it is
// another product, needs more members, or the release never had it. A bug that the release has
// fixed is named together with the release that fixed it. An unknown signature is returned
// unchanged.
std::string KnownBugText(std::string_view signature, const BugCarrier& target);

}  // namespace watchproof
