// SPDX-License-Identifier: Apache-2.0
// The errors of users, roles and rights, with etcd's codes and texts, each provoked over the wire:
// first with auth off, then with auth on.
//
// Runs against a store server of its own, or against WATCHPROOF_TEST_ENDPOINT, so that a real etcd
// can confirm the table: a 3.5.28 or newer, in which only root may compact, without users. Rows
// share one server.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "embedded_store/server/call_fixture.h"
#include "embedded_store/server/error_table_fixture.h"
#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {
namespace {

namespace pb = etcdserverpb;

constexpr char kEmptyName[] = "etcdserver: user name is empty";
constexpr char kDenied[] = "etcdserver: permission denied";
constexpr char kNoUser[] = "etcdserver: user name not found";
constexpr char kNoRole[] = "etcdserver: role name not found";
constexpr char kAuthFailed[] = "etcdserver: authentication failed, invalid user ID or password";
constexpr char kNotManaged[] = "etcdserver: invalid auth management";

// One server and the calls that the rows make.
class Desk {
 public:
  Desk() : server_(CheapPasswords()) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    const auto channel = grpc::CreateCustomChannel(server_.endpoint(),
                                                   grpc::InsecureChannelCredentials(), arguments);
    kv = pb::KV::NewStub(channel);
    lease = pb::Lease::NewStub(channel);
    auth = pb::Auth::NewStub(channel);
  }

  grpc::Status AddUser(const std::string& name) {
    pb::AuthUserAddRequest request;
    request.set_name(name);
    request.set_password(name);
    return Call(*auth, &pb::Auth::Stub::UserAdd, request, root).status;
  }
  grpc::Status DeleteUser(const std::string& name) {
    pb::AuthUserDeleteRequest request;
    request.set_name(name);
    return Call(*auth, &pb::Auth::Stub::UserDelete, request, root).status;
  }
  grpc::Status AddRole(const std::string& name) {
    pb::AuthRoleAddRequest request;
    request.set_name(name);
    return Call(*auth, &pb::Auth::Stub::RoleAdd, request, root).status;
  }
  grpc::Status DeleteRole(const std::string& name) {
    pb::AuthRoleDeleteRequest request;
    request.set_role(name);
    return Call(*auth, &pb::Auth::Stub::RoleDelete, request, root).status;
  }
  grpc::Status GrantRole(const std::string& user, const std::string& role) {
    pb::AuthUserGrantRoleRequest request;
    request.set_user(user);
    request.set_role(role);
    return Call(*auth, &pb::Auth::Stub::UserGrantRole, request, root).status;
  }
  grpc::Status RevokeRole(const std::string& user, const std::string& role) {
    pb::AuthUserRevokeRoleRequest request;
    request.set_name(user);
    request.set_role(role);
    return Call(*auth, &pb::Auth::Stub::UserRevokeRole, request, root).status;
  }
  // To read and write one key.
  grpc::Status GrantKey(const std::string& role, const std::string& key) {
    pb::AuthRoleGrantPermissionRequest request;
    request.set_name(role);
    request.mutable_perm()->set_permtype(authpb::Permission::READWRITE);
    request.mutable_perm()->set_key(key);
    return Call(*auth, &pb::Auth::Stub::RoleGrantPermission, request, root).status;
  }
  grpc::Status RevokeKey(const std::string& role, const std::string& key) {
    pb::AuthRoleRevokePermissionRequest request;
    request.set_role(role);
    request.set_key(key);
    return Call(*auth, &pb::Auth::Stub::RoleRevokePermission, request, root).status;
  }
  grpc::Status Enable() { return Call(*auth, &pb::Auth::Stub::AuthEnable, {}).status; }
  Reply<pb::AuthenticateResponse> LogIn(const std::string& name, const std::string& password) {
    pb::AuthenticateRequest request;
    request.set_name(name);
    request.set_password(password);
    return Call(*auth, &pb::Auth::Stub::Authenticate, request);
  }
  grpc::Status Put(const std::string& key, const As& as, std::int64_t lease_id = 0) {
    pb::PutRequest request;
    request.set_key(key);
    request.set_lease(lease_id);
    return Call(*kv, &pb::KV::Stub::Put, request, as).status;
  }
  grpc::Status Range(const std::string& key, const std::string& end, const As& as) {
    pb::RangeRequest request;
    request.set_key(key);
    request.set_range_end(end);
    return Call(*kv, &pb::KV::Stub::Range, request, as).status;
  }

