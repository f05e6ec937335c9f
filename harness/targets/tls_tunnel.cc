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
Status Useless(const std::string& flag, const std::string& file, const std::string& what) {
  ERR_clear_error();
  return Fail(StatusCode::kInvalidArgument, "{} {}: expected {} in PEM form", flag, file, what);
}

// `flags`: what the flags of the two files begin with.
Status LoadIdentity(const std::string& flags, const std::string& certificate,
                    const std::string& key, ssl::context& context) {
  error_code error;
  if (context.use_certificate_chain_file(certificate, error); error) {
    return Useless(flags + "-cert", certificate, "a certificate");
  }
  if (context.use_private_key_file(key, ssl::context::pem, error); error) {
    return Useless(flags + "-key", key, "the private key of the certificate of " + flags + "-cert");
  }
  return {};
}

Status Load(const ServerAccess& access, ssl::context& context) {
  error_code error;
  if (access.ca.empty()) {
    context.set_default_verify_paths(error);
  } else if (context.load_verify_file(access.ca, error); error) {
    return Useless("--tls-ca", access.ca, "the certificates of authorities");
  }
  if (access.certificate.empty()) return {};
  return LoadIdentity("--tls", access.certificate, access.key, context);
}

Status Load(const ListenIdentity& identity, ssl::context& context) {
  WP_RETURN_IF_ERROR(LoadIdentity("--listen-tls", identity.certificate, identity.key, context));
  if (identity.client_ca.empty()) return {};
  error_code error;
  if (context.load_verify_file(identity.client_ca, error); error) {
    return Useless("--listen-tls-ca", identity.client_ca, "the certificates of authorities");
  }
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return {};
}

// HTTP/2 if the client can, else HTTP/1.1.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned offered_size, void*) {
  static const std::string ours = std::string(kHttp2) + std::string(kHttp1);
  const int found =
      SSL_select_next_proto(const_cast<unsigned char**>(chosen), size,
                            reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned>(ours.size()), offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
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

error_code Open(tcp::socket& socket, const tcp::endpoint& to, TunnelBuffers buffers) {
  error_code error;
  socket.open(to.protocol(), error);
  if (error) return error;
  socket.set_option(tcp::no_delay(true), error);
  if (buffers == TunnelBuffers::kRoomy) return {};
  socket.set_option(asio::socket_base::receive_buffer_size(kSocketBufferBytes), error);
  socket.set_option(asio::socket_base::send_buffer_size(kSocketBufferBytes), error);
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &kSegmentBytes, sizeof kSegmentBytes);
  return {};
}

