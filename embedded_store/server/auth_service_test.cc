// SPDX-License-Identifier: Apache-2.0
// Users and rights over the wire: every service checks its caller.
#include "embedded_store/server/call_fixture.h"
#include "embedded_store/server/server_fixture.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {
namespace {

const std::string kZero(1, '\0');
constexpr const char* kDenied = "etcdserver: permission denied";
constexpr const char* kNoUser = "etcdserver: user name is empty";
constexpr const char* kBadToken = "etcdserver: invalid auth token";
// The cancel reason of a watch; clients compare it byte for byte.
constexpr const char* kWatchDenied =
    "rpc error: code = PermissionDenied desc = etcdserver: permission denied";
constexpr const char* kWatchWithoutUser =
    "rpc error: code = InvalidArgument desc = etcdserver: user name is empty";
constexpr const char* kWatchBadToken =
    "rpc error: code = Unauthenticated desc = etcdserver: invalid auth token";

pb::PutRequest PutOf(const std::string& key, bool prev_kv = false) {
  pb::PutRequest request;
  request.set_key(key);
  request.set_value("v");
  request.set_prev_kv(prev_kv);
  return request;
}
pb::RangeRequest RangeOf(const std::string& key, const std::string& end = "") {
  pb::RangeRequest request;
  request.set_key(key);
  request.set_range_end(end);
  return request;
}

class AuthCalls : public ServerTest {
 protected:
  explicit AuthCalls(std::vector<std::string> defects = {})
      : ServerTest(Options(std::move(defects))) {}

  // Not as a temporary with designated initialisers, which GCC 12 takes for uninitialised.
  static StoreOptions Options(std::vector<std::string> defects) {
    StoreOptions options;
    options.defects = std::move(defects);
    options.auth.password_price.log2 = 1;
    return options;
  }

  template <typename Request, typename Response>
  std::string Admin(grpc::Status (pb::Auth::Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                    const std::type_identity_t<Request>& request) {
    return Call(*auth_, method, request, root_).text();
  }
  void AddUser(const std::string& name) {
    pb::AuthUserAddRequest request;
    request.set_name(name);
    request.set_password(name);
    EXPECT_EQ(Admin(&pb::Auth::Stub::UserAdd, request), "ok");
  }
  std::string GrantRole(const std::string& user, const std::string& role) {
    pb::AuthUserGrantRoleRequest request;
    request.set_user(user);
    request.set_role(role);
    return Admin(&pb::Auth::Stub::UserGrantRole, request);
  }
  std::string RevokeRole(const std::string& user, const std::string& role) {
    pb::AuthUserRevokeRoleRequest request;
    request.set_name(user);
    request.set_role(role);
    return Admin(&pb::Auth::Stub::UserRevokeRole, request);
  }
  void AddRole(const std::string& name) {
    pb::AuthRoleAddRequest request;
    request.set_name(name);
    EXPECT_EQ(Admin(&pb::Auth::Stub::RoleAdd, request), "ok");
  }
  void Grant(const std::string& role, authpb::Permission::Type right, const std::string& key,
             const std::string& end = "") {
    pb::AuthRoleGrantPermissionRequest request;
    request.set_name(role);
    request.mutable_perm()->set_permtype(right);
    request.mutable_perm()->set_key(key);
    request.mutable_perm()->set_range_end(end);
    EXPECT_EQ(Admin(&pb::Auth::Stub::RoleGrantPermission, request), "ok");
  }
  As LogIn(const std::string& name) {
    pb::AuthenticateRequest request;
    request.set_name(name);
    request.set_password(name);
    const auto reply = Call(*auth_, &pb::Auth::Stub::Authenticate, request);
    EXPECT_EQ(reply.text(), "ok");
    return {.token = reply.body.token()};
  }
  // root, and alice with the rights to read [a, c) and to write b.
  void Enable() {
    AddUser("root");
    EXPECT_EQ(GrantRole("root", "root"), "ok");
    AddUser("alice");
    AddRole("some");
    Grant("some", authpb::Permission::READ, "a", "c");
    Grant("some", authpb::Permission::WRITE, "b");
    EXPECT_EQ(GrantRole("alice", "some"), "ok");
    EXPECT_EQ(Admin(&pb::Auth::Stub::AuthEnable, {}), "ok");
    root_ = LogIn("root");
    alice_ = LogIn("alice");
  }
  std::string Put(const std::string& key, const As& as) {
    return Call(*kv_, &pb::KV::Stub::Put, PutOf(key), as).text();
  }
  std::string Range(const std::string& key, const std::string& end, const As& as) {
    return Call(*kv_, &pb::KV::Stub::Range, RangeOf(key, end), as).text();
  }

  std::unique_ptr<pb::Auth::Stub> auth_ = pb::Auth::NewStub(channel_);
  std::unique_ptr<pb::Cluster::Stub> cluster_ = pb::Cluster::NewStub(channel_);
  std::unique_ptr<pb::Maintenance::Stub> maintenance_ = pb::Maintenance::NewStub(channel_);
  As root_;
  As alice_;
};

TEST_F(AuthCalls, CheckKeyValueCallsByTheirRanges) {
  Enable();
  EXPECT_EQ(Put("b", alice_), "ok");
  EXPECT_EQ(Put("a", alice_), kDenied);
  EXPECT_EQ(Put("a", root_), "ok");
  EXPECT_EQ(Put("a", {}), kNoUser);
  EXPECT_EQ(Put("a", {.token = "made.1"}), kBadToken);
  EXPECT_EQ(Range("a", "c", alice_), "ok");
  EXPECT_EQ(Range("a", kZero, alice_), kDenied);
  EXPECT_EQ(Range("", "", {}), "etcdserver: key is not provided") << "wrong by itself";
  pb::DeleteRangeRequest removal;
  removal.set_key("a");
  removal.set_range_end("c");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::DeleteRange, removal, alice_).text(), kDenied);
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::DeleteRange, removal, root_).body.deleted(), 2);
}

