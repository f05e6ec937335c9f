// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_targets.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "embedded_store/defects/defect.h"
#include "harness/base/escape.h"
#include "harness/bugs/release_version.h"
#include "harness/consumers/consumer_build.h"
#include "harness/consumers/consumer_source.h"
#include "harness/process/child_process.h"
#include "harness/releases/release_archives.h"
#include "harness/releases/release_cache.h"
#include "harness/runs/parse.h"
#include "harness/targets/target_spec.h"

namespace watchproof {
namespace {

Status Adopt(Result<TargetSpec> parsed, RunOptions& options) {
  if (!parsed.has_value()) return parsed.error();
  if (Contains(options.targets, parsed->text, &TargetSpec::text)) return {};
  options.unnamed_targets.insert(parsed->text);
  options.targets.push_back(*std::move(parsed));
  return {};
}

std::vector<std::string> InOrder(std::vector<std::string> versions) {
  std::ranges::sort(versions, [](const auto& a, const auto& b) {
    return std::pair(ParseVersion(a), a) < std::pair(ParseVersion(b), b);
  });
  return versions;
}

Status AddReleases(const Expectations& expectations, RunOptions& options) {
  std::set<std::string> products;
  for (const Release& release : expectations.releases()) {
    products.insert(release.product);
    if (options.releases != Releases::kAll) continue;
    WP_RETURN_IF_ERROR(Adopt(ReleaseSpec(release.product, release.version), options));
  }
  if (options.releases != Releases::kCached) return {};
  for (const std::string& product : products) {
    for (const std::string& version : InOrder(CachedVersions(product))) {
      WP_RETURN_IF_ERROR(Adopt(ReleaseSpec(product, version), options));
    }
  }
  return {};
}

Status CheckReleases(const Expectations& expectations, const std::vector<TargetSpec>& targets) {
  for (const TargetSpec& target : targets) {
    std::vector<std::string> releases;
    if (!target.release.empty()) releases.push_back(target.release);
    for (const NextRelease& next : target.next) releases.push_back(next.release);
    for (const std::string& release : releases) {
      if (CachedRelease(target.product, release).has_value()) continue;
      WP_RETURN_IF_ERROR(
          CheckRelease(expectations, target.product, release).WithContext("--target"));
    }
  }
  return {};
}

// Errors name the flag and the file.
template <typename Parse>
auto Parsed(std::string_view flag, const std::filesystem::path& path, Parse parse)
    -> decltype(parse(std::string_view())) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || std::filesystem::is_directory(path, error)) {
    return Fail(StatusCode::kNotFound, "{}: '{}' cannot be read; expected a TOML file", flag,
                path.string());
  }
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  auto parsed = parse(text);
  if (!parsed.has_value()) return parsed.error().WithContext("{}: {}", flag, path.string());
  return parsed;
}

// A permission for a server that is not a target has a mistyped address.
Status CheckAllowed(const RunOptions& options, const char* flag,
                    const std::vector<std::string>& allowed) {
  for (const std::string& text : allowed) {
    WP_ASSIGN_OR_RETURN(const ServerAddress address, InContext(flag, ParseServerAddress(text)));
    const bool is_target = std::ranges::any_of(
        options.targets, [&](const TargetSpec& target) { return target.IsAmong({text}); });
    if (!is_target) {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: there is no --target endpoint:{}; name the same address", flag, text);
    }
  }
  return {};
}

}  // namespace

Result<Expectations> LoadExpectations(const std::filesystem::path& manifest,
                                      const std::vector<std::filesystem::path>& baselines) {
  Expectations expectations = Expectations::BuiltIn();
  if (!manifest.empty()) {
    WP_ASSIGN_OR_RETURN(expectations, Parsed("--manifest", manifest, Expectations::Parse));
  }
  for (const std::filesystem::path& baseline : baselines) {
    WP_ASSIGN_OR_RETURN(auto accepted, Parsed("--baseline", baseline, ParseBaseline));
    for (AcceptedFailure& entry : accepted) {
      entry.place = fmt::format("{}:{}", baseline.string(), entry.line);
    }
    expectations.Accept(accepted);
  }
  return expectations;
}

Status CheckRelease(const Expectations& expectations, const std::string& product,
                    const std::string& version) {
  if (expectations.FindRelease(product, version) != nullptr) return {};
  const bool listed = expectations.ModuleOf(product) != nullptr;
  if (listed && ParseVersion(version)) return {};
  if (listed) {
    return Fail(StatusCode::kInvalidArgument,
                "{0} {1}: '{1}' is no version; expected one such as 3.5.16, and `watchproof fetch "
                "--list` names those that there are",
                product, version);
  }
  const std::vector<std::string> products = KnownProducts(expectations);
  if (!Contains(products, product)) {
    return Fail(StatusCode::kInvalidArgument, "{} {} is not in the manifest; known products: {}",
                product, version, fmt::join(products, ", "));
  }
  return Fail(StatusCode::kInvalidArgument, "{0} {1} is not in the manifest; known: {0} {2}",
              product, version,
              fmt::join(KnownVersions(expectations, product), fmt::format(", {} ", product)));
}

