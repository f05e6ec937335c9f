// SPDX-License-Identifier: Apache-2.0
// TLS and mutual TLS on both ports, and the errors for files that cannot be used.
#include <boost/asio/ssl.hpp>
#include <filesystem>
#include <fstream>

#include "embedded_store/server/call_fixture.h"
#include "embedded_store/server/server_fixture.h"
#include "fixtures/certs/throwaway_authority.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"

namespace watchproof::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const ThrowawayAuthority& Authority() {
  static const ThrowawayAuthority authority("test authority");
  return authority;
}
const ThrowawayAuthority& AnotherAuthority() {
  static const ThrowawayAuthority authority("another authority");
  return authority;
}

// Files of one test, gone with it.
class Tls : public testing::Test {
 protected:
  Tls() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::path(testing::TempDir()) / fmt::format("watchproof-tls-{}-{}", test->name(), getpid());
    fs::create_directories(folder_);
    WritePair("server", Authority().Issue({.common_name = "server", .hosts = {"127.0.0.1"}}));
    files_ = {.cert_file = Path("server.crt"), .key_file = Path("server.key")};
  }
  ~Tls() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return Path(name);
  }
  void WritePair(const std::string& name, const PemPair& pair) {
    Write(name + ".crt", pair.certificate);
    Write(name + ".key", pair.key);
  }
  void TrustClients() { files_.trusted_ca_file = Write("ca.crt", Authority().certificate()); }
  void Serve() {
    auto started = StoreServer::Start(
        {.port = 0, .http_port = 0, .auth = {.password_price = {.log2 = 1}}, .tls = files_});
    ASSERT_TRUE(started.has_value()) << started.error().message();
    server_ = *std::move(started);
  }
  std::shared_ptr<grpc::Channel> Connect(const ThrowawayAuthority& trusted,
                                         const PemPair& own = {}) {
    return grpc::CreateChannel(
        server_->endpoint(),
        grpc::SslCredentials({trusted.certificate(), own.key, own.certificate}));
  }
  // "ok", or the name of the code: what a put comes to without waiting for a better connection.
  static grpc::StatusCode TryPut(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 20s);
    pb::PutRequest request;
    request.set_key("k");
    pb::PutResponse response;
    return pb::KV::NewStub(channel)->Put(&context, request, &response).error_code();
  }
  // The page, or empty when there was no handshake.
  std::string FetchSecurely(const PemPair& own = {}) {
    namespace asio = boost::asio;
    asio::io_context io;
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.add_certificate_authority(asio::buffer(Authority().certificate()));
    context.set_verify_mode(asio::ssl::verify_peer);
    if (!own.key.empty()) {
      context.use_certificate(asio::buffer(own.certificate), asio::ssl::context::pem);
      context.use_private_key(asio::buffer(own.key), asio::ssl::context::pem);
    }
    asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
    const std::string endpoint = server_->http_endpoint();
    const auto port =
        static_cast<asio::ip::port_type>(std::stoi(endpoint.substr(endpoint.find(':') + 1)));
    stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
    boost::system::error_code error;
    stream.handshake(asio::ssl::stream_base::client, error);
    const std::string request = "GET /health HTTP/1.0\r\n\r\n";
    if (!error) asio::write(stream, asio::buffer(request), error);
    std::string page;
    asio::read(stream, asio::dynamic_buffer(page), error);
    return page;
  }

  fs::path folder_;
  TlsFiles files_;
  std::unique_ptr<StoreServer> server_;
};

TEST_F(Tls, ServesClientsThatTrustItsAuthority) {
  Serve();
  EXPECT_EQ(TryPut(Connect(Authority())), grpc::OK);
  EXPECT_EQ(TryPut(Connect(AnotherAuthority())), grpc::UNAVAILABLE);
  EXPECT_EQ(TryPut(grpc::CreateChannel(server_->endpoint(), grpc::InsecureChannelCredentials())),
            grpc::UNAVAILABLE);
}

TEST_F(Tls, CoversTheHttpPagesToo) {
  Serve();
  EXPECT_THAT(FetchSecurely(), HasSubstr(R"({"health":"true")"));
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/health"), testing::Not(HasSubstr("health")));
}

TEST_F(Tls, AcceptsOnlyClientsOfTheTrustedAuthority) {
  TrustClients();
  Serve();
  const PemPair known = Authority().Issue({.common_name = "client"});
  const PemPair unknown = AnotherAuthority().Issue({.common_name = "client"});
  const PemPair late = Authority().Issue({.common_name = "client", .expired = true});
  EXPECT_EQ(TryPut(Connect(Authority(), known)), grpc::OK);
  EXPECT_EQ(TryPut(Connect(Authority())), grpc::UNAVAILABLE);
  EXPECT_EQ(TryPut(Connect(Authority(), unknown)), grpc::UNAVAILABLE);
  EXPECT_EQ(TryPut(Connect(Authority(), late)), grpc::UNAVAILABLE);
  EXPECT_THAT(FetchSecurely(known), HasSubstr("health"));
  EXPECT_EQ(FetchSecurely(), "");
  EXPECT_EQ(FetchSecurely(unknown), "");
}