TEST_F(AuthCalls, NeedReadRightsForPreviousValues) {
  Enable();
  Grant("some", authpb::Permission::WRITE, "w");
  EXPECT_EQ(Put("w", alice_), "ok");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Put, PutOf("w", true), alice_).text(), kDenied);
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Put, PutOf("b", true), alice_).text(), "ok");
}

TEST_F(AuthCalls, CheckEveryPartOfATransaction) {
  Enable();
  pb::TxnRequest txn;
  txn.add_success()->mutable_request_range()->CopyFrom(RangeOf("a"));
  txn.add_failure()->mutable_request_put()->CopyFrom(PutOf("b"));
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Txn, txn, alice_).text(), "ok");
  pb::TxnRequest compares = txn;
  compares.add_compare()->set_key("x");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Txn, compares, alice_).text(), kDenied);
  pb::TxnRequest nested = txn;
  nested.add_failure()->mutable_request_txn()->add_success()->mutable_request_put()->CopyFrom(
      PutOf("a"));
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Txn, nested, alice_).text(), kDenied)
      << "although that branch does not run";
}

TEST_F(AuthCalls, ReserveTheRestForRoot) {
  Enable();
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::UserList, {}, alice_).text(), kDenied);
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::UserList, {}, {}).text(), kNoUser);
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::UserList, {}, root_).body.users_size(), 2);
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::AuthStatus, {}, alice_).text(), kDenied);
  EXPECT_TRUE(Call(*auth_, &pb::Auth::Stub::AuthStatus, {}, root_).body.enabled());
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::AuthDisable, {}, alice_).text(), kDenied);
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::Status, {}, alice_).text(), "ok");
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::Hash, {}, alice_).text(), kDenied);
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::Status, {}, root_).text(), "ok");
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::Alarm, {}, alice_).text(), "ok");
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::Alarm, {}, {}).text(), kNoUser);
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberRemove, {}, alice_).text(), kDenied);
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberList, {}, alice_).text(), "ok");
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberList, {}, {}).text(), kNoUser);
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Compact, {}, alice_).text(), kDenied);
}

