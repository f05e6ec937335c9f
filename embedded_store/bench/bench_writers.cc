// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/bench/bench_writers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "embedded_store/bench/bench_stream.h"
#include "harness/base/mutex.h"

namespace watchproof::store {
namespace {

struct Shared {
  Shared(const PutLoad& all, std::chrono::steady_clock::time_point now) : load(all), start(now) {}
  const PutLoad& load;
  const std::chrono::steady_clock::time_point start;
  std::atomic<std::uint64_t> next{0};
  Mutex mu;
  PutsDone done GUARDED_BY(mu);
};

void WaitForTurn(const Shared& shared, std::uint64_t index) {
  if (shared.load.per_second <= 0) return;
  const std::chrono::duration<double> offset(static_cast<double>(index) / shared.load.per_second);
  std::this_thread::sleep_until(
      shared.start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(offset));
}

void Write(Shared& shared) {
  const auto stub = etcdserverpb::KV::NewStub(OwnChannel(shared.load.endpoint));
  PutsDone mine{.first_revision = std::numeric_limits<std::int64_t>::max()};
  etcdserverpb::PutRequest request;
  std::string value(std::max<std::size_t>(shared.load.value_bytes, 8), 'x');
  for (;;) {
    const std::uint64_t index = shared.next++;
    if (index >= shared.load.puts) break;
    WaitForTurn(shared, index);
    request.set_key(shared.load.keys > 1
                        ? shared.load.key + std::to_string(index % shared.load.keys)
                        : shared.load.key);
    const std::uint64_t stamp = NowStamp();
    std::memcpy(value.data(), &stamp, sizeof stamp);
    request.set_value(value);
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    etcdserverpb::PutResponse response;
    if (stub->Put(&context, request, &response).ok()) {
      ++mine.acknowledged;
      mine.first_revision = std::min(mine.first_revision, response.header().revision());
    } else {
      ++mine.failed;
    }
  }
  const MutexLock lock(shared.mu);
  shared.done.acknowledged += mine.acknowledged;
  shared.done.failed += mine.failed;
  if (shared.done.first_revision == 0 || mine.first_revision < shared.done.first_revision) {
    shared.done.first_revision = mine.first_revision;
  }
}

}  // namespace

PutsDone PutAll(const PutLoad& load) {
  Shared shared{load, std::chrono::steady_clock::now()};
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < load.writers; ++i) writers.emplace_back([&] { Write(shared); });
  for (std::thread& writer : writers) writer.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - shared.start;
  const MutexLock lock(shared.mu);
  shared.done.seconds = took.count();
  return shared.done;
}

}  // namespace watchproof::store
