// SPDX-License-Identifier: Apache-2.0
// Any sequence of requests by any clients: no crash, no undefined behaviour, no failed check inside
// the layers. Covers everything that a handler does but gRPC itself: conversion, rights, store,
// leases, watches, conversion back. At the end the store is read back as after a crash.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/convert.h"
#include "embedded_store/server/fuzz_input_fixture.h"
#include "embedded_store/server/watch_wire.h"
#include "embedded_store/watch/watch_hub.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

namespace pb = etcdserverpb;

constexpr std::size_t kMostBytes = 200;  // of one reply; small, so that they are cut

class Sink final : public StreamSink {
 public:
  void Ready() override {}
};

// One server without its network, and what its clients do.
class Environment {
 public:
  Environment() {
    for (auto& stream : streams_) {
      stream.queue = std::make_shared<StreamQueue>(hub_.limits(), hub_.counters());
      stream.id = hub_.Open(stream.queue, sink_, now_);
    }
  }

  void Step(FuzzInput& input) {
    switch (input.Below(14)) {
      case 0:
        return Run(FromWire(input.Make(&FuzzInput::Range)), &MvccStore::Range, pb::RangeResponse());
      case 1:
      case 2:
        return Run(FromWire(input.Make(&FuzzInput::Put)), &MvccStore::Put, pb::PutResponse());
      case 3:
        return Run(FromWire(input.Make(&FuzzInput::Delete)), &MvccStore::DeleteRange,
                   pb::DeleteRangeResponse());
      case 4:
      case 5:
        return Run(FromWire(input.Make(&FuzzInput::Txn)), &MvccStore::Txn, pb::TxnResponse());
      case 6:
        return Compact(Revision{input.Number()});
      case 7:
        return Watch(input.Below(2), FromWire(input.Make(&FuzzInput::Watch)));
      case 8:
        return hub_.Cancel(Room(input.Below(2)).id, WatchId{input.Number()});
      case 9:
        return Tick(input);
      case 10:
        return Administer(input);
      case 11:
      case 12:
        return Lease(input);
      default:
        caller_ = {.user = input.Flag() ? "alice" : "root", .revision = auth_.revision()};
    }
  }
  void Finish() {
    for (int i = 0; i < 4; ++i) {
      now_ += 1s;
      hub_.CommitStep();
      while (hub_.SyncStep(now_) == now_) Drain();
      hub_.VictimStep(now_);
      Drain();
    }
    WP_CHECK(!hub_.has_victims(), "whoever reads everything is no victim");
    ReadBack();
  }

 private:
  struct Stream {
    StreamId id{0};
    std::shared_ptr<StreamQueue> queue;
  };

  template <typename Operation, typename Method, typename Response>
  void Run(const Result<Operation>& operation, Method method, Response response) {
    if (!operation) return;
    const auto lease_keys = [this](std::int64_t lease) { return store_.KeysOfLease(lease); };
    if (!auth_.Check(caller_, NeedsOf(*operation, lease_keys)).ok()) return;
    const Revision before = store_.current();
    const auto answer = (store_.*method)(*operation);
    const Revision after = store_.current();
    WP_CHECK(after == before || (answer && after == before.next()), "one call, one revision");
    if (!answer) return;
    ToWire(*answer, &response);
    WP_CHECK(answer->revision == after, "an answer carries the revision after it");
    WP_CHECK(Response().ParseFromString(response.SerializeAsString()), "answers can be read");
  }

  void Lease(FuzzInput& input) {
    const LeaseId id = input.Number();
    const Revision before = store_.current();
    switch (input.Below(6)) {
      case 0:
      case 1: {
        const auto granted =
            lessor_.Grant({.id = id, .ttl = std::chrono::seconds(input.Number())}, now_);
        WP_CHECK(!granted || lessor_.Find(granted->id, now_), "what is granted is there");
        break;
      }
      case 2: {
        const bool gone = lessor_.Revoke(id).has_value();
        WP_CHECK(!gone || store_.KeysOfLease(id).empty(), "a lease takes its keys along");
        WP_CHECK(store_.current() <= before.next(), "and all of them at once");
        break;
      }
      case 3:
        WP_CHECK(lessor_.KeepAlive(id, now_).has_value() == lessor_.Find(id, now_).has_value(),
                 "what is there can be kept alive");
        break;
      case 4:
        lessor_.CheckpointStep(now_);
        break;
      default:
        now_ += std::chrono::seconds(input.Byte());
        while (lessor_.ExpireStep(now_) <= now_) continue;
    }
  }
  void ReadBack() {
    MvccStore store(backend_);
    WP_CHECK(store.Recover().ok(), "what was written can be read");
    WP_CHECK(store.current() == store_.current(), "no revision is lost");
    WP_CHECK(store.compacted() == store_.compacted(), "nor the floor");
    const RangeQuery all{.range = KeyRange::From(std::string(1, '\0'))};
    WP_CHECK(store.Range(all)->kvs == store_.Range(all)->kvs, "all keys are there");
    Lessor lessor(store, {}, Prng(1));
    WP_CHECK(lessor.Recover(now_).ok(), "and the leases");
    for (const LeaseId id : lessor_.List()) {
      WP_CHECK(store.KeysOfLease(id) == store_.KeysOfLease(id), "with their keys");
    }
    WP_CHECK(lessor.List().size() == lessor_.List().size(), "and no more of them");
  }

