// SPDX-License-Identifier: Apache-2.0
// `bisect`: between which two releases, binaries or revisions a bug came or went.
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/cli/shown_bug.h"
#include "harness/report/build_search.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"
#include "harness/runs/run.h"
#include "harness/statistics/bisection.h"
#include "harness/targets/release_cache.h"
#include "harness/targets/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct BisectFlags {
  std::string good;
  std::string bad;
  std::string bug;
  std::string case_name;
  std::string script;
  std::vector<std::string> among;
  std::string build;
  std::string target;
  std::string repository = ".";
  bool json = false;
};

// At each end, to know how often the bug shows where it is.
constexpr int kFirstLook = 3;
constexpr int kSecondLook = 7;
constexpr int kWithoutLuck = 8;
constexpr int kWithLuck = 30;
// A build that is not decided after so many attempts is skipped.
constexpr int kMostAttempts = 400;
constexpr int kMostInVain = 8;

// The builds from the good end to the bad one.
struct Builds {
  std::vector<std::string> names;    // "etcd 3.5.16", a revision
  std::vector<std::string> targets;  // one for each; or the one that each build makes
  bool built = false;
};

std::string VersionOf(std::string text) {
  const std::size_t at = text.rfind('@');
  return at == text.npos ? text : text.substr(at + 1);
}

// Those in the cache, on the branch of both ends.
Result<Builds> ReleasesBetween(const BisectFlags& flags) {
  const std::string good_text = VersionOf(flags.good);
  const std::string bad_text = VersionOf(flags.bad);
  const auto good = ParseVersion(good_text);
  const auto bad = ParseVersion(bad_text);
  for (const auto& [flag, text, version] :
       {std::tuple("--good", good_text, good), std::tuple("--bad", bad_text, bad)}) {
    if (!version) {
      return Fail(StatusCode::kInvalidArgument, "{}: '{}'; expected a version such as 3.5.16", flag,
                  text);
    }
    const auto cached = RecordOf("etcd", text);
    if (!cached.has_value()) return cached.error();
  }
  if (good->branch() != bad->branch()) {
    return Fail(StatusCode::kInvalidArgument,
                "--good {} --bad {}: expected releases of one branch, since each has its own fixes",
                good_text, bad_text);
  }
  std::vector<std::pair<ReleaseVersion, std::string>> found;
  for (const std::string& text : CachedVersions("etcd")) {
    const auto version = ParseVersion(text);
    if (!version || version->branch() != good->branch()) continue;
    if (*version < std::min(*good, *bad) || std::max(*good, *bad) < *version) continue;
    found.emplace_back(*version, text);
  }
  std::ranges::sort(found);
  if (*bad < *good) std::ranges::reverse(found);
  Builds builds;
  for (const auto& [version, text] : found) {
    builds.names.push_back("etcd " + text);
    builds.targets.push_back("etcd@" + text);
  }
  return builds;
}

// The revisions from the good one to the bad one, along first parents.
Result<Builds> RevisionsBetween(const BisectFlags& flags) {
  WP_ASSIGN_OR_RETURN(const std::string listed,
                      RunTool({.name = "git",
                               .arguments = {"rev-list", "--first-parent", "--reverse",
                                             "--ancestry-path", flags.good + ".." + flags.bad},
                               .folder = flags.repository}));
  Builds builds{.names = {flags.good}, .targets = {flags.target}, .built = true};
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) builds.names.push_back(line.substr(0, 12));
  if (builds.names.size() > 1) return builds;
  return Fail(StatusCode::kInvalidArgument,
              "--good {} --bad {}: git lists no revision between them; the good one comes first",
              flags.good, flags.bad);
}

