// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/tls_tunnel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <thread>

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace watchproof {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using Secure = ssl::stream<tcp::socket>;

constexpr auto kAwaitSecure = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kChunk = 16 * 1024;
// As small as the proxy's, so that the tunnel hides no stall: see proxies/core/socket.h.
constexpr int kSocketBufferBytes = 64 * 1024;
constexpr int kSegmentBytes = 1460;
// The preface of an HTTP/2 client with empty settings, which every server answers.
constexpr std::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
constexpr std::string_view kHttp2("\2h2");
constexpr std::string_view kHttp1("\10http/1.1");

bool IsAddress(const std::string& host) {
  error_code not_one;
  asio::ip::make_address(host, not_one);
  return !not_one;
}

// A file that OpenSSL cannot use; OpenSSL's own messages do not name the file.
Status Useless(const char* flag, const std::string& file, const char* what) {
  ERR_clear_error();
  return Fail(StatusCode::kInvalidArgument, "{} {}: expected {} in PEM form", flag, file, what);
}

Status Load(const ServerAccess& access, ssl::context& context) {
  error_code error;
  if (access.ca.empty()) {
    context.set_default_verify_paths(error);
  } else if (context.load_verify_file(access.ca, error); error) {
    return Useless("--tls-ca", access.ca, "the certificates of authorities");
  }
  if (access.certificate.empty()) return {};
  if (context.use_certificate_chain_file(access.certificate, error); error) {
    return Useless("--tls-cert", access.certificate, "a certificate");
  }
  if (context.use_private_key_file(access.key, ssl::context::pem, error); error) {
    return Useless("--tls-key", access.key, "the private key of the certificate of --tls-cert");
  }
  return {};
}

// Sets the server's name and the protocol to negotiate.
void Prepare(Secure& stream, const Endpoint& server, std::string_view protocol) {
  SSL* const handle = stream.native_handle();
  if (IsAddress(server.host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), server.host.c_str());
  } else {
    SSL_set_tlsext_host_name(handle, server.host.c_str());
    SSL_set1_host(handle, server.host.c_str());
  }
  SSL_set_alpn_protos(handle, reinterpret_cast<const unsigned char*>(protocol.data()),
                      static_cast<unsigned>(protocol.size()));
}

error_code OpenSharply(tcp::socket& socket, const tcp::endpoint& to) {
  error_code error;
  socket.open(to.protocol(), error);
  if (error) return error;
  socket.set_option(tcp::no_delay(true), error);
  socket.set_option(asio::socket_base::receive_buffer_size(kSocketBufferBytes), error);
  socket.set_option(asio::socket_base::send_buffer_size(kSocketBufferBytes), error);
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &kSegmentBytes, sizeof kSegmentBytes);
  return {};
}

// To the first address that accepts.
asio::awaitable<error_code> Connect(tcp::socket& socket, const std::vector<tcp::endpoint>& to) {
  error_code error = asio::error::host_not_found;
  for (const tcp::endpoint& one : to) {
    error_code ignored;
    socket.close(ignored);
    error = OpenSharply(socket, one);
    if (error) continue;
    std::tie(error) = co_await socket.async_connect(one, kAwaitSecure);
    if (!error) break;
  }
  co_return error;
}

