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

void Get(Exchange& exchange, const asio::ip::tcp::endpoint& address) {
  exchange.stream.async_connect(address, [&exchange](boost::system::error_code connected) {
    exchange.error = connected;
    if (connected) return;
    http::async_write(exchange.stream, exchange.request,
                      [&exchange](boost::system::error_code written, std::size_t) {
                        exchange.error = written;
                        if (written) return;
                        http::async_read(exchange.stream, exchange.buffer, exchange.response,
                                         [&exchange](boost::system::error_code read, std::size_t) {
                                           exchange.error = read;
                                         });
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
  const auto address = asio::ip::make_address(endpoint.host, bad);
  if (bad) return FromErrorCode(bad).WithContext("{} is not an address", endpoint.host);
  Get(exchange, {address, static_cast<unsigned short>(endpoint.port)});
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
