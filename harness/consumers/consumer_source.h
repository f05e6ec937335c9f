// SPDX-License-Identifier: Apache-2.0
// The source of a consumer, as the command line names it: one of those that are part of the
// executable, or a folder of the same form.
//
//   WP_ASSIGN_OR_RETURN(const ConsumerSource source, FindConsumer("kube-storage@0.36.2"));
//   source.files["kube-storage/main.go"];   source.recipe.layers;
//
// Threads: functions without state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// A file below fixtures/consumers.
struct ConsumerFile {
  std::string_view path;  // "kube-storage/main.go"
  std::string_view text;
};
// Generated.
const std::vector<ConsumerFile>& ShippedConsumerFiles();

// consumer.toml of its folder.
struct ConsumerRecipe {
  std::string about;                // one sentence
  std::vector<std::string> layers;  // from the store up
  std::string tool;                 // the program that the commands need
  std::string advice;               // for machines without it
  std::vector<std::string> needs;   // folders beside its own
  // Requests of the protocol that not all have: "progress", "reads", "fragments", "starts"; or
  // "members": its two servers are clients of two members of a cluster, or its client goes from one
  // to the other.
  std::vector<std::string> can;
  int jobs = 1;  // an attempt with it keeps as much of the machine busy as so many others
  // Command lines, in its folder; {version} is the version. The program to run ends up in it.
  std::vector<std::string> version;  // before the others, where a version is named
  std::vector<std::string> build;
  std::vector<std::string> run;  // words
};
// Errors name the line and what was expected.
Result<ConsumerRecipe> ParseConsumerRecipe(std::string_view toml);

struct ConsumerSource {
  std::string text;     // as given: "kube-storage", "kube-storage@0.36.2", "folder:PATH"
  std::string name;     // of its folder
  std::string version;  // empty: as its lock file says
  ConsumerRecipe recipe;
  std::map<std::string, std::string> files;  // its own and those of the folders that it needs
  std::string accepted;  // its accepted.toml: known failures, in the form of --baseline; or empty
};
// Errors name the text and what was expected.
Result<ConsumerSource> FindConsumer(const std::string& text);
std::vector<std::string> ShippedConsumers();

}  // namespace watchproof
