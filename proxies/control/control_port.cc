// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/control_port.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/log.h"
#include "proxies/core/socket.h"

namespace watchproof::proxy {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

// An idle or stuck connection is not kept longer.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kMostSessions = 64;
constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
constexpr std::uint64_t kMostBodyBytes = 1 << 20;

using Parser = http::request_parser<http::string_body>;
using Response = http::response<http::string_body>;

std::string Text(beast::string_view view) { return {view.data(), view.size()}; }

Response ToResponse(ApiAnswer answer, unsigned version, bool keep_alive) {
  Response response(static_cast<http::status>(answer.code), version);
  if (!answer.body.empty()) response.set(http::field::content_type, "application/json");
  response.body() = std::move(answer.body);
  response.keep_alive(keep_alive);
  response.prepare_payload();
  return response;
}

ApiAnswer Refusal(unsigned code, const std::string& text) {
  return Ok({{"error", text}, {"status", code}}, code);
}

// What is wrong with bytes that are no request; nothing when the client is just gone.
std::optional<ApiAnswer> Complaint(const error_code& error) {
  if (error == http::error::body_limit) return Refusal(413, "a request has at most 1 MiB");
  if (error == http::error::header_limit) return Refusal(431, "a header has at most 16 KiB");
  const bool http_error = error.category() == make_error_code(http::error::bad_method).category();
  if (!http_error || error == http::error::end_of_stream || error == http::error::partial_message) {
    return std::nullopt;
  }
  return Refusal(400, "this is no HTTP request: " + error.message());
}

}  // namespace

struct ControlPort::Session {
  explicit Session(Tcp::socket socket) : stream(std::move(socket)) {}
  beast::tcp_stream stream;
};

ControlPort::ControlPort(ProxyTable& proxies, const ControlOptions& options)
    : table_(proxies),
      options_(options),
      api_(*this, Prng(options.seed).Fork("control"), options.disks),
      acceptor_(proxies.io()),
      pause_(proxies.io()),
      resolver_(proxies.io()) {
  for (const ProxyInfo& proxy : proxies.Describe()) api_.Adopt(proxy);
}

ControlPort::~ControlPort() {
  WP_CHECK(!acceptor_.is_open() && sessions_.empty(), "close a control port before destroying it");
}

Status ControlPort::Open(const Tcp::endpoint& at) {
  WP_RETURN_IF_ERROR(OpenBound(acceptor_, at, Buffers::kRoomy));
  WP_RETURN_IF_ERROR(Listen(acceptor_));
  error_code error;
  endpoint_ = ToString(acceptor_.local_endpoint(error));
  boost::asio::co_spawn(table_.io(), AcceptLoop(), [](std::exception_ptr thrown) {
    WP_CHECK(thrown == nullptr, "coroutines of the control port do not throw");
  });
  return {};
}

void ControlPort::Close() {
  closed_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.Notify();
  resolver_.cancel();
  for (Session* session : sessions_) session->stream.close();
}

Task ControlPort::AcceptLoop() {
  while (!closed_) {
    Tcp::socket socket(table_.io());
    // One too many just closes.
    if (!co_await Accept(acceptor_, socket, pause_) || sessions_.size() >= kMostSessions) continue;
    boost::asio::co_spawn(table_.io(), Serve(std::move(socket)), [](std::exception_ptr thrown) {
      WP_CHECK(thrown == nullptr, "coroutines of the control port do not throw");
    });
  }
}

Task ControlPort::Serve(Tcp::socket socket) {
  Session session(std::move(socket));
  sessions_.insert(&session);
  beast::flat_buffer buffer;
  for (bool open = !closed_; open;) {
    Parser parser;
    parser.header_limit(kMostHeaderBytes);
    parser.body_limit(kMostBodyBytes);
    session.stream.expires_after(kPatience);
    const auto [error, size] = co_await http::async_read(session.stream, buffer, parser, kAsTuple);
    std::optional<ApiAnswer> answer;
    if (error) {
      answer = Complaint(error);
      if (closed_ || !answer) break;
    } else if (parser.get()[http::field::user_agent].starts_with("Mozilla/")) {
      answer = Refusal(403, "User agent not allowed");
    } else {
      const ApiRequest request{.method = Text(parser.get().method_string()),
                               .target = Text(parser.get().target()),
                               .body = std::move(parser.get().body())};
      Addresses found = co_await LookUp(request);
      if (closed_) break;
      found_ = std::move(found);
      answer = api_.Handle(request);
      LogDebug("control", {{"method", request.method},
                           {"target", request.target},
                           {"answer", std::to_string(answer->code)}});
    }
    open = !error && parser.get().keep_alive();
    Response response = ToResponse(std::move(*answer), error ? 11 : parser.get().version(), open);
    // Its reader takes what follows the head for the next answer.
    if (!error && parser.get().method() == http::verb::head) response.body().clear();
    const auto [failed, written] = co_await http::async_write(session.stream, response, kAsTuple);
    open = open && !failed && !closed_;
  }
  sessions_.erase(&session);
  CloseInOrder(session.stream.socket());  // so that the last answer arrives
}

boost::asio::awaitable<ControlPort::Addresses> ControlPort::LookUp(const ApiRequest& request) {
  Addresses found;
  for (const std::string& host : api_.HostsOf(request)) {
    error_code ignored;
    boost::asio::ip::make_address(host, ignored);
    if (!ignored || host.empty() || host == "localhost") continue;
    const auto [error, results] = co_await resolver_.async_resolve(host, "", kAsTuple);
    if (closed_) break;
    for (const auto& one : results) found[host].push_back(one.endpoint().address());
  }
  co_return found;
}

Result<std::vector<Tcp::endpoint>> ControlPort::EndpointsOf(const std::string& host,
                                                            int port) const {
  std::vector<boost::asio::ip::address> addresses;
  error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  if (!error) {
    addresses = {address};
  } else if (host == "localhost") {
    addresses = {boost::asio::ip::address_v4::loopback(), boost::asio::ip::address_v6::loopback()};
  } else if (const auto it = found_.find(host); it != found_.end()) {
    addresses = it->second;
  }
  if (addresses.empty()) {
    return Fail(StatusCode::kInvalidArgument, "no address for host '{}'", host);
  }
  std::vector<Tcp::endpoint> endpoints;
  for (const auto& one : addresses) {
    endpoints.emplace_back(one, static_cast<boost::asio::ip::port_type>(port));
  }
  return endpoints;
}

Result<ProxyId> ControlPort::Open(const ProxyOptions& options) {
  // Without a host every address is meant where one listens, and this machine where one connects.
  const auto or_else = [](const std::string& host, const char* other) {
    return host.empty() ? std::string(other) : host;
  };
  WP_ASSIGN_OR_RETURN(const std::vector<Tcp::endpoint> listen,
                      EndpointsOf(or_else(options.listen_host, "0.0.0.0"), options.listen_port));
  WP_ASSIGN_OR_RETURN(std::vector<Tcp::endpoint> targets,
                      EndpointsOf(or_else(options.target_host, "localhost"), options.target_port));
  ProxyOptions named = options;
  named.follow_streams = options_.follow_streams;
  named.self_test = options_.self_test;
  named.buffers = options_.buffers;
  return table_.Open(named, {.listen = listen.front(), .targets = std::move(targets)});
}

}  // namespace watchproof::proxy
