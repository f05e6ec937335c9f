// SPDX-License-Identifier: Apache-2.0
// etcd's services over the parts of one store: each converts, checks the caller's rights, calls,
// and converts back.
//
//   ServiceParts parts(options, version, ...);
//   const auto kv = MakeKvService(parts);   builder.RegisterService(kv.get());
//
// A unary call ends when everything that its answer shows is safe:
//
//   Reactor* LeaseRevoke(Context* context, ...) override {
//     return Unary(context, parts_.backend, [&]() -> Result<Ticket> { ...fill the response... });
//   }
//
// Refusals wait too, because what they are based on could be taken back by a crash just as well.
// Threads: gRPC calls a service from many; nothing waits here for anything but short locks, except
// that a call that sets or compares a password keeps its thread for tens of milliseconds.
// Ownership: services borrow the parts, which outlive them; the backend is stopped after the last
// call has ended.
#pragma once

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/backend/backend.h"
#include "embedded_store/lease/lease_thread.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/alarms.h"
#include "embedded_store/server/api_version.h"
#include "embedded_store/server/convert.h"
#include "embedded_store/server/gate.h"
#include "embedded_store/server/http_port.h"
#include "embedded_store/server/store_server.h"
#include "embedded_store/watch/hub_thread.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

namespace pb = etcdserverpb;
using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// etcd's limit on one request; the transport allows half a mebibyte more.
inline constexpr std::size_t kMaxRequestBytes = 1536 * 1024;
inline constexpr std::size_t kMaxReceiveBytes = kMaxRequestBytes + 512 * 1024;

// Counts the open calls of one kind, so that a server can wait for the last. Threads: any.
class OpenCalls {
 public:
  void Enter() {
    MutexLock lock(mu_);
    ++calls_;
  }
  void Leave() {
    MutexLock lock(mu_);
    if (--calls_ == 0) idle_.NotifyAll();
  }
  // Blocks: until the last call is done. Requires: the server takes no new calls.
  void AwaitNone() {
    MutexLock lock(mu_);
    while (calls_ > 0) idle_.Wait(mu_);
  }

 private:
  Mutex mu_;
  CondVar idle_;
  std::size_t calls_ GUARDED_BY(mu_) = 0;
};

// What the services of one server work on. In construction order: each part may use those above
// it.
struct ServiceParts {
  // Requires: the store over this backend has been recovered.
  ServiceParts(const StoreOptions& chosen, EtcdVersion reported, std::unique_ptr<const Hooks> made,
               std::unique_ptr<Backend> kept, std::unique_ptr<MvccStore> recovered)
      : options(chosen),
        version(reported),
        hooks(std::move(made)),
        backend_owner(std::move(kept)),
        store_owner(std::move(recovered)) {
    store.OnCommitsSafe([this] { hub.CommitMade(); });
  }

  // Where clients connect, as member lists show it.
  std::string client_url() const {
    return fmt::format("{}://{}:{}", options.tls.cert_file.empty() ? "http" : "https", options.host,
                       port);
  }

  // Recovers what the parts keep besides the store. Requires: before the first call.
  Status Recover() {
    WP_RETURN_IF_ERROR(users.Recover());
    WP_RETURN_IF_ERROR(alarms.Recover());
    WP_RETURN_IF_ERROR(lessor.Recover(Clock::now()));
    leases.Granted();
    return {};
  }

  const StoreOptions options;
  ApiVersion version;
  const std::unique_ptr<const Hooks> hooks;
  const std::unique_ptr<Backend> backend_owner;
  const std::unique_ptr<MvccStore> store_owner;
  Backend& backend = *backend_owner;
  MvccStore& store = *store_owner;
  HubThread hub{
      store,
      *hooks,
      {.progress_interval = options.progress_interval, .strict_previous = options.strict_previous}};
  // For long work, so that no call waits for it on a gRPC thread: removing what a compaction
  // dropped, defragmenting, hashing.
  boost::asio::thread_pool background{1};
  AuthStore users{backend, options.auth};
  Alarms alarms{backend, store, options.quota_bytes};
  const Gate gate{
      users, *hooks, [this](LeaseId id) { return store.KeysOfLease(id); },
      options.tls.client_cert_auth ? CommonNames::kAreUsers : CommonNames::kMeanNothing};
  Lessor lessor{store,
                {.checkpoints = options.lease_checkpoints ? Checkpoints::kYes : Checkpoints::kNo},
                Prng(std::random_device()())};
  LeaseThread leases{lessor};
  OpenCalls watches;
  OpenCalls long_reads;  // snapshots and streamed ranges
  int port = 0;          // known before the first call
};

std::unique_ptr<grpc::Service> MakeKvService(ServiceParts& parts);
std::unique_ptr<grpc::Service> MakeWatchService(ServiceParts& parts);
std::unique_ptr<grpc::Service> MakeLeaseService(ServiceParts& parts);
std::unique_ptr<grpc::Service> MakeAuthService(ServiceParts& parts);
std::unique_ptr<grpc::Service> MakeMaintenanceService(ServiceParts& parts);
std::unique_ptr<grpc::Service> MakeClusterService(ServiceParts& parts);

// What KvService answers a streamed range with; of an admitted query, or the refusal of it. Sorted
// and bounded queries are refused.
grpc::ServerWriteReactor<pb::RangeStreamResponse>* StreamRange(ServiceParts& parts,
                                                               Result<RangeQuery> admitted);

// The pages of the HTTP port, with etcd's metric names, so that monitoring made for etcd works with
// this store. Borrows the parts until the port has stopped.
HttpPort::Pages MakePages(ServiceParts& parts);

// Ends a call with its response filled already. The ticket covers what the answer shows; without
// one it waits for all that is staged by now. It ends on this thread when there is nothing to wait
// for, else on the backend's.
inline void Finish(Reactor* reactor, Backend& backend, Ticket ticket, const Status& status) {
  if (ticket.value == 0) return reactor->Finish(ToGrpc(status));
  backend.WhenSafe(ticket, [reactor, answer = ToGrpc(status)](const Status& safe) {
    reactor->Finish(safe.ok() ? answer : ToGrpc(safe));
  });
}
inline void Finish(Reactor* reactor, Backend& backend, const Status& status) {
  Finish(reactor, backend, backend.staged(), status);
}
inline void Finish(Reactor* reactor, Backend& backend, const Result<Ticket>& answered) {
  if (!answered) return Finish(reactor, backend, answered.error());
  Finish(reactor, backend, *answered, Status());
}

// Runs `call`, which fills the response and returns its ticket or a refusal, or a status only.
template <typename Call>
Reactor* Unary(Context* context, Backend& backend, const Call& call) {
  Reactor* reactor = context->DefaultReactor();
  Finish(reactor, backend, call());
  return reactor;
}

}  // namespace watchproof::store
