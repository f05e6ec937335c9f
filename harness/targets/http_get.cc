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

using boost::system::error_code;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

asio::awaitable<void> Get(beast::tcp_stream& stream,
                          const asio::ip::tcp::resolver::results_type& addresses,
                          const http::request<http::empty_body>& request,
                          http::response<http::string_body>& response, error_code& error) {
  std::size_t size = 0;
  std::tie(error, std::ignore) = co_await stream.async_connect(addresses, kAwait);
  if (error) co_return;
  std::tie(error, size) = co_await http::async_write(stream, request, kAwait);
  if (error) co_return;
  beast::flat_buffer buffer;
  std::tie(error, size) = co_await http::async_read(stream, buffer, response, kAwait);
}

}  // namespace

Result<Metrics> FetchMetrics(const Endpoint& endpoint, Deadline deadline) {
  // On its own io_context: Beast's time limits work on asynchronous operations only.
  asio::io_context io;
  beast::tcp_stream stream(io);
  stream.expires_after(deadline.remaining());
  http::request<http::empty_body> request(http::verb::get, "/metrics", 11);
  request.set(http::field::host, endpoint.ToString());
  http::response<http::string_body> response;
  error_code error;
  asio::ip::tcp::resolver resolver(io);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
  if (error) return FromErrorCode(error).WithContext("resolving {}", endpoint.host);
  asio::co_spawn(io, Get(stream, found, request, response, error), asio::detached);
  io.run();
  if (error) {
    return FromErrorCode(error).WithContext("GET http://{}/metrics", endpoint.ToString());
  }
  if (response.result() != http::status::ok) {
    return Fail(StatusCode::kNotFound, "GET http://{}/metrics answered {}", endpoint.ToString(),
                response.result_int());
  }
  return ParseMetrics(response.body());
}

}  // namespace watchproof
