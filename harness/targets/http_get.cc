// SPDX-License-Identifier: Apache-2.0
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "harness/targets/probe.h"

namespace watchproof {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

// One request on its own io_context: Beast's time limits work on asynchronous operations only.
struct Exchange {
  asio::io_context context;
  beast::tcp_stream stream{context};
  beast::flat_buffer buffer;
  http::request<http::empty_body> request;
  http::response<http::string_body> response;
  boost::system::error_code error;
};

void Get(Exchange& exchange, const asio::ip::tcp::resolver::results_type& addresses) {
  exchange.stream.async_connect(
      addresses, [&exchange](boost::system::error_code connected, const asio::ip::tcp::endpoint&) {
        exchange.error = connected;
        if (connected) return;
        http::async_write(exchange.stream, exchange.request,
                          [&exchange](boost::system::error_code written, std::size_t) {
                            exchange.error = written;
                            if (written) return;
                            http::async_read(exchange.stream, exchange.buffer, exchange.response,
                                             [&exchange](boost::system::error_code read,
                                                         std::size_t) { exchange.error = read; });
                          });
      });
  exchange.context.run();
}

}  // namespace

Result<Metrics> FetchMetrics(const Endpoint& endpoint, Deadline deadline) {
  Exchange exchange;
  exchange.request.method(http::verb::get);
  exchange.request.target("/metrics");
  exchange.request.version(11);
  exchange.request.set(http::field::host, endpoint.ToString());
  exchange.stream.expires_after(deadline.remaining());
  boost::system::error_code bad;
  asio::ip::tcp::resolver resolver(exchange.context);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), bad);
  if (bad) return FromErrorCode(bad).WithContext("resolving {}", endpoint.host);
  Get(exchange, found);
  if (exchange.error) {
    return FromErrorCode(exchange.error).WithContext("GET http://{}/metrics", endpoint.ToString());
  }
  if (exchange.response.result() != http::status::ok) {
    return Fail(StatusCode::kNotFound, "GET http://{}/metrics answered {}", endpoint.ToString(),
                exchange.response.result_int());
  }
  return ParseMetrics(exchange.response.body());
}

}  // namespace watchproof
