// SPDX-License-Identifier: Apache-2.0
// etcd's Watch service: each call is a mailbox between gRPC and the hub thread. It reads and writes
// raw bytes, so that events are encoded once for all streams (watch_wire.h).
//
// Threads: gRPC callbacks only hand over; requests are parsed and judged on the hub thread; replies
// are encoded by the thread that starts the write, without a lock. At most one read and one write
// are in flight per stream, and the next request is read only when its answer will find room, so a
// client that reads nothing can make a stream hold its queue (stream_queue.h), two messages at its
// sender and what the transport buffers (gRPC's write buffer), and no more. Ownership: a call is
// kept alive by gRPC until OnDone and by tasks posted to the hub thread. Borrows the hub thread.
// AwaitIdle must have returned before either goes away.
#pragma once

#include <cstddef>

#include "embedded_store/server/gate.h"
#include "embedded_store/watch/hub_thread.h"
#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

using WatchReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class WatchService final
    : public etcdserverpb::Watch::WithRawCallbackMethod_Watch<etcdserverpb::Watch::Service> {
 public:
  WatchService(HubThread& hub, const Gate& gate) : hub_(hub), gate_(gate) {}

  WatchReactor* Watch(grpc::CallbackServerContext* context) override;

  // Blocks: until the last call is done. Requires: the server takes no new calls and has cancelled
  // the old ones.
  void AwaitIdle();
  // Of the calls: one more, one less.
  void Enter();
  void Leave();

 private:
  HubThread& hub_;
  const Gate& gate_;
  Mutex mu_;
  CondVar idle_;
  std::size_t calls_ GUARDED_BY(mu_) = 0;
};

}  // namespace watchproof::store
