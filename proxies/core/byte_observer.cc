// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/byte_observer.h"

#include <utility>

#include "proxies/core/connection.h"

namespace watchproof::proxy {
namespace {

constexpr std::uint64_t kObserverKey = 0;  // not used by effects: their ids begin with 1

// Its end is that of the connection.
struct Observed {
  Observed(std::shared_ptr<ByteObserver> by, ConnectionId connection)
      : observer(std::move(by)), id(connection) {}
  ~Observed() { observer->OnOver(id); }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  const std::shared_ptr<ByteObserver> observer;  // see ProxyOptions for the owners
  const ConnectionId id;
};

class ObserverStage final : public Line {
 public:
  ObserverStage(std::shared_ptr<Observed> connection, Direction direction)
      : connection_(std::move(connection)), direction_(direction) {}

  void Push(Chunk chunk, TimePoint now) override {
    if (!chunk.bytes.empty()) {
      connection_->observer->OnBytes(connection_->id, direction_, chunk.bytes, now);
    }
    Join(std::move(chunk));
  }

 private:
  const std::shared_ptr<Observed> connection_;  // owned by the stages of both directions
  const Direction direction_;
};

}  // namespace

void Observe(std::shared_ptr<ByteObserver> observer, Connection& connection) {
  const auto observed = std::make_shared<Observed>(std::move(observer), connection.id());
  for (const Direction direction : kNarrow) {
    connection.pipe(direction).AddStage(kObserverKey,
                                        std::make_unique<ObserverStage>(observed, direction));
  }
}

}  // namespace watchproof::proxy
