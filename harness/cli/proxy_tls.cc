// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/proxy_tls.h"

#include "harness/runs/parse.h"

namespace watchproof {
namespace {

constexpr Duration kAccessCheck = 5s;
constexpr const char* kLoopback = "127.0.0.1";

Status GoTogether(const char* certificate_flag, const std::string& certificate,
                  const char* key_flag, const std::string& key) {
  if (certificate.empty() == key.empty()) return {};
  return Fail(StatusCode::kInvalidArgument, "{} and {} go together", certificate_flag, key_flag);
}

}  // namespace

void ProxyTlsFlags::AddTo(const Command& command) {
  const auto file = [&command](const char* name, std::string& value, const char* text) {
    command.Value(name, value, "FILE", text);
  };
  file("--tls-ca", server.ca, "The server uses TLS: authorities that sign its certificate");
  file("--tls-cert", server.certificate, "Client certificate, for a server that requires one");
  file("--tls-key", server.key, "The private key of --tls-cert");
  file("--listen-tls-cert", clients.certificate, "Clients use TLS: the certificate to show them");
  file("--listen-tls-key", clients.key, "The private key of --listen-tls-cert");
  file("--listen-tls-ca", clients.client_ca, "Require client certificates by these authorities");
}

Status ProxyTlsFlags::Check() const {
  WP_RETURN_IF_ERROR(GoTogether("--tls-cert", server.certificate, "--tls-key", server.key));
  WP_RETURN_IF_ERROR(
      GoTogether("--listen-tls-cert", clients.certificate, "--listen-tls-key", clients.key));
  if (!clients.client_ca.empty() && clients.certificate.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--listen-tls-ca needs --listen-tls-cert and --listen-tls-key");
  }
  return {};
}

Status ProxyTls::ReachServer(const ProxyTlsFlags& flags, proxy::ProxyOptions& path) {
  const bool roomy = path.buffers == proxy::Buffers::kRoomy;
  buffers_ = roomy ? TunnelBuffers::kRoomy : TunnelBuffers::kSharp;
  const bool clients_use_tls = !flags.clients.certificate.empty();
  if (clients_use_tls) WP_RETURN_IF_ERROR(CheckIdentity(flags.clients));
  if (flags.to_server()) {
    const Endpoint server{path.target_host, path.target_port};
    WP_RETURN_IF_ERROR(CheckTls(server, flags.server, Within(kAccessCheck)));
    WP_ASSIGN_OR_RETURN(to_server_, TlsTunnel::Open(kLoopback, server, flags.server, buffers_));
    path.target_host = to_server_->endpoint().host;
    path.target_port = to_server_->endpoint().port;
  }
  if (clients_use_tls) {
    listen_ = {path.listen_host, path.listen_port};
    path.listen_host = kLoopback;
    path.listen_port = 0;
  }
  return {};
}

Result<std::string> ProxyTls::ServeClients(const ProxyTlsFlags& flags, const std::string& place) {
  if (flags.clients.certificate.empty()) return place;
  WP_ASSIGN_OR_RETURN(const HostPort proxy, ParseHostPort(place));
  WP_ASSIGN_OR_RETURN(for_clients_, TlsTunnel::OpenForClients(listen_, {proxy.host, proxy.port},
                                                              flags.clients, buffers_));
  return for_clients_->endpoint().ToString();
}

void ProxyTls::Stop() {
  for_clients_.reset();
  to_server_.reset();
}

}  // namespace watchproof
