// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server, with or without TLS, for pages that are read now and then: health,
// version, metrics.
//
//   WP_ASSIGN_OR_RETURN(auto port, HttpPort::Start("127.0.0.1", 0, {{"/health", [](auto&) {
//   return Page{...}; }}})); port->port();
//
// Threads: one of its own, on which all connections are served and the pages are made. Ownership: a
// page's function must stay callable until Stop has returned. Stop is idempotent and waits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "embedded_store/server/tls_files.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct Page {
  std::string type;
  std::string body;
  int code = 200;
};

class HttpPort {
 public:
  // By path; each is given the query string of the URL, without its leading `?`.
  using Pages = std::map<std::string, std::function<Page(const std::string& query)>>;

  // Port 0 means any that is free. Refused when the port is taken.
  static Result<std::unique_ptr<HttpPort>> Start(const std::string& host, int port, Pages pages,
                                                 const std::optional<TlsMaterial>& tls = {});
  ~HttpPort();
  HttpPort(const HttpPort&) = delete;
  HttpPort& operator=(const HttpPort&) = delete;

  int port() const;
  void Stop();

 private:
  struct Impl;  // keeps Asio out of this header
  explicit HttpPort(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The reason why a port cannot be listened on; ok when it can. For a server with an error that does
// not name the reason.
Status ProbePort(const std::string& host, int port);

}  // namespace watchproof::store
