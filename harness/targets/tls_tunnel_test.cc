// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/tls_tunnel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "embedded_store/server/store_server.h"
#include "fixtures/certs/throwaway_authority.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_endpoint.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// A store that requires a client certificate, one that does not, and one without TLS.
class Tls : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    Write("server", authority_.Issue({.common_name = "server", .hosts = {"127.0.0.1"}}));
    Write("client", authority_.Issue({.common_name = "client"}));
    Write("unknown", other_.Issue({.common_name = "unknown"}));
    std::ofstream(folder_ / "ca.crt") << authority_.certificate();
    std::ofstream(folder_ / "other.crt") << other_.certificate();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const PemPair& pair) {
    std::ofstream(folder_ / (name + ".crt")) << pair.certificate;
    std::ofstream(folder_ / (name + ".key")) << pair.key;
  }
  std::string File(const std::string& name) const { return (folder_ / name).string(); }
  ServerAccess With(const std::string& ca, const std::string& client = {}) const {
    ServerAccess access{.ca = File(ca)};
    if (client.empty()) return access;
    access.certificate = File(client + ".crt");
    access.key = File(client + ".key");
    return access;
  }
  static TargetSpec SpecOf(const std::string& endpoint, const ServerAccess& access) {
    TargetSpec spec = ParseTargetSpec("endpoint:" + endpoint).value();
    spec.access = access;
    return spec;
  }
  std::unique_ptr<store::StoreServer> Serve(bool demands) const {
    store::StoreOptions options{.port = 0, .http_port = 0, .etcd_version = "7.8.9"};
    options.tls.cert_file = File("server.crt");
    options.tls.key_file = File("server.key");
    if (demands) options.tls.trusted_ca_file = File("ca.crt");
    return store::StoreServer::Start(options).value();
  }
  static Status Start(const TargetSpec& spec) {
    return MakeTarget(spec).value()->Start({.host = "127.0.0.1", .folder = {}});
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-tls-{}", getpid());
  const ThrowawayAuthority authority_{"ours"};
  const ThrowawayAuthority other_{"theirs"};
};

TEST_F(Tls, OnlyTheTunnelUsesTls) {
  const auto server = Serve(true);
  const TargetSpec spec = SpecOf("https://" + server->endpoint(), With("ca.crt", "client"));
  const auto target = MakeTarget(spec).value();
  const Status started = target->Start({.host = "127.0.0.1", .folder = {}});
  ASSERT_TRUE(started.ok()) << started.message();
  EXPECT_EQ(target->version(), "7.8.9");
  EXPECT_NE(target->endpoint().ToString(), server->endpoint());
  EXPECT_TRUE(AskStatus(target->endpoint(), Within(5s)).has_value());
}

TEST_F(Tls, IsImpliedByAnAuthority) {
  const auto server = Serve(false);
  const Status started = Start(SpecOf(server->endpoint(), With("ca.crt")));
  EXPECT_TRUE(started.ok()) << started.message();
}

TEST_F(Tls, ErrorNamesTheMissingFlag) {
  const auto demanding = Serve(true);
  const std::string& address = demanding->endpoint();
  EXPECT_THAT(Start(SpecOf(address, {})).message(), HasSubstr("endpoint:https://" + address));
  EXPECT_THAT(Start(SpecOf(address, With("ca.crt"))).message(), HasSubstr("--tls-cert FILE"));
  EXPECT_THAT(Start(SpecOf(address, With("other.crt", "client"))).message(),
              HasSubstr("is not to be trusted"));
  EXPECT_THAT(Start(SpecOf(address, With("ca.crt", "unknown"))).message(),
              HasSubstr("the certificate of --tls-cert"));
}

TEST_F(Tls, RejectsFilesWithOtherContent) {
  const auto server = Serve(false);
  const Status useless = Start(SpecOf(server->endpoint(), With("client.key")));
  EXPECT_EQ(useless.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(useless.message(), HasSubstr("--tls-ca"));
}

TEST_F(Tls, ErrorForAServerWithoutTls) {
  const auto server = store::StoreServer::Start({.port = 0, .http_port = 0}).value();
  const Status started = Start(SpecOf("https://" + server->endpoint(), With("ca.crt")));
  EXPECT_EQ(started.code(), StatusCode::kUnavailable);
  EXPECT_THAT(started.message(), HasSubstr("endpoint:http://"));
  EXPECT_FALSE(UsesTls({"127.0.0.1", ParseServerAddress(server->endpoint())->port}, Within(2s)));
}

// A client of TLS reaches a store without, through two tunnels.
TEST_F(Tls, ForClientsShowsACertificateAndAsksForOne) {
  const auto server = store::StoreServer::Start({.port = 0, .http_port = 0}).value();
  const Endpoint behind{"127.0.0.1", ParseServerAddress(server->endpoint())->port};
  ListenIdentity identity{.certificate = File("server.crt"), .key = File("server.key")};
  const auto open = [&] {
    return TlsTunnel::OpenForClients({"127.0.0.1", 0}, behind, identity, TunnelBuffers::kRoomy);
  };
  const auto lenient = open().value();
  const ServerAccess anyone = With("ca.crt");
  const Status reached = CheckTls(lenient->endpoint(), anyone, Within(5s));
  EXPECT_TRUE(reached.ok()) << reached.message();
  const auto client = TlsTunnel::Open("127.0.0.1", lenient->endpoint(), anyone).value();
  EXPECT_TRUE(AskStatus(client->endpoint(), Within(5s)).has_value());

  identity.client_ca = File("ca.crt");
  const auto strict = open().value();
  EXPECT_THAT(CheckTls(strict->endpoint(), anyone, Within(5s)).message(),
              HasSubstr("requires a client certificate"));
  EXPECT_TRUE(CheckTls(strict->endpoint(), With("ca.crt", "client"), Within(5s)).ok());
  EXPECT_FALSE(CheckTls(strict->endpoint(), With("ca.crt", "unknown"), Within(5s)).ok());

  identity.key = File("client.key");
  EXPECT_THAT(open().error().message(), HasSubstr("--listen-tls-key"));
}

// What LookAt reports about the keys on a server.
TEST(LookAt, RecognisesTheKeysOfKubernetes) {
  const auto server = store::StoreServer::Start({.port = 0, .http_port = 0}).value();
  const TargetSpec spec = ParseTargetSpec("endpoint:" + server->endpoint()).value();
  EXPECT_FALSE(LookAt(spec, Within(5s))->kubernetes);
  EXPECT_EQ(Sweep(spec, "watchproof/x/", Within(5s)).value(), 0);
}

}  // namespace
}  // namespace watchproof
