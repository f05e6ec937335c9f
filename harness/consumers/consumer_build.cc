// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_build.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/base/prng.h"
#include "harness/base/shell_words.h"
#include "harness/process/child_process.h"
#include "harness/releases/cache_folder.h"
#include "harness/releases/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPatience = 30min;  // a first build fetches and compiles half of Kubernetes

// A sum over everything that decides what is built.
std::string Fingerprint(const ConsumerSource& source) {
  std::uint64_t sum = Fnv1a(source.version);
  for (const auto& [path, text] : source.files) sum = Fnv1a(text, Fnv1a(path, sum));
  return fmt::format("{:016x}", sum);
}

Status WriteFiles(const fs::path& root, const ConsumerSource& source) {
  for (const auto& [path, text] : source.files) {
    std::error_code error;
    fs::create_directories((root / path).parent_path(), error);
    std::ofstream file(root / path, std::ios::binary);
    file << text;
    if (error || !file.flush()) {
      return Fail(StatusCode::kUnavailable, "{}: cannot be written", (root / path).string());
    }
  }
  return {};
}

Status RunLine(std::string line, const ConsumerSource& source, const fs::path& folder) {
  for (std::size_t at; (at = line.find("{version}")) != std::string::npos;) {
    line.replace(at, std::string_view("{version}").size(), source.version);
  }
  WP_ASSIGN_OR_RETURN(const std::vector<std::string> words, SplitShellWords(line));
  ToolCall call{.name = words.at(0),
                .arguments = {words.begin() + 1, words.end()},
                .folder = folder,
                .patience = kPatience,
                .environment = {{"GOWORK", "off"}}};
  const auto said = RunTool(call);
  return said.has_value() ? Status() : said.error().WithContext("{}", line);
}

Status Build(const ConsumerSource& source, const fs::path& root) {
  WP_RETURN_IF_ERROR(WriteFiles(root, source));
  const fs::path folder = root / source.name;
  if (!source.version.empty()) {
    for (const std::string& line : source.recipe.version) {
      WP_RETURN_IF_ERROR(RunLine(line, source, folder));
    }
  }
  for (const std::string& line : source.recipe.build) {
    WP_RETURN_IF_ERROR(RunLine(line, source, folder));
  }
  return {};
}

}  // namespace

Result<BuiltConsumer> BuildConsumer(const ConsumerSource& source,
                                    const std::function<void(const std::string&)>& report) {
  const ConsumerRecipe& recipe = source.recipe;
  if (FindInPath(recipe.tool).empty()) {
    return Fail(StatusCode::kNotFound, "consumer {} needs {}: {}", source.text, recipe.tool,
                recipe.advice);
  }
  WP_ASSIGN_OR_RETURN(const fs::path cache, CacheFolder());
  const fs::path place =
      cache / "consumers" / fmt::format("{}-{}", source.name, Fingerprint(source));
  std::error_code error;
  if (!fs::exists(place, error)) {
    report(fmt::format("building consumer {} in {}", source.text, place.string()));
    const fs::path partial = fmt::format("{}.{}", place.string(), getpid());
    Status built = Build(source, partial);
    if (built.ok()) fs::rename(partial, place, error);
    if (!built.ok() || error) fs::remove_all(partial, error);
    if (!built.ok()) return std::move(built).WithContext("building consumer {}", source.text);
  }
  BuiltConsumer built{.command = recipe.run};
  for (std::string& word : built.command) {
    if (word.starts_with("./")) word = (place / source.name / word.substr(2)).string();
  }
  std::string& program = built.command.front();
  if (program.find('/') == std::string::npos) program = FindInPath(program).string();
  return built;
}

}  // namespace watchproof
