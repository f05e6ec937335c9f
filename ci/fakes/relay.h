// SPDX-License-Identifier: Apache-2.0
// Listens as an etcd server and passes every call on to a store, as a behaviour allows.
//
//   auto relay = Relay::Start({.listen = "127.0.0.1:2379", .store = "127.0.0.1:4711"}, *behaviour,
//                             log);
//
// Threads: gRPC's and one that ticks. Ownership: the behaviour and the log outlive the relay. Stop
// is idempotent and waits for every call.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ci/fakes/relayed_call.h"
#include "harness/base/status.h"

namespace watchproof::fakes {

struct RelayOptions {
  std::string listen;
  std::string store;
};

class Relay final : private grpc::CallbackGenericService {
 public:
  static Result<std::unique_ptr<Relay>> Start(const RelayOptions& options, Behaviour& behaviour,
                                              TamperLog& log);
  ~Relay() override { Stop(); }
  void Stop();

 private:
  Relay(std::string store, Behaviour& behaviour, TamperLog& log);
  Status Listen(const std::string& listen);
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;
  void TickOn();

  // Constant after Listen.
  const std::string store_;
  const std::shared_ptr<grpc::Channel> calls_;
  Behaviour& behaviour_;
  TamperLog& log_;
  std::unique_ptr<grpc::Server> server_;
  std::thread ticker_;
  // Guarded.
  Mutex mu_;
  CondVar changed_;
  std::vector<std::weak_ptr<RelayedCall>> open_ GUARDED_BY(mu_);  // watch streams
  std::uint64_t streams_ GUARDED_BY(mu_) = 0;
  int present_ GUARDED_BY(mu_) = 0;
  bool stopped_ GUARDED_BY(mu_) = false;
};

}  // namespace watchproof::fakes
