// SPDX-License-Identifier: Apache-2.0
// One call on its way between a client and the store. Reads on one side only while nothing waits to
// be written on the other, so that a slow reader slows the store down as without a relay.
//
//   return RelayedCall::Begin(*context, {.stub = stub, .behaviour = behaviour, .log = log, ...});
//
// Threads: gRPC's callbacks and Tick; one lock per call, under which the behaviour is asked.
// Ownership: shared by its two reactors, which delete themselves when gRPC has finished with them.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/tamper_log.h"
#include "harness/base/mutex.h"

namespace watchproof::fakes {

using RawStub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

struct CallOptions {
  std::shared_ptr<grpc::Channel> channel;
  Behaviour& behaviour;
  TamperLog& log;
  std::uint64_t number;            // of this call
  std::shared_ptr<void> presence;  // released when the call is over
};

class RelayedCall final : public std::enable_shared_from_this<RelayedCall>, private Wire {
 public:
  // The reactor for gRPC; `call` is this call, for Tick.
  static grpc::ServerGenericBidiReactor* Begin(const grpc::GenericCallbackServerContext& context,
                                               CallOptions options,
                                               std::weak_ptr<RelayedCall>& call);
  RelayedCall(const std::string& method, CallOptions options);

  void Tick();

 private:
  class Down;
  class Up;

  void Open(const grpc::GenericCallbackServerContext& context);
  void FromClient(bool ok);
  void FromStore(bool ok);
  void WrittenToClient();
  void WrittenToStore();
  void StoreEnded(const grpc::Status& status);
  void Cancelled();
  void CloseUp();
  void TakeRequestLocked() REQUIRES(mu_);
  void TakeResponseLocked() REQUIRES(mu_);
  void PumpDownLocked() REQUIRES(mu_);
  void PumpUpLocked() REQUIRES(mu_);
  void ReadDownLocked() REQUIRES(mu_);
  void ReadUpLocked() REQUIRES(mu_);

  // Wire. The behaviour calls these while the lock is held, which Clang cannot see.
  void ToStore(const WatchRequest& request) override NO_THREAD_SAFETY_ANALYSIS;
  void ToClient(const WatchResponse& response) override NO_THREAD_SAFETY_ANALYSIS;
  void End(const grpc::Status& status) override NO_THREAD_SAFETY_ANALYSIS;
  void Tampered(std::string_view what) override NO_THREAD_SAFETY_ANALYSIS;

  // Constant after construction.
  const std::string method_;
  const CallOptions options_;
  CallPlan plan_;
  RawStub stub_;
  Down* down_ = nullptr;  // until finished_
  Up* up_ = nullptr;      // until released_; null for a call that is not passed on
  // Lent to gRPC.
  grpc::ClientContext context_;
  grpc::ByteBuffer from_client_, from_store_, to_client_, to_store_;
  // Guarded.
  Mutex mu_;
  std::unique_ptr<WatchTamper> tamper_ GUARDED_BY(mu_);
  std::string request_ GUARDED_BY(mu_);  // the last, of a call that is no watch
  std::string first_key_ GUARDED_BY(mu_);
  std::deque<grpc::ByteBuffer> down_out_ GUARDED_BY(mu_);
  std::deque<grpc::ByteBuffer> up_out_ GUARDED_BY(mu_);
  std::optional<grpc::Status> end_ GUARDED_BY(mu_);
  bool down_writing_ GUARDED_BY(mu_) = false;
  bool up_writing_ GUARDED_BY(mu_) = false;
  bool down_read_waits_ GUARDED_BY(mu_) = false;
  bool up_read_waits_ GUARDED_BY(mu_) = false;
  bool half_close_ GUARDED_BY(mu_) = false;
  bool finished_ GUARDED_BY(mu_) = false;
  bool released_ GUARDED_BY(mu_) = false;
};

}  // namespace watchproof::fakes
