// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/capture.h"

#include <utility>

namespace watchproof {
namespace {

using proxy::ConnectionId;
using proxy::Direction;

// The reader looks by itself this often, so that the io thread need not wake it for every chunk.
constexpr Duration kReaderInterval = 5ms;
constexpr std::size_t kWakeReaderAt = 4 << 20;

}  // namespace

Capture::Capture(const CaptureOptions& options, std::unique_ptr<SegmentWriter> segments)
    : most_(static_cast<std::size_t>(options.queue.value)), segments_(std::move(segments)) {
  shared_.append = [this](Entry entry) { Append(std::move(entry)); };
  if (options.hash_values) shared_.hasher = &hasher_;
  reader_ = std::thread([this] { ReadAll(); });
}

Capture::~Capture() { (void)Close().ok(); }

Result<std::shared_ptr<Capture>> Capture::Open(const CaptureOptions& options) {
  RunStarted started;
  started.passive = true;
  started.hashed_values = options.hash_values;
  started.control_watch = options.control_watch;
  WP_ASSIGN_OR_RETURN(auto segments, SegmentWriter::Open({options.folder, options.limit, started}));
  return std::shared_ptr<Capture>(new Capture(options, std::move(segments)));
}

// On the io thread: nothing here waits for the reader, which holds the lock for a swap only.
void Capture::OnBytes(ConnectionId connection, Direction direction, std::string_view bytes,
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

void Capture::OnOver(ConnectionId connection) {
  lost_.erase(connection);
  MutexLock lock(mu_);
  queued_.pieces.push_back(
      {.kind = Piece::Kind::kOver, .connection = connection, .at = Clock::now()});
}

Status Capture::Close() {
  {
    MutexLock lock(mu_);
    closing_ = true;
    arrived_.NotifyOne();
  }
  if (reader_.joinable()) reader_.join();
  return segments_->Close();
}

Captured Capture::captured() const {
  return {.watches = shared_.streams,
          .calls = shared_.calls,
          .entries = entries_,
          .lost = not_recorded_,
          .segments = segments_->written(),
          .dropped = segments_->dropped()};
}

void Capture::ReadAll() {
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

bool Capture::Take(Batch& batch) {
  batch.pieces.clear();
  batch.bytes.clear();
  MutexLock lock(mu_);
  const TimePoint until = Clock::now() + kReaderInterval;
  while (!closing_ && queued_.bytes.size() < kWakeReaderAt && arrived_.WaitUntil(mu_, until)) {
  }
  std::swap(batch, queued_);
  return !closing_ || !batch.pieces.empty();
}

void Capture::Read(const Piece& piece, std::string_view bytes) {
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

void Capture::Append(Entry entry) {
  open_.Consume(entry);
  ++entries_;
  segments_->Append(std::move(entry));
}

}  // namespace watchproof
