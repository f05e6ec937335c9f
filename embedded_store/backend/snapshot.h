// SPDX-License-Identifier: Apache-2.0
// A backend as one stream of bytes, and a new data folder made of such a stream.
//
//   Snapshot snapshot(*std::move(reader));
//   while (auto piece = snapshot.Next(32 * 1024); piece && !piece->empty()) Send(*piece);
//   RestoreSnapshot("backup.snap", "/var/lib/store");
//
// A head line, then every entry of every bucket, zeros up to a full sector of 512 bytes, then the
// SHA-256 of all that as the last 32 bytes.
// Not thread-safe. Ownership: a Snapshot keeps its reader, which must be gone before the backend.
#pragma once

#include <openssl/evp.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "embedded_store/backend/backend.h"

namespace watchproof::store {

// SHA-256 of what comes in pieces.
class Sha256Stream {
 public:
  static constexpr std::size_t kBytes = 32;

  Sha256Stream();
  void Add(std::string_view bytes);
  // Once, at the end.
  std::string Finish();

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest_{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<BackendReader> reader);

  // The bytes of all pieces. Reads everything once more. Requires: none was taken yet.
  Result<std::size_t> Measure() const;
  // What follows, at least `least` bytes of it unless that is all; empty at the end.
  Result<std::string> Next(std::size_t least);

 private:
  // False behind the last entry of the last bucket.
  Result<bool> AppendEntry(std::string& piece);

  const std::shared_ptr<BackendReader> reader_;
  Sha256Stream sum_;
  std::size_t bucket_ = 0;  // of kAllBuckets; behind the last one: nothing is left
  std::size_t size_ = 0;    // of the pieces so far
  bool begun_ = false;
  bool sought_ = false;
  bool ended_ = false;
};

// Refuses a folder that is there already and has something in it, and a file that is no snapshot
// or is not as it was written; nothing is made then.
Status RestoreSnapshot(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace watchproof::store