void Reset(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

// A connection of a client and its connection to the server.
struct Session {
  Session(tcp::socket client, asio::io_context& io, ssl::context& context)
      : plain(std::move(client)), secure(io, context) {}
  tcp::socket plain;
  Secure secure;

  void Break() {
    Reset(plain);
    Reset(secure.next_layer());
  }
};
// Owned by the two coroutines for its two directions.
using SessionPtr = std::shared_ptr<Session>;

asio::awaitable<void> CarryBack(SessionPtr session) {
  std::array<char, kChunk> chunk;
  for (;;) {
    const auto [error, size] =
        co_await session->secure.async_read_some(asio::buffer(chunk), kAwaitSecure);
    if (error == asio::error::eof || error == ssl::error::stream_truncated) {
      error_code ignored;
      session->plain.shutdown(tcp::socket::shutdown_send, ignored);
      co_return;
    }
    if (error) co_return session->Break();
    const auto [failed, written] =
        co_await asio::async_write(session->plain, asio::buffer(chunk.data(), size), kAwaitSecure);
    if (failed) co_return session->Break();
  }
}

asio::awaitable<void> Carry(SessionPtr session, const std::vector<tcp::endpoint>& to,
                            const Endpoint& server) {
  std::array<char, kChunk> chunk;
  // The client's first bytes determine the protocol to negotiate.
  auto [error, size] = co_await session->plain.async_read_some(asio::buffer(chunk), kAwaitSecure);
  if (error) co_return session->Break();
  const bool http1 = std::string_view(chunk.data(), size).starts_with("GET ");
  Prepare(session->secure, server, http1 ? kHttp1 : kHttp2);
  if (co_await Connect(session->secure.next_layer(), to)) co_return session->Break();
  const auto [refused] =
      co_await session->secure.async_handshake(ssl::stream_base::client, kAwaitSecure);
  if (refused) co_return session->Break();
  asio::co_spawn(session->plain.get_executor(), CarryBack(session), asio::detached);
  while (!error) {
    const auto [failed, written] =
        co_await asio::async_write(session->secure, asio::buffer(chunk.data(), size), kAwaitSecure);
    if (failed) co_return session->Break();
    std::tie(error, size) =
        co_await session->plain.async_read_some(asio::buffer(chunk), kAwaitSecure);
  }
  if (error != asio::error::eof) co_return session->Break();
  error_code ignored;
  session->secure.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
}

Result<std::vector<tcp::endpoint>> Resolve(asio::io_context& io, const Endpoint& server) {
  tcp::resolver resolver(io);
  error_code error;
  const auto found = resolver.resolve(server.host, std::to_string(server.port), error);
  if (error) return FromErrorCode(error).WithContext("resolving {}", server.host);
  return std::vector<tcp::endpoint>(found.begin(), found.end());
}

// How far a connection attempt got, and what ended it.
struct Judged {
  enum class Reached { kNothing, kConnected, kHandshake, kAnswer };
  Reached reached = Reached::kNothing;
  error_code error = asio::error::timed_out;
  long verified = X509_V_OK;
};

asio::awaitable<void> Try(Secure& stream, const std::vector<tcp::endpoint>& to, Judged& trial) {
  trial.error = co_await Connect(stream.next_layer(), to);
  if (trial.error) co_return;
  trial.reached = Judged::Reached::kConnected;
  trial.error = asio::error::timed_out;
  std::tie(trial.error) = co_await stream.async_handshake(ssl::stream_base::client, kAwaitSecure);
  trial.verified = SSL_get_verify_result(stream.native_handle());
  if (trial.error) co_return;
  trial.reached = Judged::Reached::kHandshake;
  // With TLS 1.3, whether the server accepts the client's certificate shows only in its first
  // answer.
  trial.error = asio::error::timed_out;
  std::array<char, 1> first;
  std::size_t size = 0;
  std::tie(trial.error, size) =
      co_await asio::async_write(stream, asio::buffer(kPreface), kAwaitSecure);
  if (trial.error) co_return;
  trial.error = asio::error::timed_out;
  std::tie(trial.error, size) = co_await stream.async_read_some(asio::buffer(first), kAwaitSecure);
  if (!trial.error) trial.reached = Judged::Reached::kAnswer;
}

Result<Judged> TryOnce(const Endpoint& server, ssl::context& context, Deadline deadline) {
  asio::io_context io;
  WP_ASSIGN_OR_RETURN(const auto addresses, Resolve(io, server));
  Secure stream(io, context);
  Prepare(stream, server, kHttp2);
  Judged trial;
  asio::co_spawn(io, Try(stream, addresses, trial), asio::detached);
  io.run_for(deadline.remaining());
  const Judged seen = trial;
  // The rest of the coroutine must not outlive what it refers to.
  Reset(stream.next_layer());
  io.restart();
  io.run();
  return seen;
}

// The number of an alert that the server sent; 0: none. Alerts are reasons from 1000 on.
int AlertOf(const error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return 0;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  return reason >= SSL_AD_REASON_OFFSET ? reason - SSL_AD_REASON_OFFSET : 0;
}

}  // namespace

bool UsesTls(const Endpoint& server, Deadline deadline) {
  ssl::context context(ssl::context::tls_client);
  context.set_verify_mode(ssl::verify_none);
  const Result<Judged> trial = TryOnce(server, context, deadline);
  return trial.has_value() &&
         (trial->reached >= Judged::Reached::kHandshake || AlertOf(trial->error) != 0);
}

