// SPDX-License-Identifier: Apache-2.0
// What a server keeps in its data folder, and the calls that go over all of it, by wire.
#include "embedded_store/server/services.h"

#include <fstream>

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/server/call_fixture.h"
#include "embedded_store/server/server_fixture.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A server, in memory or over a folder, with the calls that these tests need.
class Running {
 public:
  explicit Running(const std::filesystem::path& data = {}) {
    auto started = StoreServer::Start({.port = 0, .http_port = 0, .data = data});
    WP_CHECK(started.has_value(), "the server starts");
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel(server_->endpoint(), grpc::InsecureChannelCredentials());
    kv_ = pb::KV::NewStub(channel_);
    maintenance_ = pb::Maintenance::NewStub(channel_);
  }
  void Put(const std::string& key, const std::string& value) {
    pb::PutRequest request;
    request.set_key(key);
    request.set_value(value);
    pb::PutResponse response;
    Call([&](auto* context) { return kv_->Put(context, request, &response); });
  }
  void Compact(std::int64_t revision) {
    pb::CompactionRequest request;
    request.set_revision(revision);
    request.set_physical(true);
    pb::CompactionResponse response;
    Call([&](auto* context) { return kv_->Compact(context, request, &response); });
  }
  pb::RangeResponse ReadAll() {
    pb::RangeRequest request;
    request.set_key(std::string(1, '\0'));
    request.set_range_end(std::string(1, '\0'));
    pb::RangeResponse response;
    Call([&](auto* context) { return kv_->Range(context, request, &response); });
    return response;
  }
  pb::HashKVResponse HashKv(std::int64_t revision, grpc::StatusCode code = grpc::OK) {
    pb::HashKVRequest request;
    request.set_revision(revision);
    pb::HashKVResponse response;
    Call([&](auto* context) { return maintenance_->HashKV(context, request, &response); }, code);
    return response;
  }
  void Defragment() {
    pb::DefragmentResponse response;
    Call([&](auto* context) {
      return maintenance_->Defragment(context, pb::DefragmentRequest(), &response);
    });
  }
  pb::StatusResponse Status() {
    pb::StatusResponse response;
    Call([&](auto* context) {
      return maintenance_->Status(context, pb::StatusRequest(), &response);
    });
    return response;
  }
  // A hundred keys in one transaction, the same ones each time.
  void PutHundred(const std::string& value) {
    pb::TxnRequest request;
    for (int i = 0; i < 100; ++i) {
      auto* put = request.add_success()->mutable_request_put();
      put->set_key(fmt::format("k{}", i));
      put->set_value(value);
    }
    pb::TxnResponse response;
    Call([&](auto* context) { return kv_->Txn(context, request, &response); });
  }
  void SaveSnapshot(const std::filesystem::path& file) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    const auto stream = maintenance_->Snapshot(&context, pb::SnapshotRequest());
    const std::int64_t revision = ReadAll().header().revision();
    std::ofstream out(file, std::ios::binary);
    pb::SnapshotResponse piece;
    while (stream->Read(&piece)) {
      EXPECT_EQ(piece.header().revision(), revision);
      out << piece.blob();
    }
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(piece.remaining_bytes(), 0U);
  }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  template <typename Rpc>
  void Call(const Rpc& rpc, grpc::StatusCode code = grpc::OK) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    const grpc::Status status = rpc(&context);
    EXPECT_EQ(status.error_code(), code) << status.error_message();
  }

  std::unique_ptr<StoreServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::KV::Stub> kv_;
  std::unique_ptr<pb::Maintenance::Stub> maintenance_;
};

class Data : public testing::Test {
 protected:
  std::filesystem::path data() const { return folder_.path() / "data"; }
  std::filesystem::path snapshot() const { return folder_.path() / "saved.snap"; }
  TemporaryFolder folder_;
};

TEST_F(Data, IsThereWhenTheServerComesBack) {
  std::string before;
  {
    Running server(data());
    for (int i = 0; i < 50; ++i) server.Put(fmt::format("k{}", i % 7), fmt::format("v{}", i));
    server.Compact(20);
    before = server.ReadAll().SerializeAsString();
  }
  Running server(data());
  EXPECT_EQ(server.ReadAll().SerializeAsString(), before);
  server.HashKv(19, grpc::OUT_OF_RANGE);
  EXPECT_EQ(server.HashKv(20).hash_revision(), 20);
}

TEST_F(Data, IsTheSameAfterARestoredSnapshot) {
  for (const bool durable : {false, true}) {
    const auto folder = folder_.path() / (durable ? "from-disk" : "from-memory");
    pb::HashKVResponse hash;
    std::string content;
    {
      Running server(durable ? data() : std::filesystem::path());
      for (int i = 0; i < 100; ++i) server.Put(fmt::format("k{}", i % 9), std::string(2000, 'v'));
      server.Compact(60);
      server.SaveSnapshot(snapshot());
      hash = server.HashKv(0);
      content = server.ReadAll().SerializeAsString();
    }
    const Status restored = RestoreStore(snapshot(), folder);
    ASSERT_TRUE(restored.ok()) << restored.message();
    Running server(folder);
    EXPECT_EQ(server.ReadAll().SerializeAsString(), content);
    EXPECT_EQ(server.HashKv(0).hash(), hash.hash());
    EXPECT_EQ(server.HashKv(0).compact_revision(), 60);
    EXPECT_EQ(server.HashKv(0).hash_revision(), hash.hash_revision());
  }
}

