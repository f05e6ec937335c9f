// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/lmdb_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/backend/data_folder.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

constexpr std::uint64_t kLeastMap = std::uint64_t{64} << 30;
constexpr int kFormat = 1;
constexpr std::array<const char*, std::size(kAllBuckets)> kNames{"change", "meta", "lease", "auth",
                                                                 "alarm"};
const std::string kFormatKey = "format";

std::size_t Index(Bucket bucket) { return static_cast<std::size_t>(bucket); }

MDB_val Lend(std::string_view bytes) {
  return {.mv_size = bytes.size(), .mv_data = const_cast<char*>(bytes.data())};
}
std::string_view View(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

std::int64_t Pages(const MDB_stat& stat) {
  return static_cast<std::int64_t>(stat.ms_branch_pages + stat.ms_leaf_pages +
                                   stat.ms_overflow_pages);
}

class LmdbReader final : public BackendReader {
 public:
  using Trees = std::array<MDB_dbi, std::size(kAllBuckets)>;
  LmdbReader(std::shared_ptr<const LmdbFile> file, MDB_txn* txn, const Trees& trees)
      : file_(std::move(file)), txn_(txn), trees_(trees) {}
  ~LmdbReader() override {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
    mdb_txn_abort(txn_);
  }
  Status Seek(Bucket bucket) override {
    if (cursor_ != nullptr) mdb_cursor_close(std::exchange(cursor_, nullptr));
    const int code = mdb_cursor_open(txn_, trees_[Index(bucket)], &cursor_);
    fresh_ = true;
    return code == 0 ? Status() : Fail(StatusCode::kInternal, "reading: {}", mdb_strerror(code));
  }
  Result<bool> Next(std::string_view& key, std::string_view& value) override {
    MDB_val k{}, v{};
    const int code =
        mdb_cursor_get(cursor_, &k, &v, std::exchange(fresh_, false) ? MDB_FIRST : MDB_NEXT);
    if (code == MDB_NOTFOUND) return false;
    if (code != 0) return Fail(StatusCode::kDataLoss, "reading: {}", mdb_strerror(code));
    key = View(k);
    value = View(v);
    return true;
  }

 private:
  const std::shared_ptr<const LmdbFile> file_;
  MDB_txn* const txn_;
  const Trees trees_;
  MDB_cursor* cursor_ = nullptr;
  bool fresh_ = true;
};

}  // namespace

Status LmdbFile::Checked(int code, std::string_view doing) const {
  if (code == 0) return {};
  StatusCode status = StatusCode::kInternal;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == MDB_MAP_FULL) {
    status = StatusCode::kResourceExhausted;
  } else if (code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID ||
             code == MDB_PANIC) {
    status = StatusCode::kDataLoss;
  } else if (code == EACCES || code == EPERM || code == EROFS) {
    status = StatusCode::kPermissionDenied;
  }
  return Fail(status, "{}: {}: {}", path_.string(), doing, mdb_strerror(code));
}

Status LmdbFile::Prepare() {
  WP_RETURN_IF_ERROR(Checked(mdb_env_create(&env_), "preparing"));
  mdb_env_set_maxdbs(env_, std::size(kAllBuckets));
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  mdb_env_set_mapsize(env_, std::max(kLeastMap, error ? 0 : 4 * size));
  const int code =
      mdb_env_open(env_, path_.c_str(), MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD, 0600);
  WP_RETURN_IF_ERROR(Checked(code, "opening"));
  reserved_ = error ? 0 : size;
  return {};
}

Status LmdbFile::Create(const std::filesystem::path& path) {
  LmdbFile file(path);
  WP_RETURN_IF_ERROR(file.Prepare());
  WP_RETURN_IF_ERROR(file.OpenBuckets());
  const Mutation format{Bucket::kMeta, kFormatKey, std::to_string(kFormat)};
  return file.Write({{&format, 1}});
}

Result<std::unique_ptr<LmdbFile>> LmdbFile::Open(const std::filesystem::path& path) {
  WP_RETURN_IF_ERROR(InspectDataFile(path));
  std::unique_ptr<LmdbFile> file(new LmdbFile(path));
  WP_RETURN_IF_ERROR(file->Prepare());
  WP_RETURN_IF_ERROR(file->CheckFormat());
  WP_RETURN_IF_ERROR(file->OpenBuckets());
  return file;
}

LmdbFile::~LmdbFile() {
  if (env_ != nullptr) mdb_env_close(env_);
}

Status LmdbFile::CheckFormat() {
  MDB_txn* txn = nullptr;
  WP_RETURN_IF_ERROR(Checked(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn), "reading"));
  MDB_dbi meta = 0;
  MDB_val key = Lend(kFormatKey);
  MDB_val value{};
  int code = mdb_dbi_open(txn, kNames[Index(Bucket::kMeta)], 0, &meta);
  if (code == 0) code = mdb_get(txn, meta, &key, &value);
  const std::string format = code == 0 ? std::string(View(value)) : std::string();
  mdb_txn_abort(txn);
  if (code == MDB_NOTFOUND || code == MDB_INCOMPATIBLE) {
    return Fail(StatusCode::kFailedPrecondition,
                "{} is an LMDB file, but not a data file of this store", path_.string());
  }
  WP_RETURN_IF_ERROR(Checked(code, "reading its format"));
  if (format == std::to_string(kFormat)) return {};
  return Fail(StatusCode::kFailedPrecondition,
              "{} has format {}; this version reads format {} only, a newer one is needed",
              path_.string(), format, kFormat);
}