Status CheckTls(const Endpoint& server, const ServerAccess& access, Deadline deadline) {
  ssl::context context(ssl::context::tls_client);
  WP_RETURN_IF_ERROR(Load(access, context));
  context.set_verify_mode(ssl::verify_peer);
  WP_ASSIGN_OR_RETURN(const Judged trial, TryOnce(server, context, deadline));
  const std::string name = server.ToString();
  if (trial.reached == Judged::Reached::kAnswer) return {};
  if (trial.reached == Judged::Reached::kNothing) {
    return Fail(StatusCode::kUnavailable,
                "nothing answers on {}; expected a server that is already running there ({})", name,
                trial.error.message());
  }
  if (trial.verified != X509_V_OK) {
    return Fail(StatusCode::kUnauthenticated,
                "the certificate of {} is not to be trusted ({}); expected one for {} by an "
                "authority of --tls-ca{}",
                name, X509_verify_cert_error_string(trial.verified), server.host,
                access.ca.empty() ? ", which is not given" : " " + access.ca);
  }
  const int alert = AlertOf(trial.error);
  if (alert != 0 && access.certificate.empty()) {
    return Fail(StatusCode::kUnauthenticated,
                "{} requires a client certificate; name one with --tls-cert FILE and "
                "--tls-key FILE ({})",
                name, trial.error.message());
  }
  if (alert != 0) {
    return Fail(StatusCode::kUnauthenticated,
                "{} rejects the certificate of --tls-cert {} "
                "({})",
                name, access.certificate, trial.error.message());
  }
  if (trial.reached == Judged::Reached::kHandshake && access.certificate.empty()) {
    return Fail(
        StatusCode::kUnauthenticated,
        "{} ends the connection once TLS has begun ({}); if it requires a client certificate, "
        "name one with --tls-cert FILE and --tls-key FILE",
        name, trial.error.message());
  }
  if (trial.reached == Judged::Reached::kHandshake) {
    return Fail(StatusCode::kUnauthenticated,
                "{} ends the connection once TLS has begun ({}); it may reject the certificate of "
                "--tls-cert {}",
                name, trial.error.message(), access.certificate);
  }
  return Fail(StatusCode::kUnavailable,
              "TLS with the server on {} failed ({}); if the server does not use TLS, name it as "
              "endpoint:http://{}",
              name, trial.error.message(), name);
}

class TlsTunnel::Impl {
 public:
  explicit Impl(const Endpoint& server) : server_(server) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Open(const std::string& listen_host, const ServerAccess& access) {
    WP_RETURN_IF_ERROR(Load(access, context_));
    context_.set_verify_mode(ssl::verify_peer);
    WP_ASSIGN_OR_RETURN(addresses_, Resolve(io_, server_));
    error_code error;
    const auto host = asio::ip::make_address(listen_host, error);
    if (!error) acceptor_.open(tcp::v4(), error);
    if (!error) {
      acceptor_.set_option(asio::socket_base::receive_buffer_size(kSocketBufferBytes), error);
      acceptor_.set_option(asio::socket_base::send_buffer_size(kSocketBufferBytes), error);
      acceptor_.bind({host, 0}, error);
    }
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return FromErrorCode(error).WithContext("a port for TLS on {}", listen_host);
    endpoint_ = {listen_host, acceptor_.local_endpoint(error).port()};
    asio::co_spawn(io_, Accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  asio::awaitable<void> Accept() {
    for (;;) {
      auto [error, client] = co_await acceptor_.async_accept(kAwaitSecure);
      if (error == asio::error::operation_aborted) co_return;
      if (error) continue;
      error_code ignored;
      client.set_option(tcp::no_delay(true), ignored);
      auto session = std::make_shared<Session>(std::move(client), io_, context_);
      asio::co_spawn(io_, Carry(std::move(session), addresses_, server_), asio::detached);
    }
  }

  const Endpoint server_;
  Endpoint endpoint_;
  asio::io_context io_{1};
  ssl::context context_{ssl::context::tls_client};
  std::vector<tcp::endpoint> addresses_;
  tcp::acceptor acceptor_{io_};
  std::thread thread_;
};

TlsTunnel::TlsTunnel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsTunnel::~TlsTunnel() = default;

Result<std::unique_ptr<TlsTunnel>> TlsTunnel::Open(const std::string& listen_host,
                                                   const Endpoint& server,
                                                   const ServerAccess& access) {
  auto impl = std::make_unique<Impl>(server);
  WP_RETURN_IF_ERROR(impl->Open(listen_host, access));
  return std::unique_ptr<TlsTunnel>(new TlsTunnel(std::move(impl)));
}

const Endpoint& TlsTunnel::endpoint() const { return impl_->endpoint(); }

}  // namespace watchproof
