// SPDX-License-Identifier: Apache-2.0
#include "ci/crash/crash_load.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <utility>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"
#include "harness/client/connection.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

constexpr int kWriters = 4;
constexpr int kKeysPerWriter = 12;
constexpr int kGrantsPerLoad = 3;
constexpr std::int64_t kLeaseSeconds = 24 * 60 * 60;
// Behind what any writer could still be waiting for.
constexpr std::int64_t kCompactionMargin = 64;
const std::string kEverything(1, '\0');

// The limit matters only for a server that hangs: calls to a killed server end at once.
void Limit(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + 10s);
}

template <typename Stub, typename Request, typename Response>
grpc::Status Call(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response& response) {
  grpc::ClientContext context;
  Limit(context);
  return (stub.*method)(&context, request, &response);
}

KeyValue FromWire(const mvccpb::KeyValue& wire) {
  return {.key = wire.key(),
          .value = wire.value(),
          .create = Revision{wire.create_revision()},
          .mod = Revision{wire.mod_revision()},
          .version = wire.version(),
          .lease = wire.lease()};
}

std::optional<std::string> ValueOf(const mvccpb::Event& event) {
  if (event.type() == mvccpb::Event::DELETE) return std::nullopt;
  return event.kv().value();
}

// One writer's calls; false when the server is gone.
class Writer {
 public:
  Writer(const std::string& endpoint, CrashHistory& history, int number, Prng random)
      : kv_(pb::KV::NewStub(MakeChannel(endpoint))),
        history_(history),
        number_(number),
        random_(std::move(random)) {}

  bool Step() {
    const std::uint64_t dice = random_.Below(20);
    if (dice < 12) return Put();
    if (dice < 16) return Txn();
    if (dice < 19) return Delete();
    return Read();
  }

 private:
  std::string Key() { return fmt::format("w{}/{}", number_, random_.Below(kKeysPerWriter)); }
  // Never the same twice, so that every revision has distinct content.
  std::string Value() {
    const std::uint64_t size = random_.Chance(0.1) ? random_.Below(20000) : random_.Below(300);
    return fmt::format("{}-{:016x}-{}", number_, random_.Next(), std::string(size, 'v'));
  }
  bool Put() {
    pb::PutRequest request;
    pb::PutResponse response;
    request.set_key(Key());
    request.set_value(Value());
    return Settle({{request.key(), request.value()}}, &pb::KV::Stub::Put, request, response);
  }
  bool Txn() {
    pb::TxnRequest request;
    pb::TxnResponse response;
    CrashWrite write;
    const std::uint64_t first = random_.Below(kKeysPerWriter - 4);
    for (std::uint64_t i = 0; i < 2 + random_.Below(3); ++i) {
      write.emplace_back(fmt::format("w{}/{}", number_, first + i), Value());
      auto* put = request.add_success()->mutable_request_put();
      put->set_key(write.back().first);
      put->set_value(*write.back().second);
    }
    return Settle(std::move(write), &pb::KV::Stub::Txn, request, response);
  }
  bool Delete() {
    pb::DeleteRangeRequest request;
    pb::DeleteRangeResponse response;
    request.set_key(Key());
    return Settle({{request.key(), std::nullopt}}, &pb::KV::Stub::DeleteRange, request, response,
                  [&] { return response.deleted() > 0; });
  }
  bool Read() {
    pb::RangeRequest request;
    pb::RangeResponse response;
    request.set_key(Key());
    if (!Call(*kv_, &pb::KV::Stub::Range, request, response).ok()) return false;
    history_.Shown(Revision{response.header().revision()});
    return true;
  }
  // `wrote`: whether the answered call wrote something.
  template <typename Method, typename Request, typename Response>
  bool Settle(
      CrashWrite write, Method method, const Request& request, Response& response,
      const std::function<bool()>& wrote = [] { return true; }) {
    if (!Call(*kv_, method, request, response).ok()) {
      history_.Unanswered(std::move(write));
      return false;
    }
    if (wrote()) history_.Acknowledged(Revision{response.header().revision()}, std::move(write));
    return true;
  }

  const std::unique_ptr<pb::KV::Stub> kv_;
  CrashHistory& history_;
  const int number_;
  Prng random_;
};

// Everything at a revision; the current one for 0.
Result<std::vector<KeyValue>> ReadAll(pb::KV::Stub& kv, Revision at, Revision* current) {
  pb::RangeRequest request;
  request.set_key(kEverything);
  request.set_range_end(kEverything);
  request.set_revision(at.value);
  pb::RangeResponse response;
  grpc::ClientContext context;
  Limit(context);
  context.set_wait_for_ready(true);
  WP_RETURN_IF_ERROR(FromRpcStatus(kv.Range(&context, request, &response)));
  if (current != nullptr) *current = Revision{response.header().revision()};
  std::vector<KeyValue> kvs;
  for (const auto& kv_wire : response.kvs()) kvs.push_back(FromWire(kv_wire));
  return kvs;
}

