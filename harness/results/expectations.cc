// SPDX-License-Identifier: Apache-2.0
#include "harness/results/expectations.h"

#include <algorithm>

#include "harness/base/check.h"
#include "harness/base/toml_fields.h"
#include "harness/targets/target_spec.h"

namespace watchproof {
namespace {

using namespace toml_fields;

Result<DebianBinary> ReadDebian(const toml::table& table) {
  WP_RETURN_IF_ERROR(
      OnlyFields(table, {"suite", "package", "seen", "architecture", "path", "sha256"}));
  DebianBinary binary;
  WP_ASSIGN_OR_RETURN(binary.suite, Text(table, "suite"));
  WP_ASSIGN_OR_RETURN(binary.package, Text(table, "package"));
  WP_ASSIGN_OR_RETURN(binary.seen, Text(table, "seen"));
  WP_ASSIGN_OR_RETURN(binary.architecture, Text(table, "architecture"));
  WP_ASSIGN_OR_RETURN(binary.path, Text(table, "path"));
  WP_ASSIGN_OR_RETURN(binary.sha256, Text(table, "sha256"));
  const bool digits = binary.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (binary.sha256.size() != 64 || !digits) {
    return FailAt(*table.get("sha256"), "expected 'sha256' with 64 lower-case hexadecimal digits");
  }
  return binary;
}

Result<OfficialArchive> ReadArchive(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"product", "url", "sums", "path"}));
  OfficialArchive archive;
  WP_ASSIGN_OR_RETURN(archive.url, Text(table, "url"));
  WP_ASSIGN_OR_RETURN(archive.sums, Text(table, "sums"));
  WP_ASSIGN_OR_RETURN(archive.path, Text(table, "path"));
  return archive;
}

// The part of a row that says where the release is from and what it lacks.
Status ReadOrigin(const toml::table& table, Release& release) {
  if (table.contains("missing")) {
    WP_ASSIGN_OR_RETURN(release.missing, List<std::string>(table, "missing"));
  }
  if (!table.contains("debian")) return {};
  const toml::table* debian = table.get("debian")->as_table();
  if (debian == nullptr) return FailAt(*table.get("debian"), "expected a [release.debian] table");
  WP_ASSIGN_OR_RETURN(release.debian, ReadDebian(*debian));
  return {};
}

Result<Release> ReadRelease(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"product", "version", "source", "missing", "debian"}));
  Release release;
  WP_ASSIGN_OR_RETURN(release.product, Text(table, "product"));
  WP_ASSIGN_OR_RETURN(release.version, Text(table, "version"));
  WP_ASSIGN_OR_RETURN(release.source, Text(table, "source"));
  WP_RETURN_IF_ERROR(ReadOrigin(table, release));
  return release;
}

Result<GoModule> ReadModule(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(
      table, {"product", "path", "family", "package", "call", "tags", "cgo", "tool", "silent"}));
  GoModule module;
  WP_ASSIGN_OR_RETURN(module.path, Text(table, "path"));
  WP_ASSIGN_OR_RETURN(module.family, Text(table, "family"));
  WP_ASSIGN_OR_RETURN(module.package, Text(table, "package"));
  WP_ASSIGN_OR_RETURN(module.call, OptionalText(table, "call"));
  WP_ASSIGN_OR_RETURN(module.tags, OptionalText(table, "tags"));
  module.cgo = table["cgo"].value_or(false);
  module.tool = table["tool"].value_or(false);
  module.silent = table["silent"].value_or(false);
  return module;
}

// Tables that are listed once per product.
template <typename T>
Status ReadPerProduct(const toml::table& root, std::string_view field,
                      Result<T> (*read)(const toml::table&), std::map<std::string, T>& all) {
  WP_ASSIGN_OR_RETURN(const auto tables, Tables(root, field));
  for (const toml::table* table : tables) {
    WP_ASSIGN_OR_RETURN(const std::string product, Text(*table, "product"));
    WP_ASSIGN_OR_RETURN(T one, read(*table));
    if (!all.emplace(product, std::move(one)).second) {
      return FailAt(*table, fmt::format("the {} of {} is listed twice", field, product));
    }
  }
  return {};
}

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

