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

#include "ci/fakes/behaviour.h"
#include "ci/fakes/tamper_log.h"
#include "harness/base/status.h"

namespace watchproof::fakes {

struct RelayOptions {
  std::string listen;
  std::string store;
};

class Relay {
 public:
  static Result<std::unique_ptr<Relay>> Start(const RelayOptions& options, Behaviour& behaviour,
                                              TamperLog& log);
  ~Relay();
  void Stop();

 private:
  class Impl;
  explicit Relay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof::fakes