TEST_F(AuthCalls, ShowUsersTheirOwnRecords) {
  Enable();
  pb::AuthUserGetRequest user;
  user.set_name("alice");
  const auto roles = Call(*auth_, &pb::Auth::Stub::UserGet, user, alice_);
  ASSERT_EQ(roles.body.roles_size(), 1);
  EXPECT_EQ(roles.body.roles(0), "some");
  user.set_name("root");
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::UserGet, user, alice_).text(), kDenied);
  pb::AuthRoleGetRequest role;
  role.set_role("some");
  const auto rights = Call(*auth_, &pb::Auth::Stub::RoleGet, role, alice_);
  ASSERT_EQ(rights.body.perm_size(), 2);
  EXPECT_EQ(rights.body.perm(0).range_end(), "c");
  EXPECT_EQ(rights.body.perm(1).permtype(), authpb::Permission::WRITE);
  role.set_role("other");
  EXPECT_EQ(Call(*auth_, &pb::Auth::Stub::RoleGet, role, alice_).text(), kDenied);
}

TEST_F(AuthCalls, ListALeaseOnlyWithReadRightsOnItsKeys) {
  Enable();
  const auto lease = pb::Lease::NewStub(channel_);
  pb::LeaseGrantRequest grant;
  grant.set_id(7);
  grant.set_ttl(600);
  ASSERT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant, root_).text(), "ok");
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseLeases, {}, alice_).body.leases_size(), 1);
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseLeases, {}, {}).text(), kNoUser);
  pb::PutRequest put = PutOf("z");
  put.set_lease(7);
  ASSERT_EQ(Call(*kv_, &pb::KV::Stub::Put, put, root_).text(), "ok");
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseLeases, {}, alice_).text(), kDenied);
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseLeases, {}, root_).body.leases_size(), 1);
}

TEST_F(AuthCalls, KeepALeaseAliveOnlyWithWriteRightsOnItsKeys) {
  Enable();
  const auto lease = pb::Lease::NewStub(channel_);
  pb::LeaseGrantRequest grant;
  grant.set_id(7);
  grant.set_ttl(600);
  ASSERT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant, alice_).text(), "ok");
  const auto keep_alive = [&](const As& as) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 20s);
    if (!as.token.empty()) context.AddMetadata("token", as.token);
    const auto stream = lease->LeaseKeepAlive(&context);
    pb::LeaseKeepAliveRequest request;
    request.set_id(7);
    stream->Write(request);
    pb::LeaseKeepAliveResponse answer;
    if (stream->Read(&answer)) return fmt::format("{} s", answer.ttl());
    return stream->Finish().error_message();
  };
  EXPECT_EQ(keep_alive(alice_), "600 s");
  EXPECT_EQ(keep_alive({}), kNoUser);
  pb::PutRequest put = PutOf("z");
  put.set_lease(7);
  ASSERT_EQ(Call(*kv_, &pb::KV::Stub::Put, put, root_).text(), "ok");
  EXPECT_EQ(keep_alive(alice_), kDenied);
  EXPECT_EQ(keep_alive(root_), "600 s");
}

TEST_F(AuthCalls, CarryEtcdsCodes) {
  Enable();
  using Code = grpc::StatusCode;
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Put, PutOf("a"), alice_).status.error_code(),
            Code::PERMISSION_DENIED);
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Put, PutOf("a"), {.token = "x"}).status.error_code(),
            Code::UNAUTHENTICATED);
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Put, PutOf("a")).status.error_code(), Code::INVALID_ARGUMENT);
  pb::AuthRoleGrantPermissionRequest nothing;
  nothing.set_name("some");
  EXPECT_EQ(Admin(&pb::Auth::Stub::RoleGrantPermission, nothing),
            "etcdserver: permission not given");
}

class WatchRights : public AuthCalls {
 protected:
  explicit WatchRights(std::vector<std::string> defects = {}) : AuthCalls(std::move(defects)) {}
  static pb::WatchCreateRequest WatchOf(const std::string& key, const std::string& end = "") {
    pb::WatchCreateRequest create;
    create.set_key(key);
    create.set_range_end(end);
    return create;
  }
  // The answer to a create: "created", or the cancel reason.
  static std::string Answer(WatchClient& client, const pb::WatchCreateRequest& create) {
    client.Create(create);
    const auto response = client.Read();
    if (!response || !response->created()) return "no answer";
    if (!response->canceled()) return "created";
    EXPECT_EQ(response->watch_id(), -1);
    return response->cancel_reason();
  }
};