Result<Builds> BuildsOf(const BisectFlags& flags) {
  if (!flags.among.empty()) {
    if (flags.among.size() < 2 || !flags.good.empty() || !flags.bad.empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "--among: expected two targets or more, the first good and the last bad, and "
                  "neither --good nor --bad");
    }
    return Builds{.names = flags.among, .targets = flags.among};
  }
  if (flags.good.empty() || flags.bad.empty()) {
    return Fail(StatusCode::kInvalidArgument, "expected --good and --bad, or --among");
  }
  if (flags.build.empty() != flags.target.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--build and --target go together: the command, and the target that it makes");
  }
  return flags.build.empty() ? ReleasesBetween(flags) : RevisionsBetween(flags);
}

class Search {
 public:
  Search(Run run, const BisectFlags& flags, Builds builds, ShownBug bug)
      : run_(std::move(run)),
        flags_(flags),
        builds_(std::move(builds)),
        bug_(std::move(bug)),
        search_(builds_.names.size()) {
    found_.steps.resize(builds_.names.size());
    for (std::size_t i = 0; i < builds_.names.size(); ++i) found_.steps[i].name = builds_.names[i];
  }

  CommandEnd Find() {
    if (const auto refused = run_.Begin()) return *refused;
    const Status measured = MeasureEnds();
    while (measured.ok() && !Stopped()) {
      const auto next = search_.Next();
      if (!next) break;
      search_.Set(*next, Judge(*next));
      Say(*next);
    }
    if (builds_.built) RemoveTree();
    return Conclude(measured);
  }

 private:
  bool Stopped() const { return !run_.record().interrupted.empty() || run_.broken(); }
  const TargetSpec& TargetOf(std::size_t build) const {
    return FirstWith(run_.targets(), builds_.targets[builds_.built ? 0 : build], &TargetSpec::text);
  }

  // More attempts of a case; which of them showed the bug. Those that prove nothing are left out.
  std::vector<bool> Try(std::size_t build, const std::string& case_name, int attempts) {
    std::vector<bool> shown;
    BuildStep& step = found_.steps[build];
    const std::size_t first = run_.RunMore({{case_name, &TargetOf(build), attempts}});
    for (std::size_t i = first; i < run_.record().attempts.size(); ++i) {
      const AttemptSummary& one = run_.record().attempts[i];
      step.version = one.result.target_version.empty() ? step.version : one.result.target_version;
      if (!IsConclusive(one.result.verdict)) {
        step.reason = fmt::format("{}: {}", Name(one.result.verdict), one.result.reason);
        continue;
      }
      const bool shows = bug_.IsShownBy(one.result);
      if (shows && step.repeat.empty()) step.repeat = RowOf(run_.record(), one).repeat;
      shown.push_back(shows);
    }
    return shown;
  }
  static int Shown(const std::vector<bool>& shown) {
    return static_cast<int>(std::ranges::count(shown, true));
  }

  // How often the case shows it on the build, with so many attempts.
  void Measure(std::size_t build, int attempts) {
    BuildStep& step = found_.steps[build];
    while (step.counted.trials < attempts && !Stopped()) {
      const std::vector<bool> shown = Try(build, found_.case_name, attempts - step.counted.trials);
      if (shown.empty()) return;
      step.counted.hits += Shown(shown);
      step.counted.trials += static_cast<int>(shown.size());
    }
  }

