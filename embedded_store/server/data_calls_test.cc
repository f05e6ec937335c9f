// SPDX-License-Identifier: Apache-2.0
// What a server keeps in its data folder, and the calls that go over all of it, by wire.
#include "embedded_store/server/data_calls.h"

#include <fstream>

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/server/server_fixture.h"

namespace watchproof::store {
namespace {

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
  std::int64_t DataSize() {
    pb::StatusResponse response;
    Call([&](auto* context) {
      return maintenance_->Status(context, pb::StatusRequest(), &response);
    });
    return response.dbsize();
  }
  void SaveSnapshot(const std::filesystem::path& file) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    const auto stream = maintenance_->Snapshot(&context, pb::SnapshotRequest());
    std::ofstream out(file, std::ios::binary);
    pb::SnapshotResponse piece;
    while (stream->Read(&piece)) out << piece.blob();
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(piece.remaining_bytes(), 0U);
  }
  void Stop() { server_->Stop(); }

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
  server.HashKv(20);
}

TEST_F(Data, IsTheSameAfterASnapshotOfEitherKindIsRestored) {
  for (const bool lasting : {false, true}) {
    const auto folder = folder_.path() / (lasting ? "from-disk" : "from-memory");
    pb::HashKVResponse hash;
    std::string content;
    {
      Running server(lasting ? data() : std::filesystem::path());
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
  }
}

TEST_F(Data, HasASumPerRevisionThatLaterWritesLeaveAlone) {
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
  const std::int64_t full = server.DataSize();
  server.Compact(101);
  server.Defragment();
  EXPECT_LT(server.DataSize(), full / 4);
  server.Put("k", "still written");
  EXPECT_EQ(server.ReadAll().kvs(0).value(), "still written");
}

TEST_F(Data, IsRefusedToASecondServer) {
  Running server(data());
  const auto second = StoreServer::Start({.port = 0, .http_port = 0, .data = data()});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message(), HasSubstr(data().string() + " is in use"));
}

}  // namespace
}  // namespace watchproof::store
