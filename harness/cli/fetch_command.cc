// SPDX-License-Identifier: Apache-2.0
// `fetch`: places the binaries of releases in the cache, for targets named etcd@VERSION,
// kine@VERSION and so on.
#include <fnmatch.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "harness/base/mutex.h"
#include "harness/bugs/release_version.h"
#include "harness/cli/commands.h"
#include "harness/releases/release_cache.h"
#include "harness/releases/tool.h"
#include "harness/runs/parse.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/signals.h"

namespace watchproof {
namespace {

struct FetchFlags {
  std::vector<std::string> words;  // a product and versions, or patterns of versions
  bool all = false;                // everything that --list shows
  bool list = false;
  std::string jobs = "1";
  std::string manifest;
};

struct NamedRelease {
  std::string product;
  std::string version;
  auto operator<=>(const NamedRelease&) const = default;
  std::string ToString() const { return product + " " + version; }
};

// The releases that are known to exist, by version; beside each the sources that have it.
using Known = std::vector<std::pair<NamedRelease, std::vector<std::string>>>;

void SortByVersion(Known& known) {
  std::ranges::stable_sort(known, [](const auto& a, const auto& b) {
    const auto rank = [](const NamedRelease& named) {
      return std::tuple(named.product, ParseVersion(named.version), named.version);
    };
    return rank(a.first) < rank(b.first);
  });
}

// The manifest's releases, and those that the registry lists. `status`: why it could not be asked.
Known AskForReleases(const Expectations& expectations, Status& status) {
  Known known;
  const auto add = [&known](const NamedRelease& named, const std::string& source) {
    for (auto& [listed, sources] : known) {
      if (listed == named) return sources.push_back(source);
    }
    known.push_back({named, {source}});
  };
  for (const Release& release : expectations.releases()) {
    const bool debian = release.debian.has_value();
    add({release.product, release.version},
        debian ? "Debian " + release.debian->suite : release.source);
  }
  for (const auto& [product, module] : expectations.modules()) {
    if (module.tool) continue;
    const Result<std::vector<std::string>> versions = ListModule(module);
    if (!versions.has_value()) {
      status = versions.error().WithContext("the Go modules of {}", product);
      continue;
    }
    for (const std::string& version : *versions) add({product, version}, "its Go module");
  }
  SortByVersion(known);
  return known;
}

CommandEnd ListReleases(const Expectations& expectations) {
  Status status;
  for (const auto& [named, sources] : AskForReleases(expectations, status)) {
    const bool cached = CachedRelease(named.product, named.version).has_value();
    fmt::print("{} {:<14} {}{}\n", named.product, named.version, fmt::join(sources, ", "),
               cached ? "; cached" : "");
  }
  fmt::print(stderr, "Other versions may be in the official archive, which has no list.\n");
  return status.ok() ? CommandEnd(ExitCode::kOk) : CommandEnd(status, ExitCode::kTarget);
}

bool IsPattern(const std::string& word) { return word.find_first_of("*?[") != std::string::npos; }

// A version that no list has may still be served.
Result<std::vector<NamedRelease>> Choose(const FetchFlags& flags,
                                         const Expectations& expectations) {
  std::vector<std::string> words = flags.words;
  if (words.size() == 1 && words[0].find(' ') != std::string::npos) {  // 'etcd 3.6.*'
    const std::size_t space = words[0].find(' ');
    words = {words[0].substr(0, space), words[0].substr(space + 1)};
  }
  if (flags.all && !words.empty()) {
    return Fail(StatusCode::kInvalidArgument, "either --all or a product and its versions");
  }
  if (!flags.all && words.size() < 2) {
    return Fail(StatusCode::kInvalidArgument,
                "nothing to fetch; expected a product ({}) and versions, as in: fetch etcd {}",
                fmt::join(KnownProducts(expectations), ", "),
                fmt::join(KnownVersions(expectations, "etcd"), " "));
  }
  const std::string product = words.empty() ? "" : words[0];
  Status status;
  const bool asks = flags.all || std::ranges::any_of(words, IsPattern);
  const Known known = asks ? AskForReleases(expectations, status) : Known();
  if (!status.ok()) Complain("fetch", status.message());
  std::vector<NamedRelease> chosen;
  for (const auto& [named, sources] : known) {
    const bool meant = std::ranges::any_of(words, [&named = named](const auto& word) {
      return IsPattern(word) && fnmatch(word.c_str(), named.version.c_str(), 0) == 0;
    });
    if (flags.all || (meant && named.product == product)) chosen.push_back(named);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (IsPattern(words[i])) continue;
    WP_RETURN_IF_ERROR(CheckRelease(expectations, product, words[i]));
    chosen.push_back({product, words[i]});
  }
  if (!chosen.empty()) return chosen;
  return Fail(StatusCode::kNotFound, "no release is called {}", fmt::join(words, " "));
}

// Fetches a list of releases, some at a time, until a signal comes.
class Fetcher {
 public:
  Fetcher(const Expectations& expectations, std::vector<NamedRelease> releases)
      : expectations_(expectations), releases_(std::move(releases)) {}

