// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/capture.h"

#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/log.h"
#include "harness/base/mutex.h"
#include "harness/capture/connection_log.h"
#include "harness/capture/open_watches.h"
#include "harness/capture/segment_writer.h"

namespace watchproof {
namespace {

using proxy::ConnectionId;
using proxy::Direction;

// The reader looks by itself this often, so that the io thread need not wake it for every chunk.
constexpr Duration kReaderInterval = 5ms;
constexpr std::size_t kWakeReaderAt = 4 << 20;

struct Piece {
  enum class Kind { kBytes, kOver, kLost } kind = Kind::kBytes;
  ConnectionId connection;
  Direction direction = Direction::kToClient;
  std::size_t size = 0;
  TimePoint at;
};
// Pieces, and their bytes one behind the other.
struct Batch {
  std::vector<Piece> pieces;
  std::string bytes;

  void clear() {
    pieces.clear();
    bytes.clear();
  }
};

}  // namespace

class Capture::Impl {
 public:
  Impl(const CaptureOptions& options, std::unique_ptr<SegmentWriter> segments)
      : most_(static_cast<std::size_t>(options.queue.value)),
        hash_(options.hash_values),
        segments_(std::move(segments)) {
    shared_.append = [this](Entry entry) { Append(std::move(entry)); };
    if (hash_) shared_.hasher = &hasher_;
    reader_ = std::thread([this] { ReadAll(); });
  }
  ~Impl() { (void)Close().ok(); }

  // On the io thread: nothing here waits for the reader, which holds the lock for a swap only.
  void OnBytes(ConnectionId connection, Direction direction, std::string_view bytes,
               TimePoint now) {
    if (lost_.contains(connection)) return;
    MutexLock lock(mu_);
    const bool room = queued_.bytes.size() + bytes.size() <= most_;
    if (!room) lost_.insert(connection);
    queued_.pieces.push_back({.kind = room ? Piece::Kind::kBytes : Piece::Kind::kLost,
                              .connection = connection,
                              .direction = direction,
                              .size = room ? bytes.size() : 0,
                              .at = now});
    if (!room) return;
    const bool below = queued_.bytes.size() < kWakeReaderAt;
    queued_.bytes += bytes;
    if (below && queued_.bytes.size() >= kWakeReaderAt) arrived_.NotifyOne();
  }

  void OnOver(ConnectionId connection) {
    lost_.erase(connection);
    MutexLock lock(mu_);
    queued_.pieces.push_back(
        {.kind = Piece::Kind::kOver, .connection = connection, .at = Clock::now()});
  }

  Status Close() {
    {
      MutexLock lock(mu_);
      closing_ = true;
      arrived_.NotifyOne();
    }
    if (reader_.joinable()) reader_.join();
    return segments_->Close();
  }

  Captured captured() const {
    return {.watches = shared_.streams,
            .calls = shared_.calls,
            .entries = entries_,
            .lost = not_recorded_,
            .segments = segments_->written(),
            .dropped = segments_->dropped()};
  }

 private:
  void ReadAll() {
    Batch batch;
    while (Take(batch)) {
      std::string_view bytes = batch.bytes;
      for (const Piece& piece : batch.pieces) {
        Read(piece, bytes.substr(0, piece.size));
        bytes.remove_prefix(piece.size);
        if (segments_->full() && open_.divisible()) segments_->BeginNext(open_.Restate(now_));
      }
    }
    for (auto& [connection, log] : logs_) log.End(now_);
  }

  // Blocks until there is enough to be worth it, or the interval has passed. False when nothing
  // will follow.
  bool Take(Batch& batch) {
    batch.clear();
    MutexLock lock(mu_);
    const TimePoint until = Clock::now() + kReaderInterval;
    while (!closing_ && queued_.bytes.size() < kWakeReaderAt && arrived_.WaitUntil(mu_, until)) {
    }
    std::swap(batch, queued_);
    return !closing_ || !batch.pieces.empty();
  }

  void Read(const Piece& piece, std::string_view bytes) {
    now_ = std::max<Duration>(piece.at - begun_, Duration(1));
    const auto [entry, is_new] = logs_.try_emplace(piece.connection, piece.connection, shared_);
    ConnectionLog& log = entry->second;
    const bool was_lost = log.lost();
    switch (piece.kind) {
      case Piece::Kind::kBytes:
        log.Push(piece.direction, bytes, now_);
        break;
      case Piece::Kind::kLost:
        log.Lose("the recorder could not keep up", now_);
        break;
      case Piece::Kind::kOver:
        log.End(now_);
        logs_.erase(entry);
        return;
    }
    if (log.lost() && !was_lost) ++not_recorded_;
  }

  void Append(Entry entry) {
    open_.Consume(entry);
    ++entries_;
    segments_->Append(std::move(entry));
  }

  // Constant after construction.
  const TimePoint begun_ = Clock::now();
  const std::size_t most_;
  const bool hash_;
  const ValueHasher hasher_;
  // The io thread's.
  std::set<ConnectionId> lost_;
  // The reader's until Close.
  const std::unique_ptr<SegmentWriter> segments_;
  ConnectionLog::Shared shared_;
  OpenWatches open_;
  std::map<ConnectionId, ConnectionLog> logs_;
  Duration now_{1};
  std::uint64_t entries_ = 0;
  std::uint64_t not_recorded_ = 0;
  // Guarded.
  Mutex mu_;
  CondVar arrived_;
  Batch queued_ GUARDED_BY(mu_);
  bool closing_ GUARDED_BY(mu_) = false;
  std::thread reader_;  // last: it uses everything above
};

Capture::Capture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Capture::~Capture() = default;

Result<std::shared_ptr<Capture>> Capture::Open(const CaptureOptions& options) {
  RunStarted started;
  started.passive = true;
  started.hashed_values = options.hash_values;
  started.control_watch = options.control_watch;
  WP_ASSIGN_OR_RETURN(auto segments, SegmentWriter::Open({options.folder, options.limit, started}));
  return std::shared_ptr<Capture>(
      new Capture(std::make_unique<Impl>(options, std::move(segments))));
}

void Capture::OnBytes(ConnectionId connection, Direction direction, std::string_view bytes,
                      TimePoint now) {
  impl_->OnBytes(connection, direction, bytes, now);
}
void Capture::OnOver(ConnectionId connection) { impl_->OnOver(connection); }
Status Capture::Close() { return impl_->Close(); }
Captured Capture::captured() const { return impl_->captured(); }

}  // namespace watchproof
