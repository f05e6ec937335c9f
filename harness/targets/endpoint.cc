// SPDX-License-Identifier: Apache-2.0
// A server that is already running and that others may use: it is never stopped, killed or started,
// and its history is never compacted unless its owner has allowed that by name.
#include <algorithm>

#include "harness/targets/probe.h"
#include "harness/targets/probe_endpoint.h"
#include "harness/targets/tls_tunnel.h"

namespace watchproof {
namespace {

// It runs already or it does not; waiting long would only hide a wrong address.
constexpr Duration kAnswerLimit = 5s;
constexpr Duration kTlsLimit = 2s;

class EndpointTarget final : public Target {
 public:
  explicit EndpointTarget(const TargetSpec& spec)
      : server_{spec.server->host, spec.server->port},
        access_(spec.access),
        tls_(spec.server->tls.value_or(!access_.ca.empty() || !access_.certificate.empty())),
        disruptive_(spec.IsAmong(spec.allow_disruptive)),
        endpoint_(server_) {}

  Status Start(const StartOptions& options) override {
    // Each answer has its own limit: a busy server takes long even to check a password.
    const auto patience = [&] {
      return Within(std::min(kAnswerLimit, options.deadline.remaining()));
    };
    if (tls_) {
      WP_RETURN_IF_ERROR(CheckTls(server_, access_, patience()));
      WP_ASSIGN_OR_RETURN(tunnel_, TlsTunnel::Open(options.host, server_, access_));
      endpoint_ = tunnel_->endpoint();
      endpoint_.known_as = server_.ToString();
    }
    auto token = LogIn(endpoint_, access_, patience());
    // If there was no answer, a better error follows below.
    if (!token.has_value() && token.error().code() == StatusCode::kUnauthenticated) {
      return token.error().WithContext("{}", server_.ToString());
    }
    if (token.has_value()) token_ = *std::move(token);
    Result<ServerStatus> answer = AskStatus(endpoint_, patience(), token_);
    if (!token.has_value() && (answer.has_value() || NeedsOtherUser(answer.error().code()))) {
      return token.error().WithContext("{} did not answer when user {} logged in",
                                       server_.ToString(), access_.user);
    }
    if (answer.has_value() || NeedsOtherUser(answer.error().code())) {
      if (answer.has_value()) version_ = answer->version;
      // etcd has Status for root alone since 3.5.30 and 3.6.
      if (version_.empty()) version_ = FetchVersion(endpoint_, patience()).value_or("");
      return CheckServes(endpoint_, token_, patience()).WithContext("{}", server_.ToString());
    }
    if (!tls_ && UsesTls(server_, Within(kTlsLimit))) {
      return Fail(StatusCode::kUnauthenticated,
                  "{} uses TLS; name it as endpoint:https://{}, and the authority of its "
                  "certificate with --tls-ca FILE",
                  server_.ToString(), server_.ToString());
    }
    return Fail(StatusCode::kUnavailable,
                "no server with etcd's API answers on {}; expected one that is already running "
                "there ({})",
                server_.ToString(), answer.error().message());
  }
  std::string token() const override { return token_; }
  Endpoint endpoint() const override { return endpoint_; }
  std::string version() const override { return version_; }
  Result<Metrics> ReadMetrics() override { return FetchMetrics(endpoint_, Within(2s)); }
  bool shared() const override { return true; }
  bool may_compact() const override { return disruptive_; }
  // Not a child process, so its end cannot be observed.
  std::optional<ExitState> died() const override { return std::nullopt; }
  std::string LastWords() const override { return {}; }
  void Stop() override { tunnel_.reset(); }

 private:
  const Endpoint server_;
  const ServerAccess access_;
  const bool tls_;
  const bool disruptive_;
  std::unique_ptr<TlsTunnel> tunnel_;
  Endpoint endpoint_;  // where clients connect: the server, or the tunnel to it
  std::string token_;
  std::string version_;
};

Status ParseEndpoint(std::string_view rest, TargetSpec& spec) {
  if (rest.size() < 2 || rest[0] != ':') return NotUnderstood(spec);
  Result<ServerAddress> address = ParseServerAddress(rest.substr(1));
  if (!address.has_value()) return address.error().WithContext("target \"{}\"", spec.text);
  spec.server = *std::move(address);
  // It has the release that it reports.
  spec.product = "etcd";
  spec.name = "endpoint";
  spec.make = [](const TargetSpec& made) { return std::make_unique<EndpointTarget>(made); };
  return {};
}

const TargetRegistration kEndpoint{{
    .info = {.name = "endpoint",
             .grammar = "endpoint:HOST:PORT or endpoint:https://HOST:PORT",
             .explain = "A server that is already running and that others may use: it is never "
                        "stopped, killed or started, keys are written under a random prefix and "
                        "deleted at the end, and nothing is compacted unless --allow-disruptive "
                        "names the server."},
    .parse = ParseEndpoint,
}};

}  // namespace
}  // namespace watchproof
