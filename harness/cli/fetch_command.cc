// SPDX-License-Identifier: Apache-2.0
// `fetch`: places the binaries of releases in the cache, for targets named etcd@VERSION.
#include <fmt/format.h>

#include <cstdio>

#include "harness/cli/commands.h"
#include "harness/cli/run_targets.h"
#include "harness/targets/release_cache.h"

namespace watchproof {
namespace {

struct FetchFlags {
  std::string product;
  std::vector<std::string> versions;
  bool all = false;  // every release of the manifest
  std::string manifest;
};

Result<std::vector<Release>> Choose(const FetchFlags& flags, const Expectations& expectations) {
  if (flags.all) {
    std::vector<Release> all = expectations.releases();
    std::erase_if(all, [](const Release& release) { return release.only_if_met; });
    if (flags.product.empty()) return all;
    return Fail(StatusCode::kInvalidArgument, "either --all or a product and its versions");
  }
  if (flags.versions.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "nothing to fetch; expected a product and versions, as in: fetch etcd {}",
                fmt::join(KnownVersions(expectations, "etcd"), " "));
  }
  std::vector<Release> chosen;
  for (const std::string& version : flags.versions) {
    const Release* release = expectations.FindRelease(flags.product, version);
    if (release == nullptr) {
      std::vector<std::string> known;
      for (const Release& row : expectations.releases()) {
        known.push_back(row.product + " " + row.version);
      }
      return Fail(StatusCode::kInvalidArgument, "{} {} is not in the manifest; known: {}",
                  flags.product, version, fmt::join(known, ", "));
    }
    chosen.push_back(*release);
  }
  return chosen;
}

ExitCode FetchCommand(const FetchFlags& flags) {
  const Result<Expectations> expectations = LoadExpectations(flags.manifest);
  if (!expectations.has_value()) {
    return Complain("fetch", expectations.error().message());
  }
  const Result<std::vector<Release>> chosen = Choose(flags, *expectations);
  if (!chosen.has_value()) return Complain("fetch", chosen.error().message());
  ExitCode code = ExitCode::kOk;
  for (const Release& release : *chosen) {
    const std::string name = release.product + " " + release.version;
    const auto report = [&](const std::string& line) {
      Complain("fetch", fmt::format("{}: {}", name, line));
    };
    const Result<Fetched> fetched = FetchRelease(expectations->SourceOf(release), report);
    if (fetched.has_value()) {
      report(fetched->origin);
      fmt::print("{}\n", fetched->binary.string());
    } else {
      report(fetched.error().message());
      code = ExitCode::kTarget;
    }
    std::fflush(stdout);
  }
  return code;
}

}  // namespace

CommandBody AddFetch(CLI::App& command) {
  const auto flags = std::make_shared<FetchFlags>();
  command.add_option("product", flags->product, "etcd");
  command.add_option("version", flags->versions, "3.5.16 (repeatable)");
  command.add_flag("--all", flags->all, "Every release of the manifest");
  command.add_option("--manifest", flags->manifest, "Releases instead of the built-in ones")
      ->type_name("FILE")
      ->envname("WATCHPROOF_MANIFEST");
  return [flags] { return FetchCommand(*flags); };
}

}  // namespace watchproof
