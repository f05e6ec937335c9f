// SPDX-License-Identifier: Apache-2.0
#include "harness/history/recorder.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/check.h"
#include "harness/base/mutex.h"
#include "harness/history/frame.h"
#include "harness/history/recording_tail.h"

namespace watchproof {
namespace {

// Cheap enough for a million entries a second; recordings shrink to about a tenth anyway.
constexpr int kCompressionLevel = 1;
// After a crash of this process at most this much of the recording is lost.
constexpr Duration kFlushInterval = 1s;
// The writer looks by itself this often, so that Append need not wake it for every entry.
constexpr Duration kWriterInterval = 20ms;
constexpr std::int64_t kWakeWriterAt = 4LL << 20;
// Waking the follower costs more than recording a message: it is woken at once when little happens,
// and the more it finds each time, the longer it is left alone.
constexpr Duration kShortestNap = 1ms;
constexpr Duration kLongestNap = 16ms;
constexpr std::uint64_t kBusy = 16;  // lines
constexpr std::int64_t kWakeFollowerAt = 1LL << 20;

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

// Some frames in the order of the file. Never changed once it is sealed.
struct Chunk {
  std::string frames;
  Line before;  // of its first entry
};
using ChunkPtr = std::shared_ptr<const Chunk>;  // owned by the writer's list and the follower's
// A chunk is sealed when it is this large, or when someone wants what is there. Small enough to
// come from malloc's heap rather than from a mapping of its own.
constexpr std::size_t kChunkSize = 64 << 10;

// Chunks on their way to one consumer.
struct Backlog {
  std::vector<ChunkPtr> chunks;
  std::int64_t bytes = 0;  // those of the chunk that is being filled included
};

}  // namespace

class Recorder::Impl {
 public:
  Impl(const RecorderOptions& options, std::unique_ptr<CompressedFile> file)
      : capacity_(options.capacity.value), follow_(options.follow), file_(std::move(file)) {
    PrintTailIfACheckFails();
    writer_ = std::thread([this] { WriteAll(); });
  }
  ~Impl() { (void)Close().ok(); }

