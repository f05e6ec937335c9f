// SPDX-License-Identifier: Apache-2.0
// One open watch stream on the server's side: a mailbox between gRPC and the hub thread. It reads
// and writes raw bytes, so that events are encoded once for all streams (watch_wire.h).
//
// gRPC callbacks only hand over; requests are parsed and judged on the hub thread; replies are
// encoded by the thread that starts the write, without a lock. At most one read and one write are
// in flight, and the next request is read only when its answer will find room, so a client that
// reads nothing can make a stream hold its queue (stream_queue.h), two messages at its sender and
// what the transport buffers (gRPC's write buffer), and no more.
//
// Reading: a request is handed to the hub thread, which reads the next one when it has dealt with
// this one and there is room for another answer; else the sender does, when it has made room.
// Writing: the thread that claims the writer slot takes replies from the queue until a write is
// started; the completion of the write continues with the slot still claimed. The writer slot is
// also needed to finish the call, so nothing is ever started after that. A message is handed over
// as buffered, which saves a system call, only when the message after it is already at hand: a
// buffered message leaves with a later one, and if none came it would never leave. Threads: gRPC's
// and the hub's. Ownership: shared by gRPC (released in OnDone), by tasks posted to the hub, and
// for moments by the hub when it calls Ready.
#pragma once

#include <memory>
#include <optional>

#include "embedded_store/server/services.h"
#include "embedded_store/server/watch_wire.h"

namespace watchproof::store {

using WatchReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class WatchCall final : public WatchReactor,
                        public StreamSink,
                        public std::enable_shared_from_this<WatchCall> {
 public:
  WatchCall(const ServiceParts& parts, const Context& context);
  // Joins the hub and starts reading. Requires: owned by a shared_ptr, of which it keeps a copy
  // until OnDone.
  void Begin();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Ready() override;

 private:
  // On the hub thread.
  void Handle(WatchHub& hub);
  void Create(WatchHub& hub, WatchSpec spec);
  // Unless there is no room for an answer, or the call is finished.
  void ReadNext();
  // Claims the writer slot; if it is taken, the thread that has it looks again.
  bool ClaimWriter();
  // Requires: the writer slot. Ends with a write in flight, the call finished, or the slot
  // released.
  void Write();
  bool ReleaseWriter();
  // Requires: the writer slot. Whether it may still be used for a reply; if the call is to be
  // finished, finishes it.
  enum class WriterUse { kReply, kNothing, kFinished };
  WriterUse NextWriterUse();
  std::optional<grpc::ByteBuffer> NextMessage();
  void ResumeReading();
  // Has the call finished by the thread with the writer slot.
  void End(grpc::Status status);

  OpenCalls& open_;
  HubThread& hub_;
  const Gate& gate_;
  const Credentials credentials_;  // checked at every create; valid as long as the token is
  const std::shared_ptr<StreamQueue> queue_;  // shared with the hub, which fills it
  std::shared_ptr<WatchCall> self_;           // gRPC's share
  StreamId stream_{0};                        // hub thread only

  grpc::ByteBuffer request_;  // lent to gRPC while reading, the hub thread's while handled
  // Guarded by the writer slot: the reply that is being sent message by message, and the message
  // after the one that is being written.
  std::optional<WireReply> reply_;
  std::optional<grpc::ByteBuffer> ahead_;
  grpc::ByteBuffer response_;  // lent to gRPC while writing

  Mutex mu_;
  bool writer_claimed_ GUARDED_BY(mu_) = false;
  bool look_again_ GUARDED_BY(mu_) = false;
  std::optional<grpc::Status> end_ GUARDED_BY(mu_);  // the call is to be finished with this
  bool finished_ GUARDED_BY(mu_) = false;            // no operation may be started any more
  bool broken_ GUARDED_BY(mu_) = false;  // a write failed; the cancellation is on its way
  bool reading_paused_ GUARDED_BY(mu_) = false;
};

}  // namespace watchproof::store
