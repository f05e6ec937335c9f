// SPDX-License-Identifier: Apache-2.0
// Clients use TLS. With it etcd serves gRPC through another HTTP/2 server, which has its own flow
// control and order of streams. The certificates are removed with the data of the server.
#include "fixtures/certs/throwaway_authority.h"
#include "harness/targets/tls_tunnel.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

class Tls final : public Topology {
 public:
  Status Prepare(const ServerPlace& place, std::vector<std::string>& arguments) override {
    WP_RETURN_IF_ERROR(Topology::Prepare(place, arguments));
    const std::filesystem::path ca = place.data / "ca.pem";
    const std::filesystem::path certificate = place.data / "server.pem";
    const std::filesystem::path key = place.data / "server-key.pem";
    const ThrowawayAuthority authority("watchproof");
    const PemPair pair = authority.Issue({.common_name = "etcd", .hosts = {place.host}});
    WP_RETURN_IF_ERROR(WriteFile(ca, authority.certificate()));
    WP_RETURN_IF_ERROR(WriteFile(certificate, pair.certificate));
    WP_RETURN_IF_ERROR(WriteFile(key, pair.key));
    arguments.insert(arguments.end(),
                     {"--cert-file", certificate.string(), "--key-file", key.string()});
    WP_ASSIGN_OR_RETURN(tunnel_,
                        TlsTunnel::Open(place.host, {place.host, place.port}, {.ca = ca.string()}));
    return {};
  }
  bool secure() const override { return true; }
  Endpoint Direct() const override { return tunnel_->endpoint(); }
  void Stop() override { tunnel_.reset(); }

 private:
  std::unique_ptr<TlsTunnel> tunnel_;
};

const TopologyRegistration kTls{
    {.name = "tls", .form = "tls", .explain = "clients connect over TLS", .make = [] {
       return std::unique_ptr<Topology>(new Tls);
     }}};

}  // namespace
}  // namespace watchproof