  std::unique_ptr<pb::KV::Stub> kv;
  std::unique_ptr<pb::Lease::Stub> lease;
  std::unique_ptr<pb::Auth::Stub> auth;
  As root{};   // the administrator
  As alice{};  // may use only the key "a"

 private:
  static StoreOptions CheapPasswords() {
    StoreOptions options;
    options.auth.password_price.log2 = 1;
    return options;
  }

  AskedServer server_;
};

using Row = ErrorRow<Desk>;

// There are a user "bob" and a role "some", which bob does not have.
const Row kAuthOff[] = {
    {"EnableWithoutRoot", grpc::FAILED_PRECONDITION, "etcdserver: root user does not exist",
     [](Desk& desk) { return desk.Enable(); }},
    {"EnableWithoutRolesOfRoot", grpc::FAILED_PRECONDITION,
     "etcdserver: root user does not have root role",
     [](Desk& desk) {
       EXPECT_TRUE(desk.AddUser("root").ok());
       const grpc::Status refused = desk.Enable();
       EXPECT_TRUE(desk.DeleteUser("root").ok());
       return refused;
     }},
    {"LogInWithAuthOff", grpc::FAILED_PRECONDITION, "etcdserver: authentication is not enabled",
     [](Desk& desk) { return desk.LogIn("bob", "bob").status; }},
    {"AddUserTwice", grpc::FAILED_PRECONDITION, "etcdserver: user name already exists",
     [](Desk& desk) { return desk.AddUser("bob"); }},
    {"AddUserWithoutName", grpc::INVALID_ARGUMENT, kEmptyName,
     [](Desk& desk) { return desk.AddUser(""); }},
    {"DeleteUnknownUser", grpc::FAILED_PRECONDITION, kNoUser,
     [](Desk& desk) { return desk.DeleteUser("carol"); }},
    {"AskForUnknownUser", grpc::FAILED_PRECONDITION, kNoUser,
     [](Desk& desk) {
       pb::AuthUserGetRequest request;
       request.set_name("carol");
       return Call(*desk.auth, &pb::Auth::Stub::UserGet, request).status;
     }},
    {"ChangePasswordOfUnknownUser", grpc::FAILED_PRECONDITION, kNoUser,
     [](Desk& desk) {
       pb::AuthUserChangePasswordRequest request;
       request.set_name("carol");
       request.set_password("new");
       return Call(*desk.auth, &pb::Auth::Stub::UserChangePassword, request).status;
     }},
    {"GrantRoleToUnknownUser", grpc::FAILED_PRECONDITION, kNoUser,
     [](Desk& desk) { return desk.GrantRole("carol", "some"); }},
    {"GrantUnknownRole", grpc::FAILED_PRECONDITION, kNoRole,
     [](Desk& desk) { return desk.GrantRole("bob", "none"); }},
    {"RevokeRoleOfUnknownUser", grpc::FAILED_PRECONDITION, kNoUser,
     [](Desk& desk) { return desk.RevokeRole("carol", "some"); }},
    {"RevokeRoleThatWasNotGranted", grpc::FAILED_PRECONDITION,
     "etcdserver: role is not granted to the user",
     [](Desk& desk) { return desk.RevokeRole("bob", "some"); }},
    {"AddRoleTwice", grpc::FAILED_PRECONDITION, "etcdserver: role name already exists",
     [](Desk& desk) { return desk.AddRole("some"); }},
    {"AddRoleWithoutName", grpc::INVALID_ARGUMENT, "etcdserver: role name is empty",
     [](Desk& desk) { return desk.AddRole(""); }},
    {"DeleteUnknownRole", grpc::FAILED_PRECONDITION, kNoRole,
     [](Desk& desk) { return desk.DeleteRole("none"); }},
    {"AskForUnknownRole", grpc::FAILED_PRECONDITION, kNoRole,
     [](Desk& desk) {
       pb::AuthRoleGetRequest request;
       request.set_role("none");
       return Call(*desk.auth, &pb::Auth::Stub::RoleGet, request).status;
     }},
    {"GrantKeyToUnknownRole", grpc::FAILED_PRECONDITION, kNoRole,
     [](Desk& desk) { return desk.GrantKey("none", "k"); }},
    {"GrantNothing", grpc::INVALID_ARGUMENT, "etcdserver: permission not given",
     [](Desk& desk) {
       pb::AuthRoleGrantPermissionRequest request;
       request.set_name("some");
       return Call(*desk.auth, &pb::Auth::Stub::RoleGrantPermission, request).status;
     }},
    {"RevokeKeyOfUnknownRole", grpc::FAILED_PRECONDITION, kNoRole,
     [](Desk& desk) { return desk.RevokeKey("none", "k"); }},
    {"RevokeKeyThatWasNotGranted", grpc::FAILED_PRECONDITION,
     "etcdserver: permission is not granted to the role",
     [](Desk& desk) { return desk.RevokeKey("some", "never"); }},
};

