// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/manifest.h"

#include <fstream>
#include <iterator>

namespace watchproof {

Result<Expectations> LoadExpectations(const std::filesystem::path& manifest) {
  if (manifest.empty()) return Expectations::BuiltIn();
  std::ifstream file(manifest, std::ios::binary);
  std::error_code error;
  if (!file || std::filesystem::is_directory(manifest, error)) {
    return Fail(StatusCode::kNotFound, "--manifest: '{}' cannot be read; expected a TOML file",
                manifest.string());
  }
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Result<Expectations> parsed = Expectations::Parse(text);
  if (!parsed.has_value()) {
    return parsed.error().WithContext("--manifest: {}", manifest.string());
  }
  return parsed;
}

std::vector<std::string> KnownVersions(const Expectations& expectations,
                                       const std::string& product) {
  std::vector<std::string> versions;
  for (const Release& release : expectations.releases()) {
    if (release.product == product) versions.push_back(release.version);
  }
  return versions;
}

}  // namespace watchproof