std::vector<std::string> KnownProducts(const Expectations& expectations) {
  std::set<std::string> products;
  for (const Release& release : expectations.releases()) products.insert(release.product);
  for (const auto& [product, module] : expectations.modules()) {
    if (!module.tool) products.insert(product);
  }
  return {products.begin(), products.end()};
}

std::vector<std::string> KnownVersions(const Expectations& expectations,
                                       const std::string& product) {
  std::vector<std::string> versions;
  for (const Release& release : expectations.releases()) {
    if (release.product == product) versions.push_back(release.version);
  }
  return versions;
}

Status CheckDefect(const std::string& name) {
  std::vector<std::string> known;
  for (const store::DefectInfo& info : store::KnownDefects()) known.push_back(info.name);
  if (Contains(known, name)) return {};
  return Fail(StatusCode::kInvalidArgument, "defect \"{}\" is not known{}; expected one of {}",
              name, DidYouMean(name, known), fmt::join(known, ", "));
}

Result<std::vector<TargetSpec>> ParseTargets(const std::vector<std::string>& texts) {
  std::vector<TargetSpec> targets;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    WP_RETURN_IF_ERROR(CheckPrintable(text));
    WP_ASSIGN_OR_RETURN(TargetSpec spec, ParseTargetSpec(text));
    for (const std::string& defect : spec.defects) {
      WP_RETURN_IF_ERROR(CheckDefect(defect).WithContext("{}", text));
    }
    if (!seen.insert(text).second) {
      return Fail(StatusCode::kInvalidArgument, "'{}' is given twice", text);
    }
    targets.push_back(std::move(spec));
  }
  return targets;
}

Result<std::vector<DefectSummary>> DefectsNamed(const std::vector<std::string>& words) {
  const bool all = Contains(words, "all");
  for (const std::string& word : words) {
    if (word != "all") WP_RETURN_IF_ERROR(CheckDefect(word));
  }
  std::vector<DefectSummary> notes;
  for (const store::DefectInfo& info : store::KnownDefects()) {
    if (!all && !Contains(words, info.name)) continue;
    notes.push_back({.name = info.name,
                     .target = "embedded+" + info.name,
                     .upstream = info.upstream_issue,
                     .guarantees = info.guarantees});
  }
  return notes;
}

Status SetTargets(const std::vector<std::string>& texts, RunOptions& options) {
  WP_ASSIGN_OR_RETURN(options.targets, InContext("--target", ParseTargets(texts)));
  const bool others = !texts.empty() || options.releases != Releases::kNone;
  if (options.defects.empty() || !others) return {};
  return Fail(StatusCode::kInvalidArgument,
              "--defects: these are planted in the embedded store; leave --target and "
              "--releases out");
}

Status GiveAccess(RunOptions& options) {
  WP_RETURN_IF_ERROR(CheckAllowed(options, "--allow-disruptive", options.allow_disruptive));
  WP_RETURN_IF_ERROR(CheckAllowed(options, "--allow-kubernetes", options.allow_kubernetes));
  for (TargetSpec& target : options.targets) {
    target.access = options.access;
    target.allow_disruptive = options.allow_disruptive;
  }
  return {};
}

Status AddTargets(const std::vector<DefectSummary>& defects, const Expectations& expectations,
                  RunOptions& options) {
  if (!defects.empty()) {
    std::vector<std::string> texts{"embedded"};
    for (const DefectSummary& defect : defects) texts.push_back(defect.target);
    WP_ASSIGN_OR_RETURN(options.targets, ParseTargets(texts));
  }
  WP_RETURN_IF_ERROR(AddReleases(expectations, options));
  return CheckReleases(expectations, options.targets);
}

RunOptions SetAsideNotFetched(const RunOptions& options, RunRecord& record) {
  RunOptions reachable = options;
  reachable.targets.clear();
  for (const TargetSpec& target : options.targets) {
    std::map<std::string, std::string> releases;  // by the text under which each is recorded
    if (!target.release.empty()) releases[target.text] = target.release;
    for (const NextRelease& next : target.next) {
      releases[fmt::format("{}@{}", target.product, next.release)] = next.release;
    }
    Status cached;
    for (const auto& [text, release] : releases) {
      const Result<BinaryRecord> binary = RecordOf(target.product, release);
      if (binary.has_value()) {
        record.binaries[text] = *binary;
      } else {
        cached = binary.error();
      }
    }
    if (cached.ok()) {
      reachable.targets.push_back(target);
      continue;
    }
    if (!options.unnamed_targets.contains(target.text)) {
      record.named_not_fetched = true;
      fmt::print(stderr, "watchproof run: {}\n", Escaped(cached.message()));
    }
    for (const CaseSummary& note : record.cases) {
      record.not_run.push_back({.case_name = note.name,
                                .target = target.text,
                                .seed = record.seed,
                                .outcome = Outcome::kNotFetched});
    }
  }
  return reachable;
}

