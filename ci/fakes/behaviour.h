// SPDX-License-Identifier: Apache-2.0
// How a dishonest server changes the messages between its clients and a correct store. One file per
// family in behaviours/; each behaviour registers itself.
//
//   const BehaviourRegistration kNeverCancels({.name = "never-cancels", ...}, EachRequest(
//       [](WatchRequest& request, Wire& wire) {
//         if (request.has_cancel_request()) return wire.Tampered("ignored a cancel");
//         wire.ToStore(request);
//       }));
//
// With state of its own it is a class: a WatchTamper, and EachStream or EachStreamWith.
//
// Threads: calls to one WatchTamper never overlap; those to a Behaviour come from any thread.
// Ownership: the caller of Relay::Start owns the Behaviour, each watch call its WatchTamper.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/protos/rpc.pb.h"

namespace watchproof::fakes {

using etcdserverpb::WatchCreateRequest;
using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;

// The two ends of one watch stream. Valid during a call to a WatchTamper only.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void ToStore(const WatchRequest& request) = 0;
  virtual void ToClient(const WatchResponse& response) = 0;
  // Ends the stream after the responses sent so far; later ones are dropped.
  virtual void End(const grpc::Status& status) = 0;
  // Must be called whenever the client receives something else than the store's answer: the
  // verdicts are compared with the log of these calls.
  virtual void Tampered(std::string_view what) = 0;
};

// One watch stream. By default every message passes unchanged.
class WatchTamper {
 public:
  virtual ~WatchTamper() = default;
  virtual void Asked(WatchRequest& request, Wire& wire) { wire.ToStore(request); }
  virtual void Answered(WatchResponse& response, Wire& wire) { wire.ToClient(response); }
  // Called every 50 ms.
  virtual void Ticked(Wire&) {}
};

enum class CallFate { kPass, kHang, kRefuse };

// A call other than Watch. `method` is the one to call on the store; it may differ.
struct CallPlan {
  std::string method;
  CallFate fate = CallFate::kPass;
  grpc::Status refusal{};
  std::string tampered{};  // what is broken about it, for the log; empty: nothing
};

// The parameters of a behaviour that has any, from the command line.
struct Parameters {
  std::string call{};  // "KV/Range"; empty: every one
  grpc::StatusCode code = grpc::StatusCode::UNIMPLEMENTED;
  std::string field{};
};

// One process. By default every call passes unchanged.
class Behaviour {
 public:
  virtual ~Behaviour() = default;
  // Once, before the first call.
  virtual void Configure(const Parameters&) {}
  // Null: the stream passes unchanged.
  virtual std::unique_ptr<WatchTamper> NewStream() { return nullptr; }
  virtual CallPlan Plan(const std::string& method) { return {.method = method}; }
  // May change the request's bytes; returns what was broken, or nothing.
  virtual std::string Asked(const std::string& method, std::string& request);
  // Sees each answer of a call with its request.
  virtual void Answered(const std::string& method, const std::string& request,
                        const std::string& response);
  // Likewise, and may change its bytes; returns what was broken, or nothing.
  virtual std::string Changed(const std::string& method, std::string& response);
};

struct BehaviourInfo {
  std::string name;
  std::string explain;
  // The whole suite must report findings of each of these.
  std::vector<std::string> guarantees;
  // No documented promise is broken: a note in each attempt is enough, and no attempt has to fail.
  bool only_noted = false;
  // Most attempts see nothing of it, so one run of the suite proves nothing.
  bool rare = false;
  // What it breaks depends on its parameters: it is no row of a table of all behaviours.
  bool parametrised = false;
};

using BehaviourFactory = std::function<std::unique_ptr<Behaviour>()>;

class BehaviourRegistration {
 public:
  BehaviourRegistration(BehaviourInfo info, BehaviourFactory make);
};

struct RegisteredBehaviour {
  BehaviourInfo info;
  BehaviourFactory make;
};
// By name.
std::vector<RegisteredBehaviour> AllBehaviours();

// A behaviour that changes watch streams only and has no state beyond one of them.
template <typename Tamper>
std::unique_ptr<Behaviour> EachStream() {
  class Streams final : public Behaviour {
    std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Tamper>(); }
  };
  return std::make_unique<Streams>();
}

// As EachStream, but all streams of the process share a State, with which each WatchTamper is made.
// If it has Learn(method, request, response), it sees every answered call.
template <typename Tamper, typename State>
std::unique_ptr<Behaviour> EachStreamWith() {
  class Streams final : public Behaviour {
    std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Tamper>(state_); }
    void Answered(const std::string& method, const std::string& request,
                  const std::string& response) override {
      if constexpr (requires { state_.Learn(method, request, response); }) {
        state_.Learn(method, request, response);
      }
    }
    State state_{};
  };
  return std::make_unique<Streams>();
}

// Without state: what becomes of each request to watch, or of each answer.
BehaviourFactory EachRequest(void (*change)(WatchRequest& request, Wire& wire));
BehaviourFactory EachAnswer(void (*change)(WatchResponse& response, Wire& wire));

// Whether the message is neither an event nor an answer to a create or a cancel.
inline bool IsProgress(const WatchResponse& response) {
  return response.events_size() == 0 && !response.created() && !response.canceled();
}

}  // namespace watchproof::fakes