const Row kAuthOn[] = {
    {"PutWithoutUser", grpc::INVALID_ARGUMENT, kEmptyName,
     [](Desk& desk) { return desk.Put("a", {}); }},
    {"PutWithAForgedToken", grpc::UNAUTHENTICATED, "etcdserver: invalid auth token",
     [](Desk& desk) { return desk.Put("a", {.token = "made.1"}); }},
    {"PutWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) { return desk.Put("b", desk.alice); }},
    {"RangeWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) { return desk.Range("b", "", desk.alice); }},
    {"RangeBeyondRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) { return desk.Range("a", "b", desk.alice); }},
    {"OpenRangeBeyondRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) { return desk.Range("a", std::string(1, '\0'), desk.alice); }},
    {"DeleteWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::DeleteRangeRequest request;
       request.set_key("b");
       return Call(*desk.kv, &pb::KV::Stub::DeleteRange, request, desk.alice).status;
     }},
    {"TxnWithoutRightInTheBranchNotTaken", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::TxnRequest request;
       request.add_failure()->mutable_request_range()->set_key("b");
       return Call(*desk.kv, &pb::KV::Stub::Txn, request, desk.alice).status;
     }},
    {"TxnComparingWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::TxnRequest request;
       request.add_compare()->set_key("b");
       return Call(*desk.kv, &pb::KV::Stub::Txn, request, desk.alice).status;
     }},
    {"PutOnALeaseOfAnothersKeys", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) { return desk.Put("a", desk.alice, 11); }},
    {"RevokeALeaseOfAnothersKeys", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::LeaseRevokeRequest request;
       request.set_id(11);
       return Call(*desk.lease, &pb::Lease::Stub::LeaseRevoke, request, desk.alice).status;
     }},
    {"KeysOfALeaseOfAnother", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::LeaseTimeToLiveRequest request;
       request.set_id(11);
       request.set_keys(true);
       return Call(*desk.lease, &pb::Lease::Stub::LeaseTimeToLive, request, desk.alice).status;
     }},
    {"CompactWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::CompactionRequest request;
       request.set_revision(1);
       return Call(*desk.kv, &pb::KV::Stub::Compact, request, desk.alice).status;
     }},
    {"AddUserWithoutRight", grpc::PERMISSION_DENIED, kDenied,
     [](Desk& desk) {
       pb::AuthUserAddRequest request;
       request.set_name("dave");
       return Call(*desk.auth, &pb::Auth::Stub::UserAdd, request, desk.alice).status;
     }},
    {"LogInWithAWrongPassword", grpc::INVALID_ARGUMENT, kAuthFailed,
     [](Desk& desk) { return desk.LogIn("alice", "guess").status; }},
    {"LogInAsUnknownUser", grpc::INVALID_ARGUMENT, kAuthFailed,
     [](Desk& desk) { return desk.LogIn("carol", "carol").status; }},
    {"DeleteUserRoot", grpc::INVALID_ARGUMENT, kNotManaged,
     [](Desk& desk) { return desk.DeleteUser("root"); }},
    {"DeleteRoleRoot", grpc::INVALID_ARGUMENT, kNotManaged,
     [](Desk& desk) { return desk.DeleteRole("root"); }},
    {"RevokeRootFromRoot", grpc::INVALID_ARGUMENT, kNotManaged,
     [](Desk& desk) { return desk.RevokeRole("root", "root"); }},
};