Status LmdbFile::OpenBuckets() {
  MDB_txn* txn = nullptr;
  WP_RETURN_IF_ERROR(Checked(mdb_txn_begin(env_, nullptr, 0, &txn), "opening"));
  int code = 0;
  for (std::size_t i = 0; i < trees_.size() && code == 0; ++i) {
    code = mdb_dbi_open(txn, kNames[i], MDB_CREATE, &trees_[i]);
  }
  if (code == 0) return Commit(txn, "opening its buckets");
  mdb_txn_abort(txn);
  return Checked(code, "opening its buckets");
}

Status LmdbFile::Apply(MDB_txn* txn, const Mutation& mutation) const {
  WP_CHECK(!mutation.key.empty() && mutation.key.size() <= kLongestKey, "keys have 1 to 511 bytes");
  MDB_val key = Lend(mutation.key);
  const MDB_dbi tree = trees_[Index(mutation.bucket)];
  int code = 0;
  if (!mutation.value) {
    code = mdb_del(txn, tree, &key, nullptr);
    if (code == MDB_NOTFOUND) code = 0;
  } else {
    MDB_val value = Lend(*mutation.value);
    // History grows at its end, where appending fills pages instead of splitting them.
    code = MDB_KEYEXIST;
    if (mutation.bucket == Bucket::kChange) code = mdb_put(txn, tree, &key, &value, MDB_APPEND);
    if (code == MDB_KEYEXIST) code = mdb_put(txn, tree, &key, &value, 0);
  }
  return Checked(code, "writing");
}

Status LmdbFile::Write(const std::vector<std::span<const Mutation>>& groups) {
  MDB_txn* txn = nullptr;
  WP_RETURN_IF_ERROR(Checked(mdb_txn_begin(env_, nullptr, 0, &txn), "writing"));
  for (const std::span<const Mutation> group : groups) {
    for (const Mutation& mutation : group) {
      if (Status applied = Apply(txn, mutation); !applied.ok()) {
        mdb_txn_abort(txn);
        return applied;
      }
    }
  }
  return Commit(txn, "writing");
}

Status LmdbFile::Commit(MDB_txn* txn, std::string_view doing) {
  constexpr std::int64_t kMetaPages = 2;
  MDB_stat stat{};
  std::int64_t pages = kMetaPages;
  for (const MDB_dbi tree : trees_) {
    if (mdb_stat(txn, tree, &stat) == 0) pages += Pages(stat);
  }
  if (mdb_env_stat(env_, &stat) == 0) pages += Pages(stat);
  WP_RETURN_IF_ERROR(Checked(mdb_txn_commit(txn), doing));
  in_use_ = pages;
  MDB_envinfo info{};
  mdb_env_info(env_, &info);
  used_ = static_cast<std::int64_t>(info.me_last_pgno + 1);
  return {};
}

BackendSizes LmdbFile::sizes() const {
  MDB_stat stat{};
  mdb_env_stat(env_, &stat);
  const auto page = static_cast<std::int64_t>(stat.ms_psize);
  return {.total = ByteCount(used_ * page),
          .in_use = ByteCount(std::min<std::int64_t>(in_use_, used_) * page)};
}

Status LmdbFile::Reserve(std::uint64_t bytes) {
  if (bytes <= reserved_) return {};
  int descriptor = -1;
  mdb_env_get_fd(env_, &descriptor);
  while (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    // Where space cannot be reserved, a full disk is met when it is written.
    if (errno == EOPNOTSUPP) break;
    return Checked(errno, "growing");
  }
  reserved_ = bytes;
  return {};
}

void LmdbFile::Smooth() {
  static const std::vector<char> zeros(std::size_t{256} << 10);
  constexpr std::uint64_t kLeast = std::uint64_t{512} << 10;
  constexpr std::uint64_t kMost = std::uint64_t{4} << 20;
  const auto used = static_cast<std::uint64_t>(sizes().total.value);
  const std::uint64_t ahead = std::clamp(used / 4, kLeast, kMost);
  smooth_ = std::max(smooth_, used);
  if (smooth_ > used + ahead / 2) return;
  int descriptor = -1;
  mdb_env_get_fd(env_, &descriptor);
  const std::uint64_t to = std::min(smooth_ + ahead, reserved_.load());
  while (smooth_ < to) {
    const std::size_t size = std::min<std::uint64_t>(zeros.size(), to - smooth_);
    const ssize_t written = pwrite(descriptor, zeros.data(), size, static_cast<off_t>(smooth_));
    // It only makes things faster, so whatever is wrong is met by a transaction.
    if (written <= 0) return;
    smooth_ += static_cast<std::uint64_t>(written);
  }
}

Status LmdbFile::CopyTo(const std::filesystem::path& path) const {
  WP_RETURN_IF_ERROR(Checked(mdb_env_copy2(env_, path.c_str(), MDB_CP_COMPACT), "copying"));
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  return Checked(synced ? 0 : error, "syncing a copy");
}

Result<std::unique_ptr<BackendReader>> LmdbFile::Read(std::shared_ptr<const LmdbFile> file) {
  MDB_txn* txn = nullptr;
  const int code = mdb_txn_begin(file->env_, nullptr, MDB_RDONLY, &txn);
  WP_RETURN_IF_ERROR(file->Checked(code, "reading"));
  const LmdbReader::Trees& trees = file->trees_;
  return std::make_unique<LmdbReader>(std::move(file), txn, trees);
}

}  // namespace watchproof::store
