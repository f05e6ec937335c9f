// SPDX-License-Identifier: Apache-2.0
#include "harness/history/recorder.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/history/frame.h"

namespace watchproof {
namespace {

// Cheap enough for a million entries a second; recordings shrink to about a tenth anyway.
constexpr int kCompressionLevel = 1;
// After a crash of this process at most this much of the recording is lost.
constexpr Duration kFlushInterval = 1s;
// The writer looks by itself this often, so that Append need not wake it for every entry.
constexpr Duration kWriterInterval = 20ms;
constexpr std::int64_t kWakeWriterAt = 4LL << 20;
// So does the follower: waking it for every message would cost more than recording it.
constexpr Duration kFollowerInterval = 1ms;
constexpr std::int64_t kWakeFollowerAt = 1LL << 20;

std::int64_t CostOf(const Entry& entry) {
  return static_cast<std::int64_t>(sizeof(NumberedEntry) + entry.text.size() +
                                   entry.payload.size());
}

// Once per crossing, not once per entry.
bool Crosses(std::int64_t total, std::int64_t added, std::int64_t mark) {
  return total >= mark && total - added < mark;
}

// One compressed file. Not thread-safe.
class CompressedFile {
 public:
  static Result<std::unique_ptr<CompressedFile>> Create(const std::filesystem::path& path) {
    std::FILE* file = std::fopen(path.c_str(), "wbe");
    if (file == nullptr) {
      return FromErrno(errno).WithContext("cannot write the history {}", path.string());
    }
    return std::unique_ptr<CompressedFile>(new CompressedFile(path, file));
  }
  ~CompressedFile() {
    if (file_ != nullptr) std::fclose(file_);
    ZSTD_freeCCtx(context_);
  }
  CompressedFile(const CompressedFile&) = delete;
  CompressedFile& operator=(const CompressedFile&) = delete;

  Status Write(std::string_view data) { return Compress(data, ZSTD_e_continue); }
  // What was written so far can be read even if nothing follows.
  Status Flush() {
    WP_RETURN_IF_ERROR(Compress({}, ZSTD_e_flush));
    return std::fflush(file_) == 0 ? Status() : WriteError();
  }
  Status Finish() {
    WP_RETURN_IF_ERROR(Compress({}, ZSTD_e_end));
    std::FILE* file = std::exchange(file_, nullptr);
    return std::fclose(file) == 0 ? Status() : WriteError();
  }

 private:
  CompressedFile(std::filesystem::path path, std::FILE* file)
      : path_(std::move(path)), file_(file), context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
    out_.resize(ZSTD_CStreamOutSize());
  }

  Status WriteError() const {
    return FromErrno(errno).WithContext("writing the history {}", path_.string());
  }

  Status Compress(std::string_view data, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    while (true) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_, &out, &in, directive);
      if (ZSTD_isError(left) != 0) {
        return Fail(StatusCode::kInternal, "compressing the history: {}", ZSTD_getErrorName(left));
      }
      if (std::fwrite(out_.data(), 1, out.pos, file_) != out.pos) return WriteError();
      const bool done = directive == ZSTD_e_continue ? in.pos == in.size : left == 0;
      if (done) return Status();
    }
  }

  const std::filesystem::path path_;
  std::FILE* file_;
  ZSTD_CCtx* const context_;
  std::vector<char> out_;
};

// Entries on their way to one consumer, with what they cost.
struct Backlog {
  std::vector<NumberedEntry> entries;
  std::int64_t cost = 0;
};

}  // namespace

class Recorder::Impl {
 public:
  Impl(const RecorderOptions& options, std::unique_ptr<CompressedFile> file)
      : capacity_(options.capacity.value), follow_(options.follow), file_(std::move(file)) {
    writer_ = std::thread([this] { WriteAll(); });
  }
  ~Impl() { (void)Close().ok(); }

  bool Append(Entry entry) {
    const std::int64_t cost = CostOf(entry);
    MutexLock lock(mu_);
    if (closed_) return false;
    if (failed_ || unwritten_.cost + being_written_ + cost > capacity_ ||
        unread_.cost + being_read_ + cost > capacity_) {
      incomplete_ = true;
      return false;
    }
    if (entry.at == Duration::zero()) entry.at = Now();
    last_ = last_.next();
    if (follow_) {
      unread_.entries.push_back({last_, entry});
      unread_.cost += cost;
      if (Crosses(unread_.cost, cost, kWakeFollowerAt)) arrived_.NotifyOne();
    }
    unwritten_.entries.push_back({last_, std::move(entry)});
    unwritten_.cost += cost;
    if (Crosses(unwritten_.cost, cost, kWakeWriterAt)) to_write_.NotifyOne();
    return true;
  }

  bool incomplete() const {
    MutexLock lock(mu_);
    return incomplete_;
  }
  Duration Now() const { return Clock::now() - begun_; }
  Line last() const {
    MutexLock lock(mu_);
    return last_;
  }

