// SPDX-License-Identifier: Apache-2.0
// How many of everything there is, for the metrics page.
//
// Threads: written by the hub thread and the senders, read by any.
#pragma once

#include <atomic>
#include <cstdint>

namespace watchproof::store {

struct WatchCounters {
  std::atomic<std::int64_t> streams{0};
  std::atomic<std::int64_t> watchers{0};
  // Watchers that are not fed at commit: catching up, or waiting for room in the queue of their
  // stream.
  std::atomic<std::int64_t> slow_watchers{0};
  // Events waiting in the queues of the streams.
  std::atomic<std::int64_t> pending_events{0};
};

}  // namespace watchproof::store
