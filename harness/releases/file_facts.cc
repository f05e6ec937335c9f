// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/file_facts.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include "harness/releases/cache_folder.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr time_t kSettled = 2;  // seconds without a change

bool IsScript(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return stream.get() == '#' && stream.get() == '!';
}

// One line. Empty: what is known of the file now may be wrong the next time.
std::string IdentityOf(const fs::path& file, std::string_view question) {
  struct stat is {};
  if (stat(file.c_str(), &is) != 0 || IsScript(file)) return {};
  const time_t changed = std::max(is.st_mtim.tv_sec, is.st_ctim.tv_sec);
  if (std::time(nullptr) - changed <= kSettled) return {};
  return fmt::format("{} of {}: device {} inode {} size {} written {}.{:09} changed {}.{:09}",
                     question, file.string(), is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                     is.st_mtim.tv_nsec, is.st_ctim.tv_sec, is.st_ctim.tv_nsec);
}

void Keep(const fs::path& place, const std::string& identity, const std::string& fact) {
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  // If it cannot be kept, it is asked again.
  (void)PutInPlace(place, [&](const fs::path& partial) -> Status {
    std::ofstream file(partial, std::ios::binary);
    file << identity << '\n' << fact;
    file.close();
    return file ? Status() : Fail(StatusCode::kDataLoss, "{}: cannot be written", partial.string());
  });
}

}  // namespace

Result<std::string> FactOf(const fs::path& file, std::string_view question,
                           const std::function<Result<std::string>()>& ask) {
  const std::string identity = IdentityOf(file, question);
  const auto cache = CacheFolder();
  if (identity.empty() || !cache.has_value()) return ask();
  const std::string name = fmt::format("{} of {}", question, file.string());
  const fs::path place = *cache / "facts" / fmt::format("{:016x}", std::hash<std::string>()(name));
  std::ifstream kept(place, std::ios::binary);
  if (std::string line; std::getline(kept, line) && line == identity) {
    return std::string(std::istreambuf_iterator<char>(kept), {});
  }
  WP_ASSIGN_OR_RETURN(std::string fact, ask());
  // Not what the file became while it was asked.
  if (IdentityOf(file, question) == identity) Keep(place, identity, fact);
  return fact;
}

}  // namespace watchproof
