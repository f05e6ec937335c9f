// SPDX-License-Identifier: Apache-2.0
// Records what passes a proxy between any clients and any server, as a passive recording that
// `watchproof check` judges.
//
//   WP_ASSIGN_OR_RETURN(auto capture, Capture::Open({.folder = folder}));
//   proxies.Open({.target_port = 2379, .observer = capture});
//   ...
//   proxies.Stop();
//   WP_RETURN_IF_ERROR(capture->Close());
//
// The io thread copies bytes into a bounded queue and never waits; another thread reads them as
// HTTP/2 and gRPC and writes segments (segment_writer.h). When the queue is full, the connection
// with the next bytes is not recorded any further, and the recording says so.
//
// Threads: OnBytes and OnOver on the io thread, the rest by the owner. Ownership: shared
// with the proxies that it observes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/capture/connection_log.h"
#include "harness/capture/open_watches.h"
#include "harness/capture/segment_writer.h"
#include "proxies/core/byte_observer.h"

namespace watchproof {

struct CaptureOptions {
  std::filesystem::path folder;
  ByteCount limit{1LL << 30};    // of the recording
  bool hash_values = false;      // records hashes of values in place of the values
  std::string control_watch;     // what the proxy watches itself, in words; empty: nothing
  ByteCount queue{256LL << 20};  // of bytes that have passed and are not read yet
};

// What came of it.
struct Captured {
  std::uint64_t watches = 0;  // watch streams
  std::uint64_t calls = 0;
  std::uint64_t entries = 0;
  std::uint64_t lost = 0;  // connections, or parts of them
  int segments = 0;
  int dropped = 0;  // of these
};

class Capture final : public proxy::ByteObserver {
 public:
  static Result<std::shared_ptr<Capture>> Open(const CaptureOptions& options);
  ~Capture() override;

  void OnBytes(proxy::ConnectionId connection, proxy::Direction direction, std::string_view bytes,
               TimePoint now) override;
  void OnOver(proxy::ConnectionId connection) override;

  // Writes what has passed; nothing may follow. Idempotent.
  Status Close();
  // Requires: Close.
  Captured captured() const;

 private:
  struct Piece {
    enum class Kind { kBytes, kOver, kLost } kind = Kind::kBytes;
    proxy::ConnectionId connection;
    proxy::Direction direction = proxy::Direction::kToClient;
    std::size_t size = 0;
    TimePoint at;
  };
  // Pieces, and their bytes one behind the other.
  struct Batch {
    std::vector<Piece> pieces;
    std::string bytes;
  };

  Capture(const CaptureOptions& options, std::unique_ptr<SegmentWriter> segments);
  void ReadAll();
  // Blocks until there is enough to be worth it, or the interval has passed. False when nothing
  // will follow.
  bool Take(Batch& batch);
  void Read(const Piece& piece, std::string_view bytes);
  void Append(Entry entry);

  // Constant after construction.
  const TimePoint begun_ = Clock::now();
  const std::size_t most_;
  const ValueHasher hasher_;
  // The io thread's.
  std::set<proxy::ConnectionId> lost_;
  // The reader's until Close.
  const std::unique_ptr<SegmentWriter> segments_;
  ConnectionLog::Shared shared_;
  OpenWatches open_;
  std::map<proxy::ConnectionId, ConnectionLog> logs_;
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

}  // namespace watchproof