// To the first address that accepts.
asio::awaitable<error_code> Connect(tcp::socket& socket, const std::vector<tcp::endpoint>& to,
                                    TunnelBuffers buffers) {
  error_code error = asio::error::host_not_found;
  for (const tcp::endpoint& one : to) {
    error_code ignored;
    socket.close(ignored);
    error = Open(socket, one, buffers);
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

// A connection of a client and its connection to the server, one of them with TLS.
struct Session {
  Session(tcp::socket client, ssl::context& context, bool client_uses_tls)
      : clients_use_tls(client_uses_tls),
        plain(client.get_executor()),
        secure(client.get_executor(), context) {
    (client_uses_tls ? secure.next_layer() : plain) = std::move(client);
  }
  const bool clients_use_tls;
  tcp::socket plain;
  Secure secure;

  void Break() {
    Reset(plain);
    Reset(secure.next_layer());
  }
};
// Owned by the coroutines for its two directions.
using SessionPtr = std::shared_ptr<Session>;

// Until `from`, one side of the session, ends, and then ends the other. `first`: already read.
template <typename From, typename To>
asio::awaitable<void> Carry(SessionPtr session, From& from, To& to, std::string first = {}) {
  std::array<char, kChunk> chunk;
  if (!first.empty()) {
    const auto [failed, written] =
        co_await asio::async_write(to, asio::buffer(first), kAwaitSecure);
    if (failed) co_return session->Break();
  }
  for (;;) {
    const auto [error, size] = co_await from.async_read_some(asio::buffer(chunk), kAwaitSecure);
    if (error == asio::error::eof || error == ssl::error::stream_truncated) {
      error_code ignored;
      to.lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
      co_return;
    }
    if (error) co_return session->Break();
    const auto [failed, written] =
        co_await asio::async_write(to, asio::buffer(chunk.data(), size), kAwaitSecure);
    if (failed) co_return session->Break();
  }
}

// The server of a tunnel.
struct Behind {
  Endpoint name;
  std::vector<tcp::endpoint> addresses;
  TunnelBuffers buffers = TunnelBuffers::kSharp;
};

asio::awaitable<void> Join(SessionPtr session, const Behind& server) {
  std::string first;
  if (!session->clients_use_tls) {
    // The client's first bytes determine the protocol to negotiate.
    first.resize(kChunk);
    const auto [error, size] =
        co_await session->plain.async_read_some(asio::buffer(first), kAwaitSecure);
    if (error) co_return session->Break();
    first.resize(size);
    Prepare(session->secure, server.name, first.starts_with("GET ") ? kHttp1 : kHttp2);
    tcp::socket& socket = session->secure.next_layer();
    if (co_await Connect(socket, server.addresses, server.buffers)) co_return session->Break();
  }
  const auto [refused] = co_await session->secure.async_handshake(
      session->clients_use_tls ? ssl::stream_base::server : ssl::stream_base::client, kAwaitSecure);
  if (refused) co_return session->Break();
  if (session->clients_use_tls &&
      co_await Connect(session->plain, server.addresses, server.buffers)) {
    co_return session->Break();
  }
  asio::co_spawn(session->plain.get_executor(), Carry(session, session->secure, session->plain),
                 asio::detached);
  co_await Carry(session, session->plain, session->secure, std::move(first));
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
  trial.error = co_await Connect(stream.next_layer(), to, TunnelBuffers::kSharp);
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

class Tunnel final : public TlsTunnel {
 public:
  Tunnel(const Endpoint& server, TunnelBuffers buffers) : server_{server, {}, buffers} {}
  ~Tunnel() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Begin(const Endpoint& listen, const ServerAccess& access) {
    WP_RETURN_IF_ERROR(Load(access, context_));
    context_.set_verify_mode(ssl::verify_peer);
    return Serve(listen);
  }
  Status Begin(const Endpoint& listen, const ListenIdentity& identity) {
    context_ = ssl::context(ssl::context::tls_server);
    WP_RETURN_IF_ERROR(Load(identity, context_));
    SSL_CTX_set_alpn_select_cb(context_.native_handle(), ChooseProtocol, nullptr);
    clients_use_tls_ = true;
    return Serve(listen);
  }

 private:
  Status Serve(const Endpoint& listen) {
    WP_ASSIGN_OR_RETURN(server_.addresses, Resolve(io_, server_.name));
    WP_ASSIGN_OR_RETURN(const auto own, Resolve(io_, listen));
    error_code error;
    acceptor_.open(own.front().protocol(), error);
    if (!error) {
      acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
      if (server_.buffers == TunnelBuffers::kSharp) {
        acceptor_.set_option(asio::socket_base::receive_buffer_size(kSocketBufferBytes), error);
        acceptor_.set_option(asio::socket_base::send_buffer_size(kSocketBufferBytes), error);
      }
      acceptor_.bind(own.front(), error);
    }
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return FromErrorCode(error).WithContext("a port for TLS on {}", listen.ToString());
    endpoint_ = {listen.host, acceptor_.local_endpoint(error).port()};
    asio::co_spawn(io_, Accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  asio::awaitable<void> Accept() {
    for (;;) {
      auto [error, client] = co_await acceptor_.async_accept(kAwaitSecure);
      if (error == asio::error::operation_aborted) co_return;
      if (error) continue;
      error_code ignored;
      client.set_option(tcp::no_delay(true), ignored);
      auto session = std::make_shared<Session>(std::move(client), context_, clients_use_tls_);
      asio::co_spawn(io_, Join(std::move(session), server_), asio::detached);
    }
  }

  Behind server_;
  bool clients_use_tls_ = false;
  asio::io_context io_{1};
  ssl::context context_{ssl::context::tls_client};
  tcp::acceptor acceptor_{io_};
  std::thread thread_;
};

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

Status CheckIdentity(const ListenIdentity& identity) {
  ssl::context context(ssl::context::tls_server);
  return Load(identity, context);
}

Result<std::unique_ptr<TlsTunnel>> TlsTunnel::Open(const std::string& listen_host,
                                                   const Endpoint& server,
                                                   const ServerAccess& access,
                                                   TunnelBuffers buffers) {
  auto tunnel = std::make_unique<Tunnel>(server, buffers);
  WP_RETURN_IF_ERROR(tunnel->Begin({listen_host, 0}, access));
  return tunnel;
}

Result<std::unique_ptr<TlsTunnel>> TlsTunnel::OpenForClients(const Endpoint& listen,
                                                             const Endpoint& server,
                                                             const ListenIdentity& identity,
                                                             TunnelBuffers buffers) {
  auto tunnel = std::make_unique<Tunnel>(server, buffers);
  WP_RETURN_IF_ERROR(tunnel->Begin(listen, identity));
  return tunnel;
}

}  // namespace watchproof