// Bugs that a case shows, and what it shows of each.
struct Suspects {
  struct One {
    const Bug* bug;
    const ShownBy* shown;
    std::string fixed;  // the release with the fix
  };
  std::vector<One> affecting, fixed;
  // Bugs of the version that the case may show though it is not named as one that does.
  std::vector<const Bug*> everywhere;
};

// Its calls are drawn from the whole API, so that no bug names it, and any may show in it.
bool DrawsAnyCall(const std::string& case_name) {
  return IsExploredCase(case_name) || case_name.ends_with(".CallsOfEveryKind");
}

Suspects SuspectsOf(const AnswerKey& key, const std::string& case_name,
                    const ReleaseVersion& version, const std::string& topology) {
  Suspects suspects;
  for (const Bug& bug : key.bugs()) {
    if (!bug.topology.empty() && bug.topology != topology) continue;
    const bool anywhere = bug.every_case || DrawsAnyCall(case_name);
    if (anywhere && StateIn(bug.affected, version).presence == Presence::kAffected) {
      suspects.everywhere.push_back(&bug);
    }
    for (const ShownBy& shown : bug.shown) {
      if (shown.case_name != case_name) continue;
      const BugState state = StateIn(bug.affected, version);
      if (state.presence == Presence::kAffected) suspects.affecting.push_back({&bug, &shown, {}});
      if (state.presence == Presence::kFixed) {
        suspects.fixed.push_back({&bug, &shown, state.fixed});
      }
    }
  }
  return suspects;
}

// For a cluster that was one version and became another during the attempt: what either has may
// show, and only what both have fixed must not.
Suspects Either(Suspects from, const Suspects& to) {
  const auto among = [](const std::vector<Suspects::One>& all, const Suspects::One& one) {
    return std::ranges::any_of(all, [&one](const Suspects::One& other) {
      return other.bug == one.bug && other.shown == one.shown;
    });
  };
  std::erase_if(from.fixed, [&](const auto& one) { return !among(to.fixed, one); });
  for (const Suspects::One& one : to.affecting) {
    if (!among(from.affecting, one)) from.affecting.push_back(one);
  }
  for (const Bug* const bug : to.everywhere) {
    if (!Contains(from.everywhere, bug)) from.everywhere.push_back(bug);
  }
  return from;
}

bool Explains(const Suspects::One& one, const FindingRecord& finding) {
  return Contains(one.shown->guarantees, finding.guarantee) &&
         Contains(one.bug->signatures, finding.resembles);
}

bool Explain(const std::vector<Suspects::One>& bugs, const FindingRecord& finding) {
  return std::ranges::any_of(bugs,
                             [&](const Suspects::One& one) { return Explains(one, finding); });
}

// Those that explain a finding.
std::vector<Suspects::One> Shown(const std::vector<Suspects::One>& bugs,
                                 const AttemptResult& result) {
  std::vector<Suspects::One> shown;
  for (const Suspects::One& one : bugs) {
    const auto explains = [&one](const FindingRecord& finding) { return Explains(one, finding); };
    if (std::ranges::any_of(result.findings, explains)) shown.push_back(one);
  }
  return shown;
}

const Bug* ShownEverywhere(const Suspects& suspects, const FindingRecord& finding) {
  const auto& bugs = suspects.everywhere;
  const auto found = std::ranges::find_if(
      bugs, [&](const Bug* bug) { return Contains(bug->signatures, finding.resembles); });
  return found == bugs.end() ? nullptr : *found;
}

// How many of the findings a bug that the case shows explains, how many only one that every case
// may show, and how many none.
struct Explained {
  std::size_t own = 0;
  std::size_t elsewhere = 0;
  std::size_t not_at_all = 0;
};
Explained ExplainAll(const Suspects& suspects, const AttemptResult& result) {
  Explained explained;
  for (const FindingRecord& finding : result.findings) {
    if (Explain(suspects.affecting, finding)) {
      ++explained.own;
    } else if (ShownEverywhere(suspects, finding) != nullptr) {
      ++explained.elsewhere;
    } else {
      ++explained.not_at_all;
    }
  }
  return explained;
}