TEST_F(Data, HasAStableHashPerRevision) {
  Running server;
  server.Put("k", "1");
  server.Put("k", "2");
  const std::uint32_t sum = server.HashKv(2).hash();
  EXPECT_NE(server.HashKv(3).hash(), sum);
  server.Put("k", "3");
  EXPECT_EQ(server.HashKv(2).hash(), sum);
  server.HashKv(9, grpc::OUT_OF_RANGE);
}

TEST_F(Data, TakesLessSpaceAfterCompactionAndDefragment) {
  Running server(data());
  for (int i = 0; i < 100; ++i) server.Put("k", std::string(50000, 'v'));
  const std::int64_t full = server.Status().dbsize();
  server.Compact(101);
  server.Defragment();
  EXPECT_LT(server.Status().dbsize(), full / 4);
  server.Put("k", "still written");
  EXPECT_EQ(server.ReadAll().kvs(0).value(), "still written");
}

TEST_F(Data, IsErasedBeforeAPhysicalCompactionIsAnswered) {
  Running server(data());
  // More than one step of a compaction removes.
  for (int i = 0; i < 100; ++i) server.PutHundred(std::string(500, 'v'));
  const std::int64_t full = server.Status().dbsizeinuse();
  server.Compact(101);
  EXPECT_LT(server.Status().dbsizeinuse(), full / 10);
}

// What a store keeps besides its keys.
struct Company {
  explicit Company(const Running& server)
      : kv(pb::KV::NewStub(server.channel())),
        lease(pb::Lease::NewStub(server.channel())),
        auth(pb::Auth::NewStub(server.channel())),
        maintenance(pb::Maintenance::NewStub(server.channel())) {}

  void Make() {
    pb::LeaseGrantRequest grant;
    grant.set_id(7);
    grant.set_ttl(600);
    EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant).text(), "ok");
    pb::PutRequest put;
    put.set_key("leased");
    put.set_lease(7);
    EXPECT_EQ(Call(*kv, &pb::KV::Stub::Put, put).text(), "ok");
    pb::AuthUserAddRequest user;
    user.set_name("bob");
    user.set_password("x");
    EXPECT_EQ(Call(*auth, &pb::Auth::Stub::UserAdd, user).text(), "ok");
    pb::AlarmRequest alarm;
    alarm.set_action(pb::AlarmRequest::ACTIVATE);
    alarm.set_alarm(pb::NOSPACE);
    EXPECT_EQ(Call(*maintenance, &pb::Maintenance::Stub::Alarm, alarm).text(), "ok");
  }
  void Expect() {
    pb::LeaseTimeToLiveRequest call;
    call.set_id(7);
    call.set_keys(true);
    const auto state = Call(*lease, &pb::Lease::Stub::LeaseTimeToLive, call).body;
    EXPECT_EQ(state.grantedttl(), 600);
    EXPECT_THAT(state.keys(), ElementsAre("leased"));
    EXPECT_THAT(Call(*auth, &pb::Auth::Stub::UserList, {}).body.users(), ElementsAre("bob"));
    EXPECT_EQ(Call(*maintenance, &pb::Maintenance::Stub::Alarm, {}).body.alarms_size(), 1);
    pb::LeaseRevokeRequest revoke;
    revoke.set_id(7);
    EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseRevoke, revoke).body.header().revision(), 3);
  }

  std::unique_ptr<pb::KV::Stub> kv;
  std::unique_ptr<pb::Lease::Stub> lease;
  std::unique_ptr<pb::Auth::Stub> auth;
  std::unique_ptr<pb::Maintenance::Stub> maintenance;
};

TEST_F(Data, IncludesLeasesUsersAndAlarmsInASnapshot) {
  for (const bool durable : {false, true}) {
    SCOPED_TRACE(durable ? "from disk" : "from memory");
    const auto folder = folder_.path() / (durable ? "from-disk" : "from-memory");
    {
      Running server(durable ? data() : std::filesystem::path());
      Company(server).Make();
      server.SaveSnapshot(snapshot());
    }
    const Status restored = RestoreStore(snapshot(), folder);
    ASSERT_TRUE(restored.ok()) << restored.message();
    Running server(folder);
    Company(server).Expect();
  }
}

TEST_F(Data, IsRefusedToASecondServer) {
  Running server(data());
  const auto second = StoreServer::Start({.port = 0, .http_port = 0, .data = data()});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message(), HasSubstr(data().string() + " is in use"));
}

}  // namespace
}  // namespace watchproof::store
