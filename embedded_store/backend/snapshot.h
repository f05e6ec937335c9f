// SPDX-License-Identifier: Apache-2.0
// A backend as one stream of bytes, and a new data folder made of such a stream.
//
//   Snapshot snapshot(*std::move(reader));
//   while (auto piece = snapshot.Next(32 * 1024); piece && !piece->empty()) Send(*piece);
//   RestoreSnapshot("backup.snap", "/var/lib/store");
//
// A head line, then every entry of every bucket, zeros up to a full sector of 512 bytes, then the
// SHA-256 of all that as the last 32 bytes.
// Not thread-safe. Ownership: a Snapshot owns its reader, which must be gone before the backend.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "embedded_store/backend/backend.h"
#include "embedded_store/backend/sha256_stream.h"

namespace watchproof::store {

class Snapshot {
 public:
  explicit Snapshot(std::unique_ptr<BackendReader> reader);

  // What follows, at least `least` bytes of it unless that is all; empty at the end.
  Result<std::string> Next(std::size_t least);

 private:
  // False behind the last entry of the last bucket.
  Result<bool> AppendEntry(std::string& piece);

  const std::unique_ptr<BackendReader> reader_;
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