// Whether a bug of the version has the signature, no matter which case shows it.
bool HasSignature(const AnswerKey& key, const ReleaseVersion& version, const std::string& name) {
  return std::ranges::any_of(key.bugs(), [&](const Bug& bug) {
    return Contains(bug.signatures, name) &&
           StateIn(bug.affected, version).presence == Presence::kAffected;
  });
}

// The fixed bugs that the findings look like, and no bug that the version has.
std::vector<Suspects::One> Back(const Suspects& suspects, const AnswerKey& key,
                                const ReleaseVersion& version, const AttemptResult& result) {
  std::vector<Suspects::One> back;
  for (const Suspects::One& one : suspects.fixed) {
    const auto shows = [&](const FindingRecord& finding) {
      return Explains(one, finding) && !HasSignature(key, version, finding.resembles);
    };
    if (std::ranges::any_of(result.findings, shows)) back.push_back(one);
  }
  return back;
}

// Numbers of a bug, for results: these link to etcd's tracker.
std::vector<int> NumbersOf(const Bug& bug) {
  return bug.issues.empty() ? bug.upstream : std::vector<int>();
}

// The case named the numbers that it is about; now it is known which of them this is.
void Name(const std::vector<Suspects::One>& bugs, AttemptResult& result) {
  result.upstream.clear();
  result.bugs.clear();
  result.reason.clear();
  for (const Suspects::One& one : bugs) {
    if (!Contains(result.bugs, one.bug->name)) result.bugs.push_back(one.bug->name);
    const std::vector<int> numbers = NumbersOf(*one.bug);
    if (!numbers.empty()) result.upstream.push_back(numbers.front());
    if (result.reason.find(one.shown->reason) != std::string::npos) continue;
    result.reason += (result.reason.empty() ? "" : "; ") + one.shown->reason;
  }
}

}  // namespace

Result<Expectations> Expectations::Parse(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, Document(text));
  WP_RETURN_IF_ERROR(
      OnlyFields(root, {"archive", "module", "release", "signature", "bug", "product", "issues"}));
  Expectations expectations;
  WP_ASSIGN_OR_RETURN(expectations.key_, AnswerKey::Parse(text));
  WP_RETURN_IF_ERROR(ReadPerProduct(root, "archive", ReadArchive, expectations.archives_));
  WP_RETURN_IF_ERROR(ReadPerProduct(root, "module", ReadModule, expectations.modules_));
  WP_ASSIGN_OR_RETURN(const auto tables, Tables(root, "release"));
  for (const toml::table* table : tables) {
    WP_ASSIGN_OR_RETURN(Release release, ReadRelease(*table));
    if (expectations.FindRelease(release.product, release.version) != nullptr) {
      return FailAt(*table, fmt::format("{} {} is listed twice", release.product, release.version));
    }
    expectations.releases_.push_back(std::move(release));
  }
  return expectations;
}

const Expectations& Expectations::BuiltIn() {
  static const Expectations kBuiltIn = [] {
    Result<Expectations> parsed = Parse(BuiltInText());
    WP_CHECK(parsed.has_value(),
             ("fixtures/releases/manifest.toml: " + parsed.error().message()).c_str());
    parsed->key_ = AnswerKey::BuiltIn();
    return std::move(parsed).value();
  }();
  return kBuiltIn;
}

const Release* Expectations::FindRelease(std::string_view product, std::string_view version) const {
  for (const Release& release : releases_) {
    if (release.product == product && release.version == version) return &release;
  }
  return nullptr;
}

const GoModule* Expectations::ModuleOf(const std::string& product) const {
  const auto found = modules_.find(product);
  return found == modules_.end() ? nullptr : &found->second;
}

ReleaseSource Expectations::SourceOf(const std::string& product, const std::string& version) const {
  ReleaseSource source{.product = product, .version = version};
  if (const Release* release = FindRelease(product, version)) source.debian = release->debian;
  if (const auto archive = archives_.find(product); archive != archives_.end()) {
    source.official = archive->second;
  }
  if (const GoModule* module = ModuleOf(product)) source.module = *module;
  return source;
}

const AnswerKey* Expectations::KeyOf(const std::string& product) const {
  return product == key_.product() ? &key_ : AnswerKey::Find(product);
}

