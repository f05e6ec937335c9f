// SPDX-License-Identifier: Apache-2.0
// One data file: the buckets as trees of an LMDB environment.
//
//   WP_RETURN_IF_ERROR(LmdbFile::Create(draft));   // a new one, empty and synced
//   WP_ASSIGN_OR_RETURN(auto file, LmdbFile::Open(path));
//   file->Write({mutations});                      // one transaction, synced
//
// The map is reserved once, large, because it cannot grow while a reader is open; the file itself
// grows by Reserve, ahead of what is written, so that a full disk is noticed before a write is
// accepted and not in the middle of it. Threads: transactions from one at a time; the rest
// from any. Ownership: owns the environment; readers share the file.
#pragma once

#include <lmdb.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "embedded_store/backend/backend.h"

namespace watchproof::store {

class LmdbFile {
 public:
  static Status Create(const std::filesystem::path& path);
  // Refuses what is foreign, damaged or of a newer format, and leaves it as it is.
  static Result<std::unique_ptr<LmdbFile>> Open(const std::filesystem::path& path);
  ~LmdbFile();
  LmdbFile(const LmdbFile&) = delete;
  LmdbFile& operator=(const LmdbFile&) = delete;

  // One transaction, synced: all of it or, after an error, nothing. kResourceExhausted when the
  // disk is full.
  Status Write(const std::vector<std::span<const Mutation>>& groups);
  // Makes sure that the file takes up so much space on the disk.
  Status Reserve(std::uint64_t bytes);
  // Writes zeros over some of the reserved space behind what is used: the first write to a block
  // makes a sync several times as long as later ones, because the file system must note it. Between
  // transactions only.
  void Smooth();
  // A copy without unused space, synced.
  Status CopyTo(const std::filesystem::path& path) const;

  // As of the last transaction.
  BackendSizes sizes() const;
  std::uint64_t reserved() const { return reserved_; }

  // A reader keeps the file it reads from.
  static Result<std::unique_ptr<BackendReader>> Read(std::shared_ptr<const LmdbFile> file);

 private:
  explicit LmdbFile(std::filesystem::path path) : path_(std::move(path)) {}
  Status Prepare();
  Status CheckFormat();
  Status OpenBuckets();
  Status Apply(MDB_txn* txn, const Mutation& mutation) const;
  // Ends the transaction, and takes the measure of what is in the file then.
  Status Commit(MDB_txn* txn, std::string_view doing);
  // A status for a code of LMDB or of the system; 0 is ok.
  Status Checked(int code, std::string_view doing) const;

  const std::filesystem::path path_;
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, std::size(kAllBuckets)> trees_{};
  std::atomic<std::int64_t> used_{0};
  std::atomic<std::int64_t> in_use_{0};
  std::atomic<std::uint64_t> reserved_{0};
  std::uint64_t smooth_ = 0;  // up to here nothing is written for the first time
};

}  // namespace watchproof::store