  // The case that shows it most often on the bad build, then how often, then that the good one is
  // different.
  Status MeasureEnds() {
    const std::size_t bad = builds_.names.size() - 1;
    for (const std::size_t end : {bad, std::size_t{0}}) {
      if (Status made = Make(end); !made.ok()) return made;
      if (end == bad) WP_RETURN_IF_ERROR(ChooseCase(bad));
      Measure(end, kWithoutLuck);
      Proportion& counted = found_.steps[end].counted;
      const Proportion& shown = found_.steps[bad].counted;
      const bool luck = shown.hits < shown.trials || (end != bad && counted.hits > 0);
      if (luck) Measure(end, kWithLuck);
      if (counted.trials == 0) {
        return Fail(StatusCode::kUnavailable, "{}: no attempt is conclusive: {}",
                    builds_.names[end], found_.steps[end].reason);
      }
      found_.steps[end].state = end == bad ? BuildState::kBad : BuildState::kGood;
      Say(end);
    }
    const Interval on_bad = ClopperPearson(found_.steps[bad].counted);
    const Interval on_good = ClopperPearson(found_.steps[0].counted);
    if (on_bad.Overlaps(on_good) || on_good.low > on_bad.high) {
      return Fail(StatusCode::kUnavailable,
                  "{} and {} cannot be distinguished: it shows in {} and {} of the attempts",
                  builds_.names[0], builds_.names[bad], Percent(on_good), Percent(on_bad));
    }
    present_ = on_bad.low;
    if (found_.steps[0].counted.hits > 0) absent_ = on_good.high;
    return {};
  }

  Status ChooseCase(std::size_t bad) {
    int most = 0;
    for (const int attempts : {kFirstLook, kSecondLook}) {
      for (const std::string& name : bug_.cases) {
        if (Stopped()) return {};
        const int shown = Shown(Try(bad, name, attempts));
        if (shown <= most) continue;
        most = shown;
        found_.case_name = name;
        if (shown == attempts) return {};
      }
      if (most > 0) return {};
    }
    return Fail(StatusCode::kUnavailable,
                "{}: it does not show in {} attempts of each of {}; expected a bad build{}",
                builds_.names[bad], kFirstLook + kSecondLook, Count(run_.cases().size(), "case"),
                found_.steps[bad].reason.empty() ? "" : " (" + found_.steps[bad].reason + ")");
  }

  BuildState Judge(std::size_t build) {
    BuildStep& step = found_.steps[build];
    step.state = BuildState::kSkipped;
    if (const Status made = Make(build); !made.ok()) {
      step.reason = made.message();
      return step.state;
    }
    ShowTest test{.absent = absent_, .present = present_};
    int in_vain = 0;
    while (test.state() == ShowState::kOpen && test.tried < kMostAttempts &&
           in_vain < kMostInVain && !Stopped()) {
      const int attempts = std::max(2, run_.jobs());
      const std::vector<bool> shown = Try(build, found_.case_name, attempts);
      for (const bool one : shown) test.Add(one);
      if (shown.empty()) in_vain += attempts;
    }
    step.counted = {.hits = test.shown, .trials = test.tried};
    if (test.state() == ShowState::kShows) step.state = BuildState::kBad;
    if (test.state() == ShowState::kShowsNot) step.state = BuildState::kGood;
    return step.state;
  }

  // Builds a revision in a work tree of its own.
  Status Make(std::size_t build) {
    if (!builds_.built) return {};
    const std::string& revision = builds_.names[build];
    if (tree_.empty()) {
      const fs::path tree = run_.folder().path() / "build";
      WP_RETURN_IF_ERROR(Git({"-C", fs::absolute(flags_.repository).string(), "worktree", "add",
                              "--detach", "--force", tree.string(), revision}));
      tree_ = tree;
    }
    WP_RETURN_IF_ERROR(
        Git({"-C", tree_.string(), "checkout", "--quiet", "--force", "--detach", revision}));
    return Tool("sh", {"-c", "cd \"$0\" && " + flags_.build, tree_.string()});
  }
  void RemoveTree() {
    if (tree_.empty()) return;
    // What is left of it is in the run's folder.
    static_cast<void>(Git({"-C", fs::absolute(flags_.repository).string(), "worktree", "remove",
                           "--force", tree_.string()}));
  }
  Status Git(std::vector<std::string> arguments) { return Tool("git", std::move(arguments)); }
  Status Tool(const std::string& name, std::vector<std::string> arguments) {
    constexpr Duration kPatience = 1h;
    const auto done = RunTool({.name = name,
                               .arguments = std::move(arguments),
                               .folder = run_.folder().path(),
                               .patience = kPatience});
    return done.has_value() ? Status() : done.error();
  }