  bool Append(Entry entry) {
    MutexLock lock(mu_);
    if (closed_) return false;
    const auto cost = static_cast<std::int64_t>(kFrameHeaderSize + entry.text.size() +
                                                entry.payload.size() + entry.tail.size());
    if (failed_ || unwritten_.bytes + being_written_ + cost > capacity_ ||
        unread_.bytes + being_read_ + cost > capacity_) {
      incomplete_ = true;
      return false;
    }
    if (entry.at == Duration::zero()) entry.at = Now();
    const std::size_t before = filling_.frames.size();
    if (before == 0) {
      filling_.before = last_;
      filling_.frames.reserve(kChunkSize);
    }
    last_ = last_.next();
    NoteForTail(last_, entry);
    frame_writer_.Append(entry, filling_.frames);
    Announce(static_cast<std::int64_t>(filling_.frames.size() - before));
    if (filling_.frames.size() >= kChunkSize) SealLocked();
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
    while (next_ == reading_.size() || offset_ == reading_[next_]->frames.size()) {
      if (next_ < reading_.size()) {
        reading_[next_++].reset();
        offset_ = 0;
      } else if (!Refill(deadline)) {
        return std::nullopt;
      }
      if (next_ < reading_.size() && offset_ == 0) read_ = reading_[next_]->before;
    }
    const ChunkPtr& chunk = reading_[next_];
    auto frame = frame_reader_.Parse(std::string_view(chunk->frames).substr(offset_), chunk);
    WP_CHECK(frame.has_value() && frame->has_value(), "what the recorder wrote can be read");
    offset_ += (*frame)->size;
    read_ = read_.next();
    return NumberedEntry{read_, std::move((*frame)->entry)};
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
  void Announce(std::int64_t added) REQUIRES(mu_) {
    unwritten_.bytes += added;
    if (Crosses(unwritten_.bytes, added, kWakeWriterAt)) to_write_.NotifyOne();
    if (!follow_) return;
    unread_.bytes += added;
    if (std::exchange(idle_, false) || Crosses(unread_.bytes, added, kWakeFollowerAt)) {
      arrived_.NotifyOne();
    }
  }

  void SealLocked() REQUIRES(mu_) {
    if (filling_.frames.empty()) return;
    auto chunk = std::make_shared<const Chunk>(std::exchange(filling_, {}));
    if (follow_) unread_.chunks.push_back(chunk);
    if (!failed_) unwritten_.chunks.push_back(std::move(chunk));
  }

  // Takes everything that waits for the follower at once: one lock per batch.
  bool Refill(Deadline deadline) {
    reading_.clear();
    next_ = 0;
    MutexLock lock(mu_);
    being_read_ = 0;
    AwaitNews(deadline);
    if (unread_.bytes == 0) return false;
    nap_ = last_.value - read_.value > kBusy ? std::min(2 * nap_, kLongestNap) : kShortestNap;
    awake_since_ = Clock::now();
    SealLocked();
    std::swap(reading_, unread_.chunks);
    being_read_ = std::exchange(unread_.bytes, 0);
    return true;
  }

  void AwaitNews(Deadline deadline) REQUIRES(mu_) {
    const TimePoint nap_ends = std::min(deadline.at(), awake_since_ + nap_);
    while (!closed_ && unread_.bytes < kWakeFollowerAt && Clock::now() < nap_ends) {
      arrived_.WaitUntil(mu_, nap_ends);
    }
    while (!closed_ && unread_.bytes == 0 && !deadline.expired()) {
      idle_ = true;
      arrived_.WaitUntil(mu_, deadline.at());
    }
    idle_ = false;
  }

  void WriteAll() {
    std::vector<ChunkPtr> batch;
    TimePoint flush_at = Clock::now() + kFlushInterval;
    bool more = true;
    Status status = file_->Write(kHistoryMagic);
    while (more && status.ok()) {
      more = TakeBatch(batch);
      for (auto chunk = batch.begin(); chunk != batch.end() && status.ok(); ++chunk) {
        status = file_->Write((*chunk)->frames);
      }
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
  bool TakeBatch(std::vector<ChunkPtr>& batch) {
    batch.clear();
    MutexLock lock(mu_);
    being_written_ = 0;
    const TimePoint until = Clock::now() + kWriterInterval;
    while (!closed_ && unwritten_.bytes < kWakeWriterAt && to_write_.WaitUntil(mu_, until)) {
    }
    SealLocked();
    std::swap(batch, unwritten_.chunks);
    being_written_ = std::exchange(unwritten_.bytes, 0);
    return !closed_;
  }

  // Constant after construction.
  const TimePoint begun_ = Clock::now();
  const std::int64_t capacity_;
  const bool follow_;
  // The writer's alone.
  const std::unique_ptr<CompressedFile> file_;
  // The follower's alone.
  FrameReader frame_reader_;
  std::vector<ChunkPtr> reading_;
  std::size_t next_ = 0;    // among them
  std::size_t offset_ = 0;  // within that
  Line read_{};
  TimePoint awake_since_;
  Duration nap_ = kShortestNap;
  // Guarded.
  mutable Mutex mu_;
  CondVar arrived_;
  CondVar to_write_;
  FrameWriter frame_writer_ GUARDED_BY(mu_);
  Chunk filling_ GUARDED_BY(mu_);
  Backlog unwritten_ GUARDED_BY(mu_);
  Backlog unread_ GUARDED_BY(mu_);
  std::int64_t being_written_ GUARDED_BY(mu_) = 0;
  std::int64_t being_read_ GUARDED_BY(mu_) = 0;
  Line last_ GUARDED_BY(mu_){};
  bool idle_ GUARDED_BY(mu_) = false;  // the follower waits for a single line
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
