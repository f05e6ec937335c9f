// SPDX-License-Identifier: Apache-2.0
// The builds between a good and a bad one: releases in the cache, revisions of a repository, or a
// list of targets. Revisions are built one by one in a work tree of their own.
//
//   WP_ASSIGN_OR_RETURN(const Builds builds, BuildsIn({.good = "3.5.10", .bad = "3.5.13"}));
//   WorkTree tree({.repository = "etcd", .command = "make build", .folder = run_folder});
//   WP_RETURN_IF_ERROR(tree.Make(builds.names[0]));
//
// Blocks: while a revision is built. Not thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// Either the two ends, or all of them.
struct BuildRange {
  std::string good;                // a release, or a revision
  std::string bad;                 // likewise
  std::vector<std::string> among;  // targets
  std::string command;             // builds a revision; empty: the ends are releases
  std::string target;              // what the command makes
  std::string repository = ".";
};

// The builds from the good end to the bad one.
struct Builds {
  std::vector<std::string> names;    // "etcd 3.5.16", a revision
  std::vector<std::string> targets;  // one for each; or the one that each build makes
  bool built = false;
};

// kNotFound: a release is not in the cache. Other errors name the flag and what was expected.
Result<Builds> BuildsIn(const BuildRange& range);

// The releases between two others, both "etcd 3.5.16", that are not in the cache; the one in the
// middle first, then those in the middle of the halves. Empty for what is no release.
std::vector<std::string> NotFetchedBetween(const std::string& good, const std::string& bad);

class WorkTree {
 public:
  struct Options {
    std::filesystem::path repository;
    std::string command;           // for a shell, in the tree
    std::filesystem::path folder;  // the tree is in it until this is destroyed
  };
  explicit WorkTree(Options options) : options_(std::move(options)) {}
  ~WorkTree();
  WorkTree(const WorkTree&) = delete;
  WorkTree& operator=(const WorkTree&) = delete;

  // Errors are those of git, or of the command.
  Status Make(const std::string& revision);

 private:
  Status Git(std::vector<std::string> arguments) const;
  Status Tool(const std::string& name, std::vector<std::string> arguments) const;

  const Options options_;
  std::filesystem::path tree_;  // empty: nothing was made
};

}  // namespace watchproof
