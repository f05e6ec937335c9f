// SPDX-License-Identifier: Apache-2.0
// TLS on either side of `watchproof proxy`, which itself reads plain text:
// client -TLS-> port for clients -> proxy -> tunnel -TLS-> server.
//
//   WP_RETURN_IF_ERROR(tls.ReachServer(flags, options));         // before the proxy opens
//   WP_ASSIGN_OR_RETURN(place, tls.ServeClients(flags, place));  // once it listens
//
// Not thread-safe. Ownership: outlives the proxies.
#pragma once

#include <memory>
#include <string>

#include "harness/base/status.h"
#include "harness/cli/commands.h"
#include "harness/targets/tls_tunnel.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

struct ProxyTlsFlags {
  ServerAccess server;
  ListenIdentity clients;

  void AddTo(const Command& command);
  bool to_server() const { return !server.ca.empty() || !server.certificate.empty(); }
  // Errors name the flag.
  Status Check() const;
};

class ProxyTls {
 public:
  // Sets the way to the server, if that uses TLS, and a local port for the proxy, if clients do.
  Status ReachServer(const ProxyTlsFlags& flags, proxy::ProxyOptions& path);
  // Where clients find the proxy at `place`.
  Result<std::string> ServeClients(const ProxyTlsFlags& flags, const std::string& place);
  // No client or server is reached any more.
  void Stop();

 private:
  Endpoint listen_;
  TunnelBuffers buffers_ = TunnelBuffers::kSharp;
  std::unique_ptr<TlsTunnel> to_server_;
  std::unique_ptr<TlsTunnel> for_clients_;
};

}  // namespace watchproof