std::vector<std::string> Expectations::CasesThatFail(const std::string& product,
                                                     const std::string& version,
                                                     const std::string& topology) const {
  std::vector<std::string> cases;
  const auto parsed = ParseVersion(version);
  const AnswerKey* const key = KeyOf(product);
  if (!parsed || key == nullptr) return cases;
  for (const Bug& bug : key->bugs()) {
    if (!bug.topology.empty() && bug.topology != topology) continue;
    if (StateIn(bug.affected, *parsed).presence != Presence::kAffected) continue;
    for (const ShownBy& shown : bug.shown) {
      if (!Contains(cases, shown.case_name)) cases.push_back(shown.case_name);
    }
  }
  return cases;
}

void Expectations::Accept(const std::vector<AcceptedFailure>& accepted) {
  accepted_.insert(accepted_.end(), accepted.begin(), accepted.end());
}

ExpectationStatus Expectations::Apply(const TargetSpec& target, AttemptResult& result,
                                      const AttemptResult* store) const {
  const ExpectationStatus status = ByKey(target, result);
  if (status != ExpectationStatus::kNewFailure) return status;
  if (store != nullptr && store->known) {
    result.known = true;
    result.upstream = store->upstream;
    result.bugs = store->bugs;
    result.reason = "reaches it from the store: " + store->reason;
    return ExpectationStatus::kKnownFailure;
  }
  for (const AcceptedFailure& entry : accepted_) {
    if (!entry.Accepts(result) || entry.ExpiredOn(result.started)) continue;
    result.known = true;
    result.reason = entry.Text();
    return ExpectationStatus::kKnownFailure;
  }
  return status;
}

ExpectationStatus Expectations::ByKey(const TargetSpec& target, AttemptResult& result) const {
  result.known = false;
  result.bugs.clear();
  const bool passed = result.verdict == Verdict::kPass;
  if (result.declared || (!passed && result.verdict != Verdict::kFail)) {
    return ExpectationStatus::kAsExpected;
  }
  Suspects suspects;
  const auto version = ParseVersion(result.target_version);
  const AnswerKey* const key = KeyOf(target.product);
  if (version && key != nullptr && target.consumer.empty()) {
    suspects = SuspectsOf(*key, result.case_name, *version, target.topology);
    for (const NextRelease& after : target.next) {
      const auto next = ParseVersion(after.release);
      if (!next) continue;
      suspects =
          Either(std::move(suspects), SuspectsOf(*key, result.case_name, *next, target.topology));
    }
  }
  const auto& affecting = suspects.affecting;
  const Explained explained = ExplainAll(suspects, result);
  // What every case may show says nothing about what this one is there for.
  const bool only_elsewhere =
      !passed && explained.elsewhere > 0 && explained.own == 0 && explained.not_at_all == 0;
  if (passed || only_elsewhere) {
    // A running server has the release that it reports, but was set up by others: what the key
    // expects of the release may fail there, and need not. In a topology the same goes for a bug
    // that the key does not list for it.
    const bool certain = std::ranges::any_of(affecting, [&target](const auto& one) {
      return one.shown->rate.empty() && one.bug->topology == target.topology;
    });
    if (!certain || target.server) {
      if (passed) return ExpectationStatus::kAsExpected;
      const Bug& bug = *ShownEverywhere(suspects, result.findings.front());
      result.known = true;
      result.upstream = NumbersOf(bug);
      result.bugs = {bug.name};
      result.reason = bug.title;
      return ExpectationStatus::kKnownFailure;
    }
    Name(affecting, result);
    result.reason =
        fmt::format("passes, but {} has the bug: {}", result.target_version, result.reason);
    return ExpectationStatus::kFixedEarly;
  }
  // Also where a known bug shows beside it.
  if (version && key != nullptr) {
    if (const auto back = Back(suspects, *key, *version, result); !back.empty()) {
      Name(back, result);
      result.reason = fmt::format("{} is back, which {} has fixed: {}", back.front().bug->Label(),
                                  back.front().fixed, result.reason);
      return ExpectationStatus::kRegression;
    }
  }
  if (explained.own == 0 || explained.not_at_all > 0) return ExpectationStatus::kNewFailure;
  result.known = true;
  Name(Shown(affecting, result), result);
  return ExpectationStatus::kKnownFailure;
}

}  // namespace watchproof
