// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/builds.h"

#include <algorithm>
#include <sstream>
#include <tuple>

#include "harness/base/deadline.h"
#include "harness/bugs/release_version.h"
#include "harness/releases/release_cache.h"
#include "harness/releases/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::string VersionOf(std::string text) {
  const std::size_t at = text.rfind('@');
  return at == text.npos ? text : text.substr(at + 1);
}

// Those in the cache, on the branch of both ends.
Result<Builds> ReleasesBetween(const BuildRange& range) {
  const std::string good_text = VersionOf(range.good);
  const std::string bad_text = VersionOf(range.bad);
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
Result<Builds> RevisionsBetween(const BuildRange& range) {
  WP_ASSIGN_OR_RETURN(const std::string listed,
                      RunTool({.name = "git",
                               .arguments = {"rev-list", "--first-parent", "--reverse",
                                             "--ancestry-path", range.good + ".." + range.bad},
                               .folder = range.repository}));
  Builds builds{.names = {range.good}, .targets = {range.target}, .built = true};
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) builds.names.push_back(line.substr(0, 12));
  if (builds.names.size() > 1) return builds;
  return Fail(StatusCode::kInvalidArgument,
              "--good {} --bad {}: git lists no revision between them; the good one comes first",
              range.good, range.bad);
}

std::optional<ReleaseVersion> ReleaseOf(const std::string& name) {
  return name.starts_with("etcd ") ? ParseVersion(name.substr(5)) : std::nullopt;
}

}  // namespace

std::vector<std::string> NotFetchedBetween(const std::string& good, const std::string& bad) {
  const auto from = ReleaseOf(good);
  const auto to = ReleaseOf(bad);
  if (!from || !to || from->branch() != to->branch()) return {};
  const std::vector<std::string> cached = CachedVersions("etcd");
  std::vector<std::string> between;
  for (int patch = std::min(from->patch, to->patch) + 1; patch < std::max(from->patch, to->patch);
       ++patch) {
    std::string text = fmt::format("{}.{}.{}", from->major, from->minor, patch);
    if (std::ranges::find(cached, text) == cached.end()) between.push_back(std::move(text));
  }
  std::vector<std::string> middle_first;
  for (const std::size_t eighth : {4, 2, 6, 1, 3, 5, 7, 0}) {
    const std::size_t at = between.size() * eighth / 8;
    if (at >= between.size()) continue;
    if (std::ranges::find(middle_first, between[at]) == middle_first.end()) {
      middle_first.push_back(between[at]);
    }
  }
  return middle_first;
}

Result<Builds> BuildsIn(const BuildRange& range) {
  if (!range.among.empty()) {
    if (range.among.size() < 2 || !range.good.empty() || !range.bad.empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "--among: expected two targets or more, the first good and the last bad, and "
                  "neither --good nor --bad");
    }
    return Builds{.names = range.among, .targets = range.among};
  }
  if (range.good.empty() || range.bad.empty()) {
    return Fail(StatusCode::kInvalidArgument, "expected --good and --bad, or --among");
  }
  if (range.command.empty() != range.target.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--build and --target go together: the command, and the target that it makes");
  }
  return range.command.empty() ? ReleasesBetween(range) : RevisionsBetween(range);
}

Status WorkTree::Make(const std::string& revision) {
  if (tree_.empty()) {
    const fs::path tree = options_.folder / "build";
    WP_RETURN_IF_ERROR(Git({"-C", fs::absolute(options_.repository).string(), "worktree", "add",
                            "--detach", "--force", tree.string(), revision}));
    tree_ = tree;
  }
  WP_RETURN_IF_ERROR(
      Git({"-C", tree_.string(), "checkout", "--quiet", "--force", "--detach", revision}));
  return Tool("sh", {"-c", "cd \"$0\" && " + options_.command, tree_.string()});
}

WorkTree::~WorkTree() {
  if (tree_.empty()) return;
  // What is left of it is in the folder.
  static_cast<void>(Git({"-C", fs::absolute(options_.repository).string(), "worktree", "remove",
                         "--force", tree_.string()}));
}

Status WorkTree::Git(std::vector<std::string> arguments) const {
  return Tool("git", std::move(arguments));
}

Status WorkTree::Tool(const std::string& name, std::vector<std::string> arguments) const {
  constexpr Duration kPatience = 1h;
  const auto done = RunTool({.name = name,
                             .arguments = std::move(arguments),
                             .folder = options_.folder,
                             .patience = kPatience});
  return done.has_value() ? Status() : done.error();
}

}  // namespace watchproof
