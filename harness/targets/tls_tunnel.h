// SPDX-License-Identifier: Apache-2.0
// A tunnel to a running server that uses TLS: a local plain-text port, so that clients, probes and
// the proxy, which follows HTTP/2 frames, need no TLS. And the reverse: a port that uses TLS before
// a plain-text one, for the clients of `watchproof proxy` that use TLS.
//
//   // The error says what is wrong.
//   WP_RETURN_IF_ERROR(CheckTls(server, access, Within(5s)));
//   WP_ASSIGN_OR_RETURN(auto tunnel, TlsTunnel::Open("127.9.1.1", server, access));
//   Connect(tunnel->endpoint());
//
// Every connection to the port becomes one connection to the server. The server's certificate is
// checked against its name. Ends and resets are passed on. Threads: one thread of the tunnel for
// all connections; functions may be called from any. Ownership: owns the port and its connections.
#pragma once

#include <memory>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

enum class TunnelBuffers {
  kSharp,  // little is buffered: a client that stops reading has an effect at the server
  kRoomy,  // the kernel's default, for throughput
};

// Whether a connection with this access can be made. The error says in one line what is wrong and
// which flag helps. kInvalidArgument: one of the files cannot be used.
Status CheckTls(const Endpoint& server, const ServerAccess& access, Deadline deadline);

// Whether the server at that address uses TLS, whatever its certificate.
bool UsesTls(const Endpoint& server, Deadline deadline);

// What a port that uses TLS shows to clients, and asks of them. Files in PEM form.
struct ListenIdentity {
  std::string certificate;  // empty: the port uses no TLS
  std::string key;
  std::string client_ca;  // clients need a certificate by it; empty: they need none
};

// Whether its files can be used. Errors name the flag and the file.
Status CheckIdentity(const ListenIdentity& identity);

class TlsTunnel {
 public:
  // Listens on a port chosen by the kernel when it returns.
  static Result<std::unique_ptr<TlsTunnel>> Open(const std::string& listen_host,
                                                 const Endpoint& server, const ServerAccess& access,
                                                 TunnelBuffers buffers = TunnelBuffers::kSharp);
  // With TLS on the side of the clients, to a server without. Port 0: chosen by the kernel.
  static Result<std::unique_ptr<TlsTunnel>> OpenForClients(const Endpoint& listen,
                                                           const Endpoint& server,
                                                           const ListenIdentity& identity,
                                                           TunnelBuffers buffers);
  virtual ~TlsTunnel() = default;

  const Endpoint& endpoint() const { return endpoint_; }

 protected:
  Endpoint endpoint_;
};

}  // namespace watchproof