// Events from `start` on; when `start` is below the floor, sets the floor instead.
Status ReadEvents(const std::shared_ptr<grpc::Channel>& channel, Revision start,
                  CrashFindings& found) {
  grpc::ClientContext context;
  Limit(context);
  const auto stub = pb::Watch::NewStub(channel);
  const auto stream = stub->Watch(&context);
  pb::WatchRequest request;
  auto* create = request.mutable_create_request();
  create->set_key(kEverything);
  create->set_range_end(kEverything);
  create->set_start_revision(start.value);
  stream->Write(request);
  pb::WatchResponse response;
  bool all = found.current.value <= 1;  // an empty store
  while (!all && stream->Read(&response)) {
    if (response.compact_revision() > 0) {
      found.floor = Revision{response.compact_revision()};
      break;
    }
    for (const auto& event : response.events()) {
      const Revision at{event.kv().mod_revision()};
      found.events[at].emplace_back(event.kv().key(), ValueOf(event));
      all = at >= found.current;
    }
  }
  const bool ended = all || found.floor >= start;
  context.TryCancel();
  while (stream->Read(&response)) continue;
  stream->Finish();
  return ended ? Status()
               : Fail(StatusCode::kDataLoss, "a watch from revision {} never came to {}", start,
                      found.current);
}

}  // namespace

CrashLoad::CrashLoad(const std::string& endpoint, CrashHistory& history, const Prng& random)
    : endpoint_(endpoint), history_(history) {
  for (int i = 0; i < kWriters; ++i) {
    threads_.emplace_back(
        [this, i, prng = random.Fork(fmt::format("writer/{}", i))] { Write(i, prng); });
  }
  threads_.emplace_back([this, prng = random.Fork("compactor")] { Compact(prng); });
  threads_.emplace_back([this] { Watch(); });
  threads_.emplace_back([this] { Grant(); });
}

void CrashLoad::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CrashLoad::Write(int writer, Prng random) {
  Writer calls(endpoint_, history_, writer, std::move(random));
  while (calls.Step()) continue;
  over_ = true;
}

void CrashLoad::Compact(Prng random) {
  const auto kv = pb::KV::NewStub(MakeChannel(endpoint_));
  Revision last{0};
  while (!over_) {
    const Revision floor{history_.shown().value - kCompactionMargin -
                         static_cast<std::int64_t>(random.Below(20))};
    // A floor that was reached already, or none yet: wait for the writers by asking them.
    pb::RangeRequest look;
    look.set_key("w0/0");
    pb::RangeResponse seen;
    if (!Call(*kv, &pb::KV::Stub::Range, look, seen).ok()) return;
    if (floor.value < 2 || floor <= last) continue;
    last = floor;
    history_.CompactionAsked(floor);
    pb::CompactionRequest request;
    request.set_revision(floor.value);
    request.set_physical(random.Chance(0.3));
    pb::CompactionResponse response;
    const grpc::Status status = Call(*kv, &pb::KV::Stub::Compact, request, response);
    if (status.ok()) history_.CompactionAcknowledged(floor);
    if (!status.ok() && status.error_code() != grpc::OUT_OF_RANGE) return;
  }
}

void CrashLoad::Watch() {
  const auto stub = pb::Watch::NewStub(MakeChannel(endpoint_));
  grpc::ClientContext context;
  Limit(context);
  const auto stream = stub->Watch(&context);
  pb::WatchRequest request;
  request.mutable_create_request()->set_key(kEverything);
  request.mutable_create_request()->set_range_end(kEverything);
  stream->Write(request);
  pb::WatchResponse response;
  while (stream->Read(&response)) {
    for (const auto& event : response.events()) {
      history_.Delivered(Revision{event.kv().mod_revision()}, event.kv().key(), ValueOf(event));
    }
  }
  stream->Finish();
}

void CrashLoad::Grant() {
  const auto leases = pb::Lease::NewStub(MakeChannel(endpoint_));
  for (int i = 0; i < kGrantsPerLoad; ++i) {
    pb::LeaseGrantRequest request;
    request.set_ttl(kLeaseSeconds);
    pb::LeaseGrantResponse response;
    if (!Call(*leases, &pb::Lease::Stub::LeaseGrant, request, response).ok()) return;
    history_.LeaseGranted(response.id());
  }
}

Result<CrashFindings> ReadStore(const std::string& endpoint) {
  const auto channel = MakeChannel(endpoint);
  const auto kv = pb::KV::NewStub(channel);
  CrashFindings found;
  WP_ASSIGN_OR_RETURN(found.now, ReadAll(*kv, Revision{0}, &found.current));
  pb::LeaseLeasesResponse leases;
  WP_RETURN_IF_ERROR(FromRpcStatus(Call(*pb::Lease::NewStub(channel), &pb::Lease::Stub::LeaseLeases,
                                        pb::LeaseLeasesRequest(), leases)));
  for (const auto& lease : leases.leases()) found.leases.insert(lease.id());
  WP_RETURN_IF_ERROR(ReadEvents(channel, Revision{1}, found));
  if (found.floor.value == 0) return found;
  found.events.clear();
  WP_RETURN_IF_ERROR(ReadEvents(channel, found.floor, found));
  WP_ASSIGN_OR_RETURN(found.at_floor, ReadAll(*kv, found.floor, nullptr));
  return found;
}

}  // namespace watchproof::store