std::map<std::string, std::vector<std::string>> MissingOfReleases(const Expectations& expectations,
                                                                  const TargetSpec& target) {
  std::map<std::string, std::vector<std::string>> missing;
  for (const Release& release : expectations.releases()) {
    if (release.product != target.product || target.server || release.missing.empty()) continue;
    missing[release.version] = release.missing;
  }
  return missing;
}

void RecordPrograms(RunRecord& record) {
  record.program_sha256 = Sha256OfFile(OwnExecutable()).value_or("");
  for (const TargetSpec& target : record.targets) {
    if (target.program.empty()) continue;
    const bool is_path = target.program.find('/') != std::string::npos;
    const std::filesystem::path program =
        is_path ? std::filesystem::path(target.program) : FindInPath(target.program);
    const Result<std::string> sum = Sha256OfFile(program);
    if (!sum.has_value()) continue;
    record.binaries[target.text] = {
        .binary = program, .sha256 = *sum, .source = {}, .built_from = {}};
  }
}

Status AddConsumers(RunOptions& options) {
  if (!options.consumers.empty() && !options.defects.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--consumer: not with --defects; expected --target embedded+DEFECT");
  }
  for (const std::string& consumer : options.consumers) {
    if (auto found = FindConsumer(consumer); !found.has_value()) {
      return std::move(found).error().WithContext("--consumer");
    }
  }
  std::vector<TargetSpec> targets;
  for (const TargetSpec& target : options.targets) {
    if (options.consumers.empty() || !target.consumer.empty()) targets.push_back(target);
    for (const std::string& consumer : options.consumers) {
      if (target.consumer.empty()) targets.push_back(WithConsumer(target, consumer));
    }
  }
  options.targets = std::move(targets);
  const auto without = std::ranges::count(options.targets, std::string(), &TargetSpec::consumer);
  if (without == 0 || without == std::ssize(options.targets)) return {};
  return Fail(StatusCode::kInvalidArgument,
              "--target: some have a consumer and some have none; expected one for each, as by "
              "--consumer NAME");
}

Status AcceptKnown(const std::vector<TargetSpec>& targets, Expectations& expectations) {
  std::set<std::string> seen;
  for (const TargetSpec& target : targets) {
    if (target.consumer.empty() || !seen.insert(target.consumer).second) continue;
    WP_ASSIGN_OR_RETURN(const ConsumerSource source, FindConsumer(target.consumer));
    if (source.accepted.empty()) continue;
    const std::string place = source.name + "/accepted.toml";
    WP_ASSIGN_OR_RETURN(auto accepted, InContext(place, ParseBaseline(source.accepted)));
    for (AcceptedFailure& entry : accepted) entry.place = fmt::format("{}:{}", place, entry.line);
    expectations.Accept(accepted);
  }
  return {};
}

bool HasConsumers(const std::vector<TargetSpec>& targets) {
  return !targets.empty() && !targets.front().consumer.empty();
}

std::vector<TargetSpec> ColumnsOf(const std::vector<TargetSpec>& targets) {
  std::vector<TargetSpec> columns;
  const auto add = [&columns](const TargetSpec& target) {
    if (!Contains(columns, target.text, &TargetSpec::text)) columns.push_back(target);
  };
  for (const TargetSpec& target : targets) {
    add(WithoutConsumer(target));
    add(target);
  }
  return columns;
}

Result<RunConsumers> BuildConsumers(const std::vector<TargetSpec>& targets,
                                    const std::function<void(const std::string&)>& report) {
  RunConsumers consumers;
  for (const TargetSpec& target : targets) {
    if (target.consumer.empty() || consumers.contains(target.consumer)) continue;
    WP_ASSIGN_OR_RETURN(const ConsumerSource source, FindConsumer(target.consumer));
    const auto built = BuildConsumer(source, report);
    if (!built.has_value() && built.error().code() != StatusCode::kNotFound) return built.error();
    consumers[target.consumer] = {
        .layers = source.recipe.layers,
        .can = source.recipe.can,
        .command = built.has_value() ? built->command : std::vector<std::string>(),
        .jobs = source.recipe.jobs,
        .missing = built.has_value() ? "" : built.error().message()};
  }
  return consumers;
}

}  // namespace watchproof
