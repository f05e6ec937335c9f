// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/data_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace watchproof::store {
namespace {

// LMDB's meta page as its documentation and header lay it out, for files written on this machine's
// kind: a page header of 16 bytes, then magic, version, address, size of the map, two tree records
// of 48 bytes, last page, transaction.
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kVersionAt = 20;
constexpr std::size_t kPageSizeAt = 40;
constexpr std::size_t kLastPageAt = 136;
constexpr std::size_t kMetaBytes = 152;
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kVersion = 1;

using Meta = std::array<char, kMetaBytes>;

template <typename Number>
Number NumberAt(const Meta& meta, std::size_t at) {
  Number number;
  std::memcpy(&number, meta.data() + at, sizeof number);
  return number;
}

bool ReadMeta(std::ifstream& stream, std::uint64_t at, Meta& meta) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(at));
  return static_cast<bool>(stream.read(meta.data(), meta.size()));
}

}  // namespace

Result<std::unique_ptr<DataFolder>> DataFolder::Hold(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return FromErrorCode(error).WithContext("{}: making the data folder", path.string());
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return FromErrno(errno).WithContext("{}: opening the data folder", path.string());
  }
  std::unique_ptr<DataFolder> folder(new DataFolder(path, descriptor));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return Fail(StatusCode::kFailedPrecondition, "{} is in use by another process", path.string());
  }
  return folder;
}

DataFolder::DataFolder(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

DataFolder::~DataFolder() { close(descriptor_); }

Status DataFolder::Promote() const {
  std::error_code error;
  std::filesystem::rename(draft(), file(), error);
  if (error) return FromErrorCode(error).WithContext("{}: putting it in place", file().string());
  if (fsync(descriptor_) != 0) {
    return FromErrno(errno).WithContext("{}: syncing the data folder", path_.string());
  }
  return {};
}

void DataFolder::DropDraft() const {
  std::error_code ignored;
  std::filesystem::remove(draft(), ignored);
  std::filesystem::remove(draft().string() + "-lock", ignored);
}

Status InspectDataFile(const std::filesystem::path& file) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return FromErrorCode(error).WithContext("{}", file.string());
  std::ifstream stream(file, std::ios::binary);
  Meta first;
  if (!ReadMeta(stream, 0, first)) {
    return Fail(StatusCode::kDataLoss, "{} is cut short: {} bytes are too few for a data file",
                file.string(), size);
  }
  if (NumberAt<std::uint32_t>(first, kMagicAt) != kMagic) {
    return Fail(StatusCode::kFailedPrecondition, "{} is not a data file of this store",
                file.string());
  }
  if (const auto version = NumberAt<std::uint32_t>(first, kVersionAt); version != kVersion) {
    return Fail(StatusCode::kFailedPrecondition, "{} is an LMDB file of version {}, not {}",
                file.string(), version, kVersion);
  }
  // The two metas take turns; whichever is the older may name the larger file, after a copy.
  const std::uint64_t page = NumberAt<std::uint32_t>(first, kPageSizeAt);
  Meta second;
  if (!ReadMeta(stream, page, second)) {
    return Fail(StatusCode::kDataLoss, "{} is cut short: {} bytes hold no second meta page",
                file.string(), size);
  }
  const std::uint64_t last = std::max(NumberAt<std::uint64_t>(first, kLastPageAt),
                                      NumberAt<std::uint64_t>(second, kLastPageAt));
  if (size / page <= last) {
    return Fail(StatusCode::kDataLoss, "{} is cut short: it has {} bytes, its data takes {}",
                file.string(), size, (last + 1) * page);
  }
  return {};
}

}  // namespace watchproof::store
