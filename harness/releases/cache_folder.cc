// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/cache_folder.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<fs::path> CacheFolder() {
  if (const std::string own = Variable("WATCHPROOF_CACHE"); !own.empty()) return fs::absolute(own);
  if (const std::string all = Variable("XDG_CACHE_HOME"); !all.empty()) {
    return fs::absolute(all) / "watchproof";
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    return fs::absolute(home) / ".cache" / "watchproof";
  }
  return Fail(StatusCode::kNotFound,
              "no folder for the cache: WATCHPROOF_CACHE, XDG_CACHE_HOME and HOME are all empty");
}

Status PutInPlace(const fs::path& place, const std::function<Status(const fs::path&)>& make) {
  static std::atomic<int> number = 0;
  const fs::path partial = fmt::format("{}.{}.{}", place.string(), getpid(), ++number);
  Status made = make(partial);
  std::error_code error;
  if (made.ok()) {
    fs::rename(partial, place, error);
    if (!error) return {};
    made = FromErrorCode(error).WithContext("{}", place.string());
  }
  fs::remove(partial, error);
  return made;
}

}  // namespace watchproof
