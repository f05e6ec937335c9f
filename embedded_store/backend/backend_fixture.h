// SPDX-License-Identifier: Apache-2.0
// Short words for tests of backends, and a folder that goes with the test.
//
// Not thread-safe. Test code only.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "embedded_store/backend/backend.h"

namespace watchproof::store {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "wp-backend-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Until everything staged is safe.
inline void AwaitSafe(Backend& backend) {
  const Status safe = AwaitSafe(backend, backend.staged());
  EXPECT_TRUE(safe.ok()) << safe.message();
}

// "key=value" of everything in the bucket.
inline std::vector<std::string> Entries(BackendReader& reader, Bucket bucket) {
  std::vector<std::string> entries;
  std::string_view key, value;
  EXPECT_TRUE(reader.Seek(bucket).ok());
  while (*reader.Next(key, value)) entries.push_back(fmt::format("{}={}", key, value));
  return entries;
}
inline std::vector<std::string> Entries(const Backend& backend, Bucket bucket) {
  const auto reader = backend.Read();
  EXPECT_TRUE(reader.has_value());
  return Entries(**reader, bucket);
}

}  // namespace watchproof::store