class AuthOffTable : public testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    desk_ = std::make_unique<Desk>();
    ASSERT_TRUE(desk_->AddUser("bob").ok());
    ASSERT_TRUE(desk_->AddRole("some").ok());
  }
  static void TearDownTestSuite() {
    EXPECT_TRUE(desk_->DeleteUser("bob").ok());
    EXPECT_TRUE(desk_->DeleteRole("some").ok());
    desk_.reset();
  }
  inline static std::unique_ptr<Desk> desk_;
};

class AuthOnTable : public testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    desk_ = std::make_unique<Desk>();
    pb::LeaseGrantRequest grant;
    grant.set_id(11);
    grant.set_ttl(600);
    ASSERT_TRUE(Call(*desk_->lease, &pb::Lease::Stub::LeaseGrant, grant).ok());
    ASSERT_TRUE(desk_->Put("b", {}, 11).ok());
    ASSERT_TRUE(desk_->AddUser("root").ok() && desk_->AddUser("alice").ok());
    ASSERT_TRUE(desk_->AddRole("root").ok());
    ASSERT_TRUE(desk_->AddRole("one key").ok() && desk_->GrantKey("one key", "a").ok());
    ASSERT_TRUE(desk_->GrantRole("root", "root").ok());
    ASSERT_TRUE(desk_->GrantRole("alice", "one key").ok());
    ASSERT_TRUE(desk_->Enable().ok());
    desk_->root = {.token = desk_->LogIn("root", "root").body.token()};
    desk_->alice = {.token = desk_->LogIn("alice", "alice").body.token()};
  }
  static void TearDownTestSuite() {
    EXPECT_TRUE(Call(*desk_->auth, &pb::Auth::Stub::AuthDisable, {}, desk_->root).ok());
    desk_->root = {};
    for (const char* user : {"root", "alice"}) EXPECT_TRUE(desk_->DeleteUser(user).ok());
    for (const char* role : {"root", "one key"}) EXPECT_TRUE(desk_->DeleteRole(role).ok());
    pb::LeaseRevokeRequest revoke;
    revoke.set_id(11);
    EXPECT_TRUE(Call(*desk_->lease, &pb::Lease::Stub::LeaseRevoke, revoke).ok());
    desk_.reset();
  }
  inline static std::unique_ptr<Desk> desk_;
};

TEST_P(AuthOffTable, IsEtcds) { ExpectRefused(GetParam(), GetParam().provoke(*desk_)); }
TEST_P(AuthOnTable, IsEtcds) { ExpectRefused(GetParam(), GetParam().provoke(*desk_)); }

INSTANTIATE_TEST_SUITE_P(Auth, AuthOffTable, testing::ValuesIn(kAuthOff), NameOfRow<Row>);
INSTANTIATE_TEST_SUITE_P(Auth, AuthOnTable, testing::ValuesIn(kAuthOn), NameOfRow<Row>);

}  // namespace
}  // namespace watchproof::store
