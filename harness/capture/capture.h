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
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/base/units.h"
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
  class Impl;
  explicit Capture(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