// Enables auth, with root and one user without a password that may read and write k.
void EnableAuth(const std::shared_ptr<grpc::Channel>& channel) {
  const auto auth = pb::Auth::NewStub(channel);
  for (const std::string name : {"root", "gadget"}) {
    pb::AuthUserAddRequest user;
    user.set_name(name);
    user.mutable_options()->set_no_password(true);
    ASSERT_EQ(Call(*auth, &pb::Auth::Stub::UserAdd, user).text(), "ok");
  }
  pb::AuthRoleAddRequest role;
  role.set_name("some");
  ASSERT_EQ(Call(*auth, &pb::Auth::Stub::RoleAdd, role).text(), "ok");
  pb::AuthRoleGrantPermissionRequest right;
  right.set_name("some");
  right.mutable_perm()->set_permtype(authpb::Permission::READWRITE);
  right.mutable_perm()->set_key("k");
  ASSERT_EQ(Call(*auth, &pb::Auth::Stub::RoleGrantPermission, right).text(), "ok");
  pb::AuthUserGrantRoleRequest grant;
  grant.set_user("root");
  grant.set_role("root");
  ASSERT_EQ(Call(*auth, &pb::Auth::Stub::UserGrantRole, grant).text(), "ok");
  grant.set_user("gadget");
  grant.set_role("some");
  ASSERT_EQ(Call(*auth, &pb::Auth::Stub::UserGrantRole, grant).text(), "ok");
  ASSERT_EQ(Call(*auth, &pb::Auth::Stub::AuthEnable, {}).text(), "ok");
}

TEST_F(Tls, IdentifiesUsersByCommonNameUnderMutualTls) {
  TrustClients();
  files_.client_cert_auth = true;
  Serve();
  const auto gadget = Connect(Authority(), Authority().Issue({.common_name = "gadget"}));
  const auto guest = Connect(Authority(), Authority().Issue({.common_name = "guest"}));
  const auto root = Connect(Authority(), Authority().Issue({.common_name = "root"}));
  EnableAuth(root);
  EXPECT_EQ(TryPut(gadget), grpc::OK);
  EXPECT_EQ(TryPut(guest), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Call(*pb::Auth::NewStub(gadget), &pb::Auth::Stub::UserList, {}).text(),
            "etcdserver: permission denied");
  EXPECT_EQ(Call(*pb::Auth::NewStub(root), &pb::Auth::Stub::UserList, {}).text(), "ok");
}

TEST_F(Tls, IgnoresCommonNamesOtherwise) {
  TrustClients();
  Serve();
  const auto root = Connect(Authority(), Authority().Issue({.common_name = "root"}));
  EnableAuth(root);
  EXPECT_EQ(Call(*pb::Auth::NewStub(root), &pb::Auth::Stub::UserList, {}).text(),
            "etcdserver: user name is empty");
}

TEST_F(Tls, NamesTheFileThatCannotBeUsed) {
  const std::string empty = Write("empty", "");
  const std::string prose = Write("prose", "not a certificate\n");
  WritePair("other", Authority().Issue({.common_name = "other"}));
  const std::string cert = files_.cert_file;
  const std::string key = files_.key_file;
  const std::string absent = Path("absent");
  struct Row {
    TlsFiles files;
    std::vector<std::string> said;
  };
  const Row rows[] = {
      {{.cert_file = cert}, {"--cert-file and --key-file go together"}},
      {{.key_file = key}, {"--cert-file and --key-file go together"}},
      {{.trusted_ca_file = cert}, {"--trusted-ca-file needs --cert-file"}},
      {{.cert_file = cert, .key_file = key, .client_cert_auth = true},
       {"--client-cert-auth needs --trusted-ca-file"}},
      {{.cert_file = absent, .key_file = key}, {"--cert-file", absent, "No such file"}},
      {{.cert_file = cert, .key_file = absent}, {"--key-file", absent, "No such file"}},
      {{.cert_file = empty, .key_file = key}, {"--cert-file", empty, "empty"}},
      {{.cert_file = folder_, .key_file = key}, {"--cert-file", folder_, "directory"}},
      {{.cert_file = prose, .key_file = key}, {"--cert-file", prose, "no certificate"}},
      {{.cert_file = cert, .key_file = cert}, {"--key-file", cert, "no private key"}},
      {{.cert_file = cert, .key_file = Path("other.key")}, {"other.key", "is not that of", cert}},
      {{.cert_file = cert, .key_file = key, .trusted_ca_file = prose},
       {"--trusted-ca-file", prose, "no certificate"}},
      {{.cert_file = cert, .key_file = key, .trusted_ca_file = absent},
       {"--trusted-ca-file", absent}},
  };
  for (const Row& row : rows) {
    const auto server = StoreServer::Start({.port = 0, .http_port = 0, .tls = row.files});
    ASSERT_FALSE(server.has_value()) << row.said.front();
    for (const std::string& said : row.said) {
      EXPECT_THAT(server.error().message(), HasSubstr(said));
    }
  }
}

}  // namespace
}  // namespace watchproof::store
