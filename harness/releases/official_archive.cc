// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/release_archives.h"

#include <fstream>

#include "harness/releases/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

void Replace(std::string& text, std::string_view field, const std::string& value) {
  for (std::size_t at = text.find(field); at != std::string::npos;
       at = text.find(field, at + value.size())) {
    text.replace(at, field.size(), value);
  }
}

Status Download(const std::string& url, const fs::path& file) {
  // Ten minutes are enough for any usable network.
  const auto said = RunTool(
      {.name = "curl",
       .arguments = {"--fail", "--silent", "--show-error", "--location", "--connect-timeout", "15",
                     "--max-time", "600", "--output", file.string(), url},
       .folder = file.parent_path(),
       .patience = 11min});
  return said.has_value() ? Status() : said.error();
}

// Lines are "SUM  NAME".
Result<std::string> PublishedSum(const fs::path& sums, const std::string& name) {
  std::ifstream file(sums);
  std::string sum;
  std::string listed;
  while (file >> sum >> listed) {
    if (listed == name || listed == "*" + name) return sum;
  }
  return Fail(StatusCode::kNotFound, "the published SHA256SUMS do not list {}", name);
}

}  // namespace

std::string FillIn(std::string text, const OfficialRequest& request) {
  Replace(text, "{version}", request.version);
  Replace(text, "{architecture}", request.architecture);
  return text;
}

Result<fs::path> TakeFromOfficial(const OfficialArchive& archive, const OfficialRequest& request,
                                  const fs::path& work) {
  const std::string url = FillIn(archive.url, request);
  const std::string name = url.substr(url.rfind('/') + 1);
  const fs::path sums = work / "SHA256SUMS";
  const fs::path packed = work / "archive.tar.gz";
  WP_RETURN_IF_ERROR(Download(FillIn(archive.sums, request), sums));
  WP_ASSIGN_OR_RETURN(const std::string published, PublishedSum(sums, name));
  WP_RETURN_IF_ERROR(Download(url, packed));
  WP_ASSIGN_OR_RETURN(const std::string found, Sha256OfFile(packed));
  if (found != published) {
    return Fail(StatusCode::kDataLoss, "{} has SHA-256 {}, its SHA256SUMS say {}", name, found,
                published);
  }
  const std::string path = FillIn(archive.path, request);
  WP_ASSIGN_OR_RETURN(
      const std::string said,
      RunTool({.name = "tar",
               .arguments = {"-xzf", packed.string(), "-C", work.string(), "--", path},
               .folder = work}));
  return work / path;
}

}  // namespace watchproof
