// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#include "embedded_store/backend/data_folder.h"
#include "embedded_store/backend/lmdb_file.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

constexpr std::string_view kHead = "watchproof snapshot 1\n";
// An entry is a tag, the bucket's number plus one, then key and value, each behind its length.
constexpr char kEndTag = 0;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kSectorBytes = 512;
// What is written to the new folder in one transaction.
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

void AppendBytes(std::string_view bytes, std::string& out) {
  const auto size = static_cast<std::uint64_t>(bytes.size());
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(size >> shift));
  out += bytes;
}

// The file without its checksum.
class SnapshotFile {
 public:
  explicit SnapshotFile(const std::filesystem::path& path)
      : path_(path), stream_(path, std::ios::binary) {}

  // Reads all of it once and compares its sum, then stands behind the head.
  Status Verify() {
    std::error_code error;
    size_ = std::filesystem::file_size(path_, error);
    if (error) {
      const Status why = FromErrorCode(error);
      return Fail(why.code(), "{}: {}; expected a file that holds a snapshot of this store",
                  path_.string(), why.message());
    }
    std::string head(kHead.size(), '\0');
    if (!Take(head) || head != kHead || size_ < kHead.size() + 1 + Sha256Stream::kBytes) {
      return Fail(StatusCode::kFailedPrecondition,
                  "{} is not a snapshot of this store; expected what `snapshot save` got from it",
                  path_.string());
    }
    Sha256Stream sum;
    sum.Add(head);
    std::string piece;
    for (std::uint64_t left = size_ - kHead.size() - Sha256Stream::kBytes; left > 0;) {
      piece.resize(std::min<std::uint64_t>(left, kPieceBytes));
      if (!Take(piece)) return Damaged("it cannot be read to its end");
      sum.Add(piece);
      left -= piece.size();
    }
    std::string expected(Sha256Stream::kBytes, '\0');
    if (!Take(expected) || expected != sum.Finish()) return Damaged("its checksum is wrong");
    stream_.seekg(static_cast<std::streamoff>(kHead.size()));
    return {};
  }
  // False at the end tag. Requires: Verify.
  Result<bool> Next(Mutation& entry) {
    std::string tag(1, '\0');
    if (!Take(tag)) return Damaged("it has no end");
    if (tag[0] == kEndTag) return false;
    const auto number = static_cast<std::size_t>(tag[0] - 1);
    if (number >= std::size(kAllBuckets)) return Damaged("it names an unknown bucket");
    entry.bucket = kAllBuckets[number];
    std::string value;
    if (!TakeBytes(entry.key) || !TakeBytes(value)) return Damaged("an entry is cut short");
    if (entry.key.empty() || entry.key.size() > kLongestKey)
      return Damaged("a key is too long or empty");
    entry.value = std::move(value);
    return true;
  }

 private:
  bool Take(std::string& bytes) {
    return static_cast<bool>(
        stream_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  }
  bool TakeBytes(std::string& bytes) {
    std::string length(kLengthBytes, '\0');
    if (!Take(length)) return false;
    std::uint64_t size = 0;
    for (const char byte : length) size = size << 8 | static_cast<unsigned char>(byte);
    if (size > size_) return false;
    bytes.resize(size);
    return Take(bytes);
  }
  Status Damaged(const char* how) const {
    return Fail(StatusCode::kDataLoss, "{} is damaged: {}", path_.string(), how);
  }

  const std::filesystem::path path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

Status WriteAll(SnapshotFile& from, LmdbFile& to) {
  bool more = true;
  while (more) {
    std::vector<Mutation> batch;
    for (std::size_t bytes = 0; more && bytes < kBatchBytes;) {
      Mutation entry;
      WP_ASSIGN_OR_RETURN(more, from.Next(entry));
      if (!more) break;
      bytes += entry.key.size() + entry.value->size();
      batch.push_back(std::move(entry));
    }
    WP_RETURN_IF_ERROR(to.Write({batch}));
  }
  return {};
}

Status MakeDraft(const std::filesystem::path& draft, SnapshotFile& from) {
  WP_RETURN_IF_ERROR(LmdbFile::Create(draft));
  WP_ASSIGN_OR_RETURN(const auto file, LmdbFile::Open(draft));
  return WriteAll(from, *file);
}

}  // namespace

Sha256Stream::Sha256Stream() {
  WP_CHECK(EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr) == 1, "OpenSSL has SHA-256");
}

void Sha256Stream::Add(std::string_view bytes) {
  EVP_DigestUpdate(digest_.get(), bytes.data(), bytes.size());
}

std::string Sha256Stream::Finish() {
  std::string digest(kBytes, '\0');
  EVP_DigestFinal_ex(digest_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

Snapshot::Snapshot(std::shared_ptr<BackendReader> reader) : reader_(std::move(reader)) {}

Result<std::size_t> Snapshot::Measure() const {
  Snapshot measured(reader_);
  for (std::size_t size = 0;;) {
    WP_ASSIGN_OR_RETURN(const std::string piece, measured.Next(kPieceBytes));
    if (piece.empty()) return size;
    size += piece.size();
  }
}

Result<std::string> Snapshot::Next(std::size_t least) {
  std::string piece;
  if (!std::exchange(begun_, true)) piece = kHead;
  while (!ended_ && piece.size() < least) {
    WP_ASSIGN_OR_RETURN(const bool more, AppendEntry(piece));
    if (more) continue;
    piece.push_back(kEndTag);
    // etcdctl accepts a snapshot as complete only when its sum follows full sectors.
    const std::size_t odd = (size_ + piece.size()) % kSectorBytes;
    if (odd > 0) piece.append(kSectorBytes - odd, '\0');
    sum_.Add(piece);
    ended_ = true;
    return piece += sum_.Finish();
  }
  sum_.Add(piece);
  size_ += piece.size();
  return piece;
}

Result<bool> Snapshot::AppendEntry(std::string& piece) {
  std::string_view key, value;
  for (; bucket_ < std::size(kAllBuckets); ++bucket_, sought_ = false) {
    if (!std::exchange(sought_, true)) WP_RETURN_IF_ERROR(reader_->Seek(kAllBuckets[bucket_]));
    WP_ASSIGN_OR_RETURN(const bool found, reader_->Next(key, value));
    if (!found) continue;
    piece.push_back(static_cast<char>(bucket_ + 1));
    AppendBytes(key, piece);
    AppendBytes(value, piece);
    return true;
  }
  return false;
}

Status RestoreSnapshot(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    return Fail(StatusCode::kAlreadyExists, "{} is there already; a snapshot makes a new folder",
                folder.string());
  }
  SnapshotFile snapshot(file);
  WP_RETURN_IF_ERROR(snapshot.Verify());
  WP_ASSIGN_OR_RETURN(const std::unique_ptr<DataFolder> held, DataFolder::Hold(folder));
  Status made = MakeDraft(held->draft(), snapshot);
  if (made.ok()) made = held->Promote();
  held->DropDraft();
  return made;
}

}  // namespace watchproof::store