  void Compact(Revision floor) {
    if (store_.Compact(floor)) {
      while (store_.CompactStep()) continue;
    }
  }
  // The stream, with room for an answer: a client is asked again only when there is some.
  Stream& Room(std::uint8_t index) {
    Stream& stream = streams_[index];
    if (stream.queue->control_full()) Drain();
    return stream;
  }
  void Watch(std::uint8_t index, WatchSpec spec) {
    Stream& stream = Room(index);
    const Status no = auth_.Check(caller_, {{Right::kRead, spec.range}});
    if (!no.ok()) return hub_.Refuse(stream.id, no.message());
    spec.user = caller_.user;
    hub_.Create(stream.id, std::move(spec));
  }
  void Tick(FuzzInput& input) {
    now_ += std::chrono::milliseconds(input.Byte());
    hub_.CommitStep();
    if (input.Flag()) hub_.SyncStep(now_);
    if (input.Flag()) hub_.VictimStep(now_);
    if (input.Flag()) hub_.ProgressStep(now_);
    if (input.Flag()) hub_.RequestProgress(Room(input.Below(2)).id);
    if (input.Flag()) Drain();
  }
  void Administer(FuzzInput& input) {
    const Permission permission{.right = static_cast<Right>(input.Below(3)),
                                .range = {input.Key(), input.Key()}};
    const std::string user = input.Flag() ? "alice" : "root";
    const std::string role = input.Flag() ? "some" : "root";
    const auto change = [&]() -> Status {
      switch (input.Below(9)) {
        case 0:
          return auth_.AddUser({.name = user, .no_password = true});
        case 1:
          return auth_.AddRole(role);
        case 2:
          return auth_.GrantRole(user, role);
        case 3:
          return auth_.RevokeRole(user, role);
        case 4:
          return auth_.GrantPermission(role, permission);
        case 5:
          return auth_.RevokePermission(role, permission.range);
        case 6:
          return auth_.DeleteUser(user);
        case 7:
          return auth_.Disable();
        default:
          return auth_.Enable();
      }
    };
    if (!change().ok()) return;
    hub_.EndWhere([this](const WatchSpec& spec) {
      return auth_.CheckNow(spec.user, {{Right::kRead, spec.range}}).message();
    });
    AuthStore again(backend_, {});
    WP_CHECK(again.Recover().ok(), "what was written can be read");
    WP_CHECK(again.revision() == auth_.revision() && again.Users() == auth_.Users() &&
                 again.Roles() == auth_.Roles() && again.enabled() == auth_.enabled(),
             "what was written is what there is");
  }
  void Drain() {
    for (Stream& stream : streams_) {
      while (auto taken = stream.queue->Next()) {
        WireReply wire(std::move(taken->reply), kMostBytes);
        int messages = 0;
        while (wire.Next()) ++messages;
        WP_CHECK(messages > 0, "every reply has a message");
      }
    }
  }

  Hooks hooks_;
  MemoryBackend backend_{Durable::kYes};
  MvccStore store_{backend_};
  AuthStore auth_{backend_, {.password_price = {.log2 = 1}}};
  WatchHub hub_{store_, hooks_};
  Lessor lessor_{store_, {.checkpoints = Checkpoints::kYes}, Prng(1)};
  std::shared_ptr<Sink> sink_ = std::make_shared<Sink>();
  TimePoint now_{1h};
  Stream streams_[2];
  Caller caller_;
};

}  // namespace
}  // namespace watchproof::store

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  watchproof::store::FuzzInput input(std::string_view(reinterpret_cast<const char*>(data), size));
  watchproof::store::Environment environment;
  while (!input.empty()) environment.Step(input);
  environment.Finish();
  return 0;
}
