// SPDX-License-Identifier: Apache-2.0
// Clients use TLS. With it etcd serves gRPC through another HTTP/2 server, which has its own flow
// control and order of streams. The certificates are removed with the data of the server. Where
// clients need one, too, that of a user is shown by a tunnel of its own.
#include <map>

#include "fixtures/certs/throwaway_authority.h"
#include "harness/targets/tls_tunnel.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

class Tls final : public Topology {
 public:
  Status Prepare(const ServerPlace& place, std::vector<std::string>& arguments) override {
    WP_RETURN_IF_ERROR(Topology::Prepare(place, arguments));
    ca_ = place.data / "ca.pem";
    WP_RETURN_IF_ERROR(WriteFile(ca_, authority_.certificate()));
    WP_ASSIGN_OR_RETURN(const ServerAccess own,
                        Issue("server", {.common_name = "etcd", .hosts = {place.host}}));
    arguments.insert(arguments.end(), {"--cert-file", own.certificate, "--key-file", own.key});
    ServerAccess access{.ca = ca_.string()};
    if (place.certificates) {
      arguments.insert(arguments.end(), {"--client-cert-auth", "--trusted-ca-file", ca_.string()});
      WP_ASSIGN_OR_RETURN(access, Issue("client", {.common_name = kNoUser}));
    }
    WP_ASSIGN_OR_RETURN(tunnel_, Tunnel(access));
    return {};
  }
  bool secure() const override { return true; }
  Endpoint Direct() const override { return tunnel_->endpoint(); }
  Result<Endpoint> EndpointOf(const std::string& user) override {
    if (!place().certificates) return Topology::EndpointOf(user);
    if (user.empty()) return Direct();
    std::unique_ptr<TlsTunnel>& tunnel = of_users_[user];
    if (tunnel == nullptr) {
      const std::string file = fmt::format("user-{}", of_users_.size());
      WP_ASSIGN_OR_RETURN(const ServerAccess access, Issue(file, {.common_name = user}));
      WP_ASSIGN_OR_RETURN(tunnel, Tunnel(access));
    }
    return tunnel->endpoint();
  }
  void Stop() override {
    of_users_.clear();
    tunnel_.reset();
  }

 private:
  static constexpr const char* kNoUser = "a name that the server does not know";

  // Writes it with its key, under that name.
  Result<ServerAccess> Issue(const std::string& file, const LeafOptions& options) const {
    const PemPair pair = authority_.Issue(options);
    ServerAccess access{.ca = ca_.string(),
                        .certificate = (place().data / (file + ".pem")).string(),
                        .key = (place().data / (file + "-key.pem")).string()};
    WP_RETURN_IF_ERROR(WriteFile(access.certificate, pair.certificate));
    WP_RETURN_IF_ERROR(WriteFile(access.key, pair.key));
    return access;
  }
  Result<std::unique_ptr<TlsTunnel>> Tunnel(const ServerAccess& access) const {
    return TlsTunnel::Open(place().host, {place().host, place().port}, access);
  }

  const ThrowawayAuthority authority_{"watchproof"};
  std::filesystem::path ca_;
  std::unique_ptr<TlsTunnel> tunnel_;
  std::map<std::string, std::unique_ptr<TlsTunnel>> of_users_;
};

const TopologyRegistration kTls{
    {.name = "tls", .form = "tls", .explain = "clients connect over TLS", .make = [] {
       return std::unique_ptr<Topology>(new Tls);
     }}};

}  // namespace
}  // namespace watchproof