TEST_F(WatchRights, CoverTheWholeRange) {
  Enable();
  WatchClient alice(server_->endpoint(), alice_.token);
  EXPECT_EQ(Answer(alice, WatchOf("a")), "created");
  EXPECT_EQ(Answer(alice, WatchOf("a", "c")), "created");
  EXPECT_EQ(Answer(alice, WatchOf("a", "d")), kWatchDenied);
  // GHSA-xg4h-6gfc-h4m8: the right to read the first key is not the right to watch all others.
  EXPECT_EQ(Answer(alice, WatchOf("a", kZero)), kWatchDenied);
  EXPECT_EQ(Answer(alice, WatchOf("", kZero)), kWatchDenied);
  pb::WatchCreateRequest wrong = WatchOf("x");
  wrong.set_start_revision(-1);
  EXPECT_NE(Answer(alice, wrong), kWatchDenied) << "wrong by itself";
  WatchClient root(server_->endpoint(), root_.token);
  EXPECT_EQ(Answer(root, WatchOf("", kZero)), "created");
  WatchClient anonymous(server_->endpoint());
  EXPECT_EQ(Answer(anonymous, WatchOf("a")), kWatchWithoutUser);
  WatchClient forger(server_->endpoint(), "made.1");
  EXPECT_EQ(Answer(forger, WatchOf("a")), kWatchBadToken);
}

TEST_F(WatchRights, EndTheWatchWhenRevokedBeforeLaterWrites) {
  Enable();
  WatchClient alice(server_->endpoint(), alice_.token);
  ASSERT_EQ(Answer(alice, WatchOf("a")), "created");
  ASSERT_EQ(Answer(alice, WatchOf("b")), "created");
  WatchClient root(server_->endpoint(), root_.token);
  ASSERT_EQ(Answer(root, WatchOf("a", "c")), "created");
  pb::AuthRoleRevokePermissionRequest revoke;
  revoke.set_role("some");
  revoke.set_key("a");
  revoke.set_range_end("c");
  EXPECT_EQ(Admin(&pb::Auth::Stub::RoleRevokePermission, revoke), "ok");
  EXPECT_EQ(Put("a", root_), "ok");
  for (int i = 0; i < 2; ++i) {
    const auto last = alice.Read();
    ASSERT_TRUE(last.has_value());
    EXPECT_TRUE(last->canceled());
    EXPECT_EQ(last->cancel_reason(), kWatchDenied);
    EXPECT_EQ(last->events_size(), 0);
  }
  EXPECT_EQ(root.Read()->events(0).kv().key(), "a") << "root keeps watching";
  // The stream itself stays open.
  Grant("some", authpb::Permission::READ, "a");
  EXPECT_EQ(Answer(alice, WatchOf("a")), "created");
}

TEST_F(WatchRights, EndWatchesWithoutUserWhenAuthIsEnabled) {
  WatchClient anonymous(server_->endpoint());
  ASSERT_EQ(Answer(anonymous, WatchOf("a")), "created");
  Enable();
  EXPECT_EQ(anonymous.Read()->cancel_reason(), kWatchDenied);
}

TEST_F(WatchRights, AreLostWithTheRole) {
  Enable();
  WatchClient alice(server_->endpoint(), alice_.token);
  ASSERT_EQ(Answer(alice, WatchOf("a")), "created");
  AddRole("more");
  EXPECT_EQ(GrantRole("alice", "more"), "ok");
  Grant("more", authpb::Permission::READ, "a");
  EXPECT_EQ(RevokeRole("alice", "some"), "ok");
  EXPECT_EQ(Put("a", root_), "ok");
  EXPECT_EQ(alice.Read()->events_size(), 1) << "the other role still gives the right";
  EXPECT_EQ(RevokeRole("alice", "more"), "ok");
  EXPECT_EQ(alice.Read()->cancel_reason(), kWatchDenied);
}

}  // namespace
}  // namespace watchproof::store