  CommandEnd Run(int jobs) {
    Signals& signals = Signals::Install();
    std::vector<std::thread> workers;
    const int count = std::min(jobs, static_cast<int>(releases_.size()));
    running_ = count;
    for (int i = 0; i < count; ++i) {
      workers.emplace_back([this] {
        for (std::size_t at = next_++; at < releases_.size(); at = next_++) One(releases_[at]);
        --running_;
      });
    }
    while (running_ > 0) {
      if (!signals.WaitFor(100ms)) continue;
      next_ = releases_.size();
      StopTools();
      break;
    }
    for (std::thread& worker : workers) worker.join();
    if (const auto code = signals.exit_code()) return *code;
    const MutexLock lock(mutex_);
    if (failed_.empty()) return ExitCode::kOk;
    // One failure has just been reported.
    if (releases_.size() == 1) return ExitCode::kTarget;
    return {ExitCode::kTarget, fmt::format("not fetched: {}", fmt::join(failed_, ", "))};
  }

 private:
  void One(const NamedRelease& named) {
    const auto report = [&](const std::string& line) {
      const MutexLock lock(mutex_);
      Complain("fetch", fmt::format("{}: {}", named.ToString(), line));
    };
    const Result<Fetched> fetched =
        FetchRelease(expectations_.SourceOf(named.product, named.version), report);
    report(fetched.has_value() ? fetched->origin : fetched.error().message());
    const MutexLock lock(mutex_);
    if (!fetched.has_value()) {
      failed_.push_back(named.ToString());
      return;
    }
    fmt::print("{}\n", fetched->binary.string());
    std::fflush(stdout);
  }

  const Expectations& expectations_;
  const std::vector<NamedRelease> releases_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> running_{0};
  Mutex mutex_;  // of the lines that are printed, too
  std::vector<std::string> failed_ GUARDED_BY(mutex_);
};

CommandEnd FetchCommand(const FetchFlags& flags) {
  WP_ASSIGN_OR_RETURN(const Expectations expectations, LoadExpectations(flags.manifest));
  WP_ASSIGN_OR_RETURN(const int jobs, InContext("--jobs", ParseCount(flags.jobs, 1)));
  if (flags.list) return ListReleases(expectations);
  const Result<std::vector<NamedRelease>> chosen = Choose(flags, expectations);
  if (chosen.has_value()) return Fetcher(expectations, *chosen).Run(jobs);
  const bool usage = chosen.error().code() == StatusCode::kInvalidArgument;
  return {chosen.error(), usage ? ExitCode::kUsage : ExitCode::kTarget};
}

}  // namespace

CommandBody AddFetch(const Command& command) {
  const auto flags = std::make_shared<FetchFlags>();
  command.Value("release", flags->words, "PRODUCT|RELEASE",
                "A product, and versions or patterns of them: etcd 3.5.16 '3.6.*', kine 0.17.5");
  command.Switch("--all", flags->all, "Every release that --list shows");
  command.Switch("--list", flags->list, "What can be fetched, and from where");
  command.Value("--jobs", flags->jobs, "N", "Releases at a time");
  command.Value("--manifest", flags->manifest, "FILE", "Releases instead of the built-in ones")
      ->envname("WATCHPROOF_MANIFEST");
  return [flags] { return FetchCommand(*flags); };
}

}  // namespace watchproof
