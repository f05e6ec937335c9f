// SPDX-License-Identifier: Apache-2.0
// The way to a running server that speaks TLS: a port of our own that speaks plainly, so that
// clients, probes and the proxy, which follows HTTP/2 frames, need to know nothing of TLS.
//
//   WP_RETURN_IF_ERROR(CheckTls(server, access, Within(5s)));          // says what is wrong
//   WP_ASSIGN_OR_RETURN(auto tunnel, TlsTunnel::Open("127.9.1.1", server, access));
//   Connect(tunnel->endpoint());
//
// Every connection to the port becomes one TLS connection to the server: the server's certificate
// is checked against its name, ends and resets are passed on, and little is held between the two,
// so that a reader who stops is felt at the server. Threads: one of its own for all connections;
// the functions from any. Ownership: owns the port and its connections.
#pragma once

#include <memory>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

// Whether a connection with this access can be made; the error says in one line what is wrong and
// which flag helps. kInvalidArgument: one of our files is of no use.
Status CheckTls(const Endpoint& server, const ServerAccess& access, Deadline deadline);

// Whether what answers there wants to begin TLS, whatever its certificate.
bool UsesTls(const Endpoint& server, Deadline deadline);

class TlsTunnel {
 public:
  // Listens on a port of the kernel's choice when it returns.
  static Result<std::unique_ptr<TlsTunnel>> Open(const std::string& listen_host,
                                                 const Endpoint& server,
                                                 const ServerAccess& access);
  ~TlsTunnel();
  TlsTunnel(const TlsTunnel&) = delete;
  TlsTunnel& operator=(const TlsTunnel&) = delete;

  const Endpoint& endpoint() const;

 private:
  class Impl;
  explicit TlsTunnel(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