  void Say(std::size_t build) const {
    if (flags_.json) return;
    fmt::print("  {}\n", Escaped(StepText(found_.steps[build])));
    std::fflush(stdout);
  }

  CommandEnd Conclude(const Status& measured) {
    if (const auto early = EndRun(run_)) return *early;
    if (!measured.ok()) return {measured, ExitCode::kInconclusive};
    found_.last_good = search_.last_good();
    found_.first_bad = search_.first_bad();
    found_.run = run_.record().folder;
    found_.seed = run_.record().seed;
    if (bug_.bug != nullptr && !builds_.built) found_.key = bug_.KeySays(found_);
    const bool neighbours = found_.first_bad - found_.last_good == 1;
    return Publish(run_, "bisect.json", ToJson(found_), flags_.json ? "" : ToText(found_),
                   neighbours ? ExitCode::kOk : ExitCode::kInconclusive);
  }

  Run run_;
  const BisectFlags flags_;
  const Builds builds_;
  const ShownBug bug_;
  Bisection search_;
  FoundStep found_;
  double absent_ = 0.01;
  double present_ = 1;
  fs::path tree_;
};

CommandEnd BisectCommand(const BisectFlags& flags, const PassedOn& passed) {
  WP_ASSIGN_OR_RETURN(const ShownBug bug, flags.script.empty()
                                              ? ShownBugOf(flags.bug, flags.case_name)
                                              : ShownByScript(flags.script));
  Result<Builds> builds = BuildsOf(flags);
  if (!builds.has_value()) {
    const bool target = builds.error().code() == StatusCode::kNotFound;
    return {builds.error(), target ? ExitCode::kTarget : ExitCode::kUsage};
  }
  std::vector<std::string> words{"--filter", fmt::format("{}", fmt::join(bug.cases, ":"))};
  if (!flags.script.empty()) words.insert(words.end(), {"--plan", flags.script});
  for (const std::string& target : builds->targets) {
    words.insert(words.end(), {"--target", target});
  }
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare(words));
  if (!flags.json) {
    fmt::print("{} on {}, from {} (good) to {} (bad)\n", bug.title,
               Count(builds->names.size(), "build"), Escaped(builds->names.front()),
               Escaped(builds->names.back()));
    std::fflush(stdout);
  }
  return Search(std::move(run), flags, *std::move(builds), bug).Find();
}

}  // namespace

CommandBody AddBisect(const Command& command) {
  const auto flags = std::make_shared<BisectFlags>();
  command.Value("--good", flags->good, "RELEASE",
                "A release of etcd, or a revision, without the bug");
  command.Value("--bad", flags->bad, "RELEASE", "One with it; it may be the older one");
  command.Value("--bug", flags->bug, "BUG", "A known bug, by its number or name: see `bugs`");
  command.Value("--case", flags->case_name, "CASE", "A case that fails with the bug")
      ->excludes("--bug");
  command.Value("--script", flags->script, "FILE", "A script that `explore --keep` kept")
      ->excludes("--bug")
      ->excludes("--case");
  command.Value("--among", flags->among, "SPEC",
                "Targets instead, from the good one to the bad one");
  command.Value("--build", flags->build, "COMMAND",
                "Revisions instead: the shell command that builds one, in a work tree; where it "
                "fails, the revision is skipped");
  command.Value("--target", flags->target, "SPEC",
                "What the command makes, at the same place for every revision: "
                "etcd:/tmp/built/etcd");
  command.Value("--repository", flags->repository, "FOLDER", "Where the revisions are");
  command.Switch("--json", flags->json, "As JSON");
  const auto passed = PassedOn::Add(
      command, {"--seed", "--jobs", "--case-timeout", "--target-profile", "--run-dir"});
  return [flags, passed] { return BisectCommand(*flags, *passed); };
}

}  // namespace watchproof