  std::optional<NumberedEntry> Next(Deadline deadline) {
    if (next_ == reading_.entries.size() && !Refill(deadline)) return std::nullopt;
    return std::move(reading_.entries[next_++]);
  }

  Status Close() {
    {
      MutexLock lock(mu_);
      closed_ = true;
      to_write_.NotifyAll();
      arrived_.NotifyAll();
    }
    if (writer_.joinable()) writer_.join();
    MutexLock lock(mu_);
    return outcome_;
  }

 private:
  // Takes everything that waits for the follower at once: one lock per batch.
  bool Refill(Deadline deadline) {
    reading_.entries.clear();
    next_ = 0;
    MutexLock lock(mu_);
    being_read_ = 0;
    while (unread_.entries.empty() && !closed_) {
      if (deadline.expired()) return false;
      arrived_.WaitUntil(mu_, std::min(deadline.at(), Clock::now() + kFollowerInterval));
    }
    std::swap(reading_.entries, unread_.entries);
    being_read_ = std::exchange(unread_.cost, 0);
    return !reading_.entries.empty();
  }

  void WriteAll() {
    std::string frames(kHistoryMagic);
    std::vector<NumberedEntry> batch;
    TimePoint flush_at = Clock::now() + kFlushInterval;
    bool more = true;
    Status status;
    while (more && status.ok()) {
      more = TakeBatch(batch);
      status = WriteBatch(batch, frames);
      if (status.ok() && Clock::now() >= flush_at) {
        status = file_->Flush();
        flush_at = Clock::now() + kFlushInterval;
      }
    }
    if (status.ok()) status = file_->Finish();
    MutexLock lock(mu_);
    failed_ = !status.ok();
    incomplete_ = incomplete_ || failed_;
    unwritten_ = {};
    being_written_ = 0;
    outcome_ = std::move(status);
  }

  // False when nothing will follow. Blocks: until there is something worth writing or the interval
  // passed.
  bool TakeBatch(std::vector<NumberedEntry>& batch) {
    batch.clear();
    MutexLock lock(mu_);
    being_written_ = 0;
    const TimePoint until = Clock::now() + kWriterInterval;
    while (!closed_ && unwritten_.cost < kWakeWriterAt && to_write_.WaitUntil(mu_, until)) {
    }
    std::swap(batch, unwritten_.entries);
    being_written_ = std::exchange(unwritten_.cost, 0);
    return !closed_;
  }

  Status WriteBatch(const std::vector<NumberedEntry>& batch, std::string& frames) {
    constexpr std::size_t kChunk = 256 << 10;
    for (const NumberedEntry& line : batch) {
      writer_frames_.Append(line.entry, frames);
      if (frames.size() < kChunk) continue;
      WP_RETURN_IF_ERROR(file_->Write(frames));
      frames.clear();
    }
    Status status = file_->Write(frames);
    frames.clear();
    return status;
  }

  // Constant after construction.
  const TimePoint begun_ = Clock::now();
  const std::int64_t capacity_;
  const bool follow_;
  // The writer's alone.
  FrameWriter writer_frames_;
  const std::unique_ptr<CompressedFile> file_;
  // The follower's alone.
  Backlog reading_;
  std::size_t next_ = 0;
  // Guarded.
  mutable Mutex mu_;
  CondVar arrived_;
  CondVar to_write_;
  Backlog unwritten_ GUARDED_BY(mu_);
  Backlog unread_ GUARDED_BY(mu_);
  std::int64_t being_written_ GUARDED_BY(mu_) = 0;
  std::int64_t being_read_ GUARDED_BY(mu_) = 0;
  Line last_ GUARDED_BY(mu_){};
  bool closed_ GUARDED_BY(mu_) = false;
  bool failed_ GUARDED_BY(mu_) = false;
  bool incomplete_ GUARDED_BY(mu_) = false;
  Status outcome_ GUARDED_BY(mu_);
  std::thread writer_;  // last: it uses everything above
};

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() = default;

Result<std::unique_ptr<Recorder>> Recorder::Open(const RecorderOptions& options) {
  WP_ASSIGN_OR_RETURN(std::unique_ptr<CompressedFile> file, CompressedFile::Create(options.file));
  return std::unique_ptr<Recorder>(new Recorder(std::make_unique<Impl>(options, std::move(file))));
}

bool Recorder::Append(Entry entry) { return impl_->Append(std::move(entry)); }
bool Recorder::incomplete() const { return impl_->incomplete(); }
Duration Recorder::Now() const { return impl_->Now(); }
std::optional<NumberedEntry> Recorder::Next(Deadline deadline) { return impl_->Next(deadline); }
Line Recorder::last() const { return impl_->last(); }
Status Recorder::Close() { return impl_->Close(); }

}  // namespace watchproof
