// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_source.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/toml_fields.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecipe = "consumer.toml";
constexpr std::string_view kAccepted = "accepted.toml";
constexpr std::string_view kFolder = "folder:";

using Files = std::map<std::string, std::string>;

// Those of one folder beside others. Files in folders below it are what a build left.
Result<Files> ReadFolder(const fs::path& parent, const std::string& name) {
  Files files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent / name, error)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[name + "/" + entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  if (!error) return files;
  return Fail(StatusCode::kInvalidArgument, "{}: {}; expected the folder of a consumer",
              (parent / name).string(), error.message());
}

Result<Files> ShippedFolder(const std::string& name) {
  Files files;
  for (const ConsumerFile& file : ShippedConsumerFiles()) {
    if (file.path.starts_with(name + "/")) files.emplace(file.path, file.text);
  }
  return files;
}

template <typename Read>
Status Fill(ConsumerSource& source, Read read) {
  WP_ASSIGN_OR_RETURN(source.files, read(source.name));
  const std::string place = fmt::format("{}/{}", source.name, kRecipe);
  const auto recipe = source.files.find(place);
  if (recipe == source.files.end()) {
    return Fail(StatusCode::kInvalidArgument, "consumer '{}' has no {}", source.text, kRecipe);
  }
  auto parsed = ParseConsumerRecipe(recipe->second);
  if (!parsed.has_value()) return parsed.error().WithContext("{}", place);
  source.recipe = std::move(parsed).value();
  // No part of what is built.
  const auto accepted = source.files.extract(fmt::format("{}/{}", source.name, kAccepted));
  if (!accepted.empty()) source.accepted = accepted.mapped();
  for (const std::string& needed : source.recipe.needs) {
    WP_ASSIGN_OR_RETURN(Files more, read(needed));
    source.files.merge(more);
  }
  return {};
}

}  // namespace

Result<ConsumerRecipe> ParseConsumerRecipe(std::string_view toml) {
  using namespace toml_fields;
  WP_ASSIGN_OR_RETURN(const toml::table table, Document(toml));
  WP_RETURN_IF_ERROR(OnlyFields(table, {"about", "layers", "tool", "advice", "needs", "can", "jobs",
                                        "version", "build", "run"}));
  ConsumerRecipe recipe;
  WP_ASSIGN_OR_RETURN(recipe.about, Text(table, "about"));
  WP_ASSIGN_OR_RETURN(recipe.layers, List<std::string>(table, "layers"));
  WP_ASSIGN_OR_RETURN(recipe.tool, Text(table, "tool"));
  WP_ASSIGN_OR_RETURN(recipe.advice, Text(table, "advice"));
  WP_ASSIGN_OR_RETURN(recipe.build, List<std::string>(table, "build"));
  WP_ASSIGN_OR_RETURN(recipe.run, List<std::string>(table, "run"));
  if (table.contains("needs")) {
    WP_ASSIGN_OR_RETURN(recipe.needs, List<std::string>(table, "needs"));
  }
  if (table.contains("can")) {
    WP_ASSIGN_OR_RETURN(recipe.can, List<std::string>(table, "can"));
  }
  if (table.contains("jobs")) {
    recipe.jobs = table["jobs"].value<int>().value_or(0);
    if (recipe.jobs < 1)
      return FailAt(Place(table, "jobs"), "expected 'jobs' with a number from 1 on");
  }
  if (table.contains("version")) {
    WP_ASSIGN_OR_RETURN(recipe.version, List<std::string>(table, "version"));
  }
  return recipe;
}

std::vector<std::string> ShippedConsumers() {
  std::vector<std::string> names;
  for (const ConsumerFile& file : ShippedConsumerFiles()) {
    const fs::path path(file.path);
    if (path.filename() == kRecipe) names.push_back(path.parent_path().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<ConsumerSource> FindConsumer(const std::string& text) {
  ConsumerSource source{.text = text};
  if (text.starts_with(kFolder)) {
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(text.substr(kFolder.size()), error);
    source.name = folder.filename().string();
    WP_RETURN_IF_ERROR(Fill(source, [&folder](const std::string& name) {
      return ReadFolder(folder.parent_path(), name);
    }));
    return source;
  }
  const std::size_t at = text.find('@');
  source.name = text.substr(0, at);
  if (at != std::string::npos) source.version = text.substr(at + 1);
  const std::vector<std::string> known = ShippedConsumers();
  if (std::find(known.begin(), known.end(), source.name) == known.end()) {
    return Fail(StatusCode::kInvalidArgument,
                "consumer '{}' is not known; expected one of {}, with @VERSION or without, or "
                "folder:PATH",
                text, fmt::join(known, ", "));
  }
  WP_RETURN_IF_ERROR(Fill(source, ShippedFolder));
  if (at != std::string::npos && source.recipe.version.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "consumer '{}': {} has no other versions; expected {}", text, source.name,
                source.name);
  }
  const bool plain = source.version.find_first_not_of("0123456789.") == std::string::npos;
  if (at != std::string::npos && (source.version.empty() || !plain)) {
    return Fail(StatusCode::kInvalidArgument,
                "consumer '{}': '{}' is no version; expected one such as 0.36.2", text,
                source.version);
  }
  return source;
}

}  // namespace watchproof
