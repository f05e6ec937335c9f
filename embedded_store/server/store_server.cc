// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/store_server.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "embedded_store/backend/lmdb_backend.h"
#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/backend/snapshot.h"
#include "embedded_store/mvcc/hook_registry.h"
#include "embedded_store/server/http_port.h"
#include "embedded_store/server/services.h"

namespace watchproof::store {

struct StoreServer::Parts : ServiceParts {
  using ServiceParts::ServiceParts;

  const std::unique_ptr<grpc::Service> services[6] = {
      MakeKvService(*this),   MakeWatchService(*this),       MakeLeaseService(*this),
      MakeAuthService(*this), MakeMaintenanceService(*this), MakeClusterService(*this)};
  std::unique_ptr<grpc::Server> grpc;
  std::unique_ptr<HttpPort> http;
  bool stopped = false;
};

namespace {

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxReceiveBytes));
  builder.SetMaxSendMessageSize(-1);
  // Two servers on one port would share its clients between them, silently.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // etcd's keep-alive: clients may ping every 5 s, with or without a call.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 2 * 60 * 60 * 1000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * 1000);
}

Result<std::unique_ptr<Backend>> OpenBackend(const StoreOptions& options) {
  if (options.data.empty()) return std::make_unique<MemoryBackend>();
  return LmdbBackend::Open(options.data);
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(const std::optional<TlsMaterial>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      tls->requires_client() ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_root_certs = tls->authorities;
  options.pem_key_cert_pairs.push_back({.private_key = tls->key, .cert_chain = tls->certificates});
  return grpc::SslServerCredentials(options);
}

}  // namespace

Result<std::unique_ptr<StoreServer>> StoreServer::Start(const StoreOptions& options) {
  auto made = MakeHooks(options.defects);
  if (!made) return std::move(made).error().WithContext("choosing defects");
  auto hooks = std::make_unique<const Hooks>(*std::move(made));
  WP_ASSIGN_OR_RETURN(const EtcdVersion version, ParseEtcdVersion(options.etcd_version));
  WP_ASSIGN_OR_RETURN(const auto tls, LoadTls(options.tls));
  // gRPC does not report why it could not listen, so probe first; a port that another process takes
  // in between is still refused below.
  WP_RETURN_IF_ERROR(ProbePort(options.host, options.port));
  WP_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, OpenBackend(options));
  auto store = std::make_unique<MvccStore>(*backend, *hooks);
  if (Status recovered = store->Recover(); !recovered.ok()) {
    backend->Stop();
    return std::move(recovered).WithContext("reading {}", options.data.string());
  }
  auto parts = std::make_unique<Parts>(options, version, std::move(hooks), std::move(backend),
                                       std::move(store));
  if (Status recovered = parts->Recover(); !recovered.ok()) {
    parts->backend.Stop();
    return std::move(recovered).WithContext("reading {}", options.data.string());
  }

  // grpc.health.v1, which etcd's clients ask, too.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  SetLimits(builder);
  builder.AddListeningPort(fmt::format("{}:{}", options.host, options.port), ServerCredentials(tls),
                           &parts->port);
  for (const auto& service : parts->services) builder.RegisterService(service.get());
  parts->grpc = builder.BuildAndStart();
  if (!parts->grpc || parts->port == 0) {
    return Fail(StatusCode::kUnavailable, "cannot listen on {}:{}", options.host, options.port);
  }
  std::unique_ptr<StoreServer> server(new StoreServer(std::move(parts)));
  Parts& running = *server->parts_;
  WP_ASSIGN_OR_RETURN(running.http,
                      HttpPort::Start(options.host, options.http_port, MakePages(running), tls));
  return server;
}

Status RestoreStore(const std::filesystem::path& snapshot, const std::filesystem::path& folder) {
  return RestoreSnapshot(snapshot, folder);
}

StoreServer::StoreServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

StoreServer::~StoreServer() { Stop(); }

std::string StoreServer::endpoint() const {
  return fmt::format("{}:{}", parts_->options.host, parts_->port);
}

std::string StoreServer::http_endpoint() const {
  return fmt::format("{}:{}", parts_->options.host, parts_->http->port());
}

void StoreServer::Stop() {
  if (std::exchange(parts_->stopped, true)) return;
  if (parts_->http) parts_->http->Stop();
  // A watch never ends by itself, so there is nothing to wait for before cancelling.
  parts_->grpc->Shutdown(std::chrono::system_clock::now());
  parts_->leases.Stop();
  // Calls wait for these, so they are stopped when none is left.
  parts_->long_reads.AwaitNone();
  parts_->background.join();
  parts_->backend.Stop();
  parts_->watches.AwaitNone();
  parts_->hub.Stop();
}

}  // namespace watchproof::store
