// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/http_port.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <thread>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
// An idle or stuck connection is not kept longer.
constexpr std::chrono::seconds kPatience{30};

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

Response AnswerTo(const Request& request, const HttpPort::Pages& pages) {
  const std::string target(request.target().data(), request.target().size());
  const auto call = std::min(target.find('?'), target.size());
  const auto found = pages.find(target.substr(0, call));
  Response response(http::status::not_found, request.version());
  response.set(http::field::content_type, "text/plain");
  response.body() = "404 page not found\n";
  if (found != pages.end()) {
    Page page = found->second(target.substr(std::min(call + 1, target.size())));
    response.result(static_cast<unsigned>(page.code));
    response.set(http::field::content_type, page.type);
    response.body() = std::move(page.body);
  }
  response.keep_alive(request.keep_alive());
  response.prepare_payload();
  return response;
}

template <typename Stream>
asio::awaitable<void> Serve(Stream stream, const HttpPort::Pages& pages) {
  beast::flat_buffer buffer;
  for (bool open = true; open;) {
    beast::get_lowest_layer(stream).expires_after(kPatience);
    Request request;
    const auto [read_error, read] = co_await http::async_read(stream, buffer, request, kAwait);
    if (read_error) co_return;
    const Response response = AnswerTo(request, pages);
    const auto [write_error, written] = co_await http::async_write(stream, response, kAwait);
    open = !write_error && response.keep_alive();
  }
}

asio::awaitable<void> ServeSecurely(tcp::socket socket, ssl::context& secrets,
                                    const HttpPort::Pages& pages) {
  beast::ssl_stream<beast::tcp_stream> stream(std::move(socket), secrets);
  beast::get_lowest_layer(stream).expires_after(kPatience);
  const auto [error] = co_await stream.async_handshake(ssl::stream_base::server, kAwait);
  if (!error) co_await Serve(std::move(stream), pages);
}

// Without secrets in the clear.
asio::awaitable<void> Accept(tcp::acceptor& acceptor, const HttpPort::Pages& pages,
                             ssl::context* secrets) {
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(kAwait);
    if (error) continue;
    auto served = secrets == nullptr ? Serve(beast::tcp_stream(std::move(socket)), pages)
                                     : ServeSecurely(std::move(socket), *secrets, pages);
    asio::co_spawn(acceptor.get_executor(), std::move(served), asio::detached);
  }
}

// Requires: the material was checked, see LoadTls.
void Entrust(const TlsMaterial& tls, ssl::context& secrets) {
  secrets.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                      ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
  boost::system::error_code error;
  secrets.use_certificate_chain(asio::buffer(tls.certificates), error);
  if (!error) secrets.use_private_key(asio::buffer(tls.key), ssl::context::pem, error);
  if (!error && tls.requires_client()) {
    secrets.add_certificate_authority(asio::buffer(tls.authorities), error);
    secrets.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  WP_CHECK(!error, "checked certificates and keys can be used");
}

Status Listen(tcp::acceptor& acceptor, const std::string& host, int port) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) {
    const tcp::endpoint endpoint(address, static_cast<asio::ip::port_type>(port));
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (!error) return {};
  return FromErrorCode(error).WithContext("listening on {}:{}", host, port);
}

}  // namespace

struct HttpPort::Impl {
  explicit Impl(Pages all) : pages(std::move(all)) {}

  const Pages pages;
  asio::io_context io{1};
  std::optional<ssl::context> secrets;
  tcp::acceptor acceptor{io};
  int port = 0;
  std::thread thread;
};

Result<std::unique_ptr<HttpPort>> HttpPort::Start(const std::string& host, int port, Pages pages,
                                                  const std::optional<TlsMaterial>& tls) {
  auto impl = std::make_unique<Impl>(std::move(pages));
  if (tls) Entrust(*tls, impl->secrets.emplace(ssl::context::tls_server));
  WP_RETURN_IF_ERROR(Listen(impl->acceptor, host, port));
  boost::system::error_code error;
  impl->port = impl->acceptor.local_endpoint(error).port();
  asio::co_spawn(impl->io,
                 Accept(impl->acceptor, impl->pages, impl->secrets ? &*impl->secrets : nullptr),
                 asio::detached);
  impl->thread = std::thread([io = &impl->io] { io->run(); });
  return std::unique_ptr<HttpPort>(new HttpPort(std::move(impl)));
}

HttpPort::HttpPort(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpPort::~HttpPort() { Stop(); }

int HttpPort::port() const { return impl_->port; }

void HttpPort::Stop() {
  impl_->io.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

Status ProbePort(const std::string& host, int port) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  return Listen(acceptor, host, port);
}

}  // namespace watchproof::store
