// SPDX-License-Identifier: Apache-2.0
#include "harness/history/recorder.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/check.h"
#include "harness/base/mutex.h"
#include "harness/history/chunk.h"
#include "harness/history/frame.h"
#include "harness/history/recording_tail.h"

namespace watchproof {
namespace {

// After a crash of this process at most this much of the recording is lost.
constexpr Duration kFlushInterval = 1s;
// The writer looks by itself this often, so that Append need not wake it for every entry.
constexpr Duration kWriterInterval = 20ms;
constexpr std::int64_t kWakeWriterAt = 4LL << 20;
// Waking the follower costs more than recording a message: it is woken at once when little happens,
// and the more it finds each time, the longer it is left alone.
constexpr Duration kShortestBackoff = 1ms;
constexpr Duration kLongestBackoff = 16ms;
constexpr std::uint64_t kBusy = 16;  // lines
constexpr std::int64_t kWakeFollowerAt = 1LL << 20;

// True once per crossing, not once per entry.
bool Crosses(std::int64_t total, std::int64_t added, std::int64_t limit) {
  return total >= limit && total - added < limit;
}

// Some frames in the order of the file. Never changed once it is sealed.
struct Piece {
  std::string frames;
  std::uint64_t entries = 0;
  Line before;  // its first entry
};
using PiecePtr = std::shared_ptr<const Piece>;  // owned by the writer's list and the follower's
// A piece is sealed when it is this large, or when a consumer asks for it. Small enough to come
// from malloc's heap rather than from a mapping of its own.
constexpr std::size_t kPieceSize = 64 << 10;

// Pieces on their way to one consumer.
struct Backlog {
  std::vector<PiecePtr> pieces;
  std::int64_t bytes = 0;  // those of the piece that is being filled included
};

}  // namespace

class Recorder::Impl {
 public:
  Impl(const RecorderOptions& options, std::unique_ptr<ChunkWriter> file)
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
      ++lost_;
      return false;
    }
    if (entry.at == Duration::zero()) entry.at = Now();
    const std::size_t before = filling_.frames.size();
    if (before == 0) {
      filling_.before = last_;
      filling_.frames.reserve(kPieceSize);
    }
    last_ = last_.next();
    NoteForTail(last_, entry);
    frame_writer_.Append(entry, filling_.frames);
    ++filling_.entries;
    Announce(static_cast<std::int64_t>(filling_.frames.size() - before));
    if (filling_.frames.size() >= kPieceSize) SealLocked();
    return true;
  }

  bool incomplete() const {
    MutexLock lock(mu_);
    return incomplete_;
  }
  Duration Now() const { return Clock::now() - begun_; }
  ByteCount waiting() const {
    MutexLock lock(mu_);
    return ByteCount(unwritten_.bytes + being_written_);
  }
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
    const PiecePtr& piece = reading_[next_];
    auto frame = frame_reader_.Parse(std::string_view(piece->frames).substr(offset_), piece);
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
    auto piece = std::make_shared<const Piece>(std::exchange(filling_, {}));
    if (follow_) unread_.pieces.push_back(piece);
    if (!failed_) unwritten_.pieces.push_back(std::move(piece));
  }

  // Takes everything that waits for the follower at once: one lock per batch.
  bool Refill(Deadline deadline) {
    reading_.clear();
    next_ = 0;
    MutexLock lock(mu_);
    being_read_ = 0;
    AwaitEntries(deadline);
    if (unread_.bytes == 0) return false;
    backoff_ = last_.value - read_.value > kBusy ? std::min(2 * backoff_, kLongestBackoff)
                                                 : kShortestBackoff;
    awake_since_ = Clock::now();
    SealLocked();
    std::swap(reading_, unread_.pieces);
    being_read_ = std::exchange(unread_.bytes, 0);
    return true;
  }

  void AwaitEntries(Deadline deadline) REQUIRES(mu_) {
    const TimePoint backoff_ends = std::min(deadline.at(), awake_since_ + backoff_);
    while (!closed_ && unread_.bytes < kWakeFollowerAt && Clock::now() < backoff_ends) {
      arrived_.WaitUntil(mu_, backoff_ends);
    }
    while (!closed_ && unread_.bytes == 0 && !deadline.expired()) {
      idle_ = true;
      arrived_.WaitUntil(mu_, deadline.at());
    }
    idle_ = false;
  }

  void WriteAll() {
    std::vector<PiecePtr> batch;
    TimePoint flush_at = Clock::now() + kFlushInterval;
    bool more = true;
    Status status;
    while (more && status.ok()) {
      more = TakeBatch(batch);
      for (auto piece = batch.begin(); piece != batch.end() && status.ok(); ++piece) {
        status = file_->Add((*piece)->frames, (*piece)->entries);
      }
      if (status.ok() && Clock::now() >= flush_at) {
        status = file_->EndChunk();
        flush_at = Clock::now() + kFlushInterval;
      }
    }
    if (status.ok()) status = file_->Finish(lost());
    MutexLock lock(mu_);
    failed_ = !status.ok();
    incomplete_ = incomplete_ || failed_;
    unwritten_ = {};
    being_written_ = 0;
    outcome_ = std::move(status);
  }

  std::uint64_t lost() const {
    MutexLock lock(mu_);
    return lost_;
  }

  // False when nothing will follow. Blocks: until there is something worth writing or the interval
  // passed.
  bool TakeBatch(std::vector<PiecePtr>& batch) {
    batch.clear();
    MutexLock lock(mu_);
    being_written_ = 0;
    const TimePoint until = Clock::now() + kWriterInterval;
    while (!closed_ && unwritten_.bytes < kWakeWriterAt && to_write_.WaitUntil(mu_, until)) {
    }
    SealLocked();
    std::swap(batch, unwritten_.pieces);
    being_written_ = std::exchange(unwritten_.bytes, 0);
    return !closed_;
  }

  // Constant after construction.
  const TimePoint begun_ = Clock::now();
  const std::int64_t capacity_;
  const bool follow_;
  // The writer's alone.
  const std::unique_ptr<ChunkWriter> file_;
  // The follower's alone.
  FrameReader frame_reader_;
  std::vector<PiecePtr> reading_;
  std::size_t next_ = 0;    // among them
  std::size_t offset_ = 0;  // within that
  Line read_{};
  TimePoint awake_since_;
  Duration backoff_ = kShortestBackoff;
  // Guarded.
  mutable Mutex mu_;
  CondVar arrived_;
  CondVar to_write_;
  FrameWriter frame_writer_ GUARDED_BY(mu_);
  Piece filling_ GUARDED_BY(mu_);
  Backlog unwritten_ GUARDED_BY(mu_);
  Backlog unread_ GUARDED_BY(mu_);
  std::int64_t being_written_ GUARDED_BY(mu_) = 0;
  std::int64_t being_read_ GUARDED_BY(mu_) = 0;
  Line last_ GUARDED_BY(mu_){};
  bool idle_ GUARDED_BY(mu_) = false;  // the follower waits for a single line
  bool closed_ GUARDED_BY(mu_) = false;
  bool failed_ GUARDED_BY(mu_) = false;
  bool incomplete_ GUARDED_BY(mu_) = false;
  std::uint64_t lost_ GUARDED_BY(mu_) = 0;  // entries
  Status outcome_ GUARDED_BY(mu_);
  std::thread writer_;  // last: it uses everything above
};

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() = default;

Result<std::unique_ptr<Recorder>> Recorder::Open(const RecorderOptions& options) {
  WP_ASSIGN_OR_RETURN(std::unique_ptr<ChunkWriter> file, ChunkWriter::Create(options.file));
  return std::unique_ptr<Recorder>(new Recorder(std::make_unique<Impl>(options, std::move(file))));
}

bool Recorder::Append(Entry entry) { return impl_->Append(std::move(entry)); }
bool Recorder::incomplete() const { return impl_->incomplete(); }
Duration Recorder::Now() const { return impl_->Now(); }
std::optional<NumberedEntry> Recorder::Next(Deadline deadline) { return impl_->Next(deadline); }
ByteCount Recorder::waiting() const { return impl_->waiting(); }
Line Recorder::last() const { return impl_->last(); }
Status Recorder::Close() { return impl_->Close(); }

}  // namespace watchproof
