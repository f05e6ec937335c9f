// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/resolve.h"

#include <boost/asio/io_context.hpp>

namespace watchproof::proxy {

Result<std::vector<Tcp::endpoint>> Resolve(const HostPort& where) {
  if (where.port < 0 || where.port > 65535) {
    return Fail(StatusCode::kInvalidArgument, "port {} is not between 0 and 65535", where.port);
  }
  Io io;
  Tcp::resolver resolver(io);
  boost::system::error_code error;
  const auto found = resolver.resolve(where.host, std::to_string(where.port),
                                      Tcp::resolver::numeric_service, error);
  if (error) {
    return Fail(StatusCode::kInvalidArgument, "no address for host '{}': {}", where.host,
                error.message());
  }
  std::vector<Tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  if (endpoints.empty()) {
    return Fail(StatusCode::kInvalidArgument, "no address for host '{}'", where.host);
  }
  return endpoints;
}

}  // namespace watchproof::proxy
