// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/store_server.h"

#include "embedded_store/server/server_fixture.h"
#include "embedded_store/server/services.h"

namespace watchproof::store {
namespace {

using testing::HasSubstr;

class Server : public ServerTest {};

TEST_F(Server, RefusesAPortThatIsTaken) {
  const std::string endpoint = server_->endpoint();
  const int port = std::stoi(endpoint.substr(endpoint.find(':') + 1));
  const auto second = StoreServer::Start({.port = port, .http_port = 0});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), StatusCode::kAlreadyExists);
  EXPECT_THAT(second.error().message(), HasSubstr(endpoint));

  const std::string http = server_->http_endpoint();
  const auto third =
      StoreServer::Start({.port = 0, .http_port = std::stoi(http.substr(http.find(':') + 1))});
  ASSERT_FALSE(third.has_value());
  EXPECT_THAT(third.error().message(), HasSubstr(http));
}

TEST_F(Server, RefusesAnUnknownDefectAndNamesTheKnownOnes) {
  const auto server = StoreServer::Start({.port = 0, .http_port = 0, .defects = {"nonsense"}});
  ASSERT_FALSE(server.has_value());
  EXPECT_EQ(server.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(server.error().message(), HasSubstr("compaction-notice-lost"));
}

TEST_F(Server, RefusesAVersionThatIsNone) {
  const auto server = StoreServer::Start({.port = 0, .etcd_version = "3.7"});
  ASSERT_FALSE(server.has_value());
  EXPECT_EQ(server.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(server.error().message(), HasSubstr("\"3.7\""));
}

TEST_F(Server, StopsWithOpenWatches) {
  WatchClient client(server_->endpoint());
  client.Create("k");
  ASSERT_TRUE(client.Read()->created());
  server_->Stop();
  server_->Stop();
  EXPECT_FALSE(client.Read().has_value());
  EXPECT_FALSE(client.Finish().ok());
}

TEST_F(Server, ShowsItsPages) {
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/health"),
              HasSubstr(R"({"health":"true","reason":""})"));
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/version"),
              HasSubstr(R"({"etcdserver":"3.7.3","etcdcluster":"3.7.0","storage":"3.7.0",)"
                        R"("watchproof":"0.1.0"})"));
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/nothing"), HasSubstr("404"));
  Put("k", "a");
  Put("k", "b");
  ASSERT_TRUE(Compact(2).ok());
  EXPECT_EQ(Metric("etcd_debugging_mvcc_current_revision"), 3);
  EXPECT_EQ(Metric("etcd_debugging_mvcc_compact_revision"), 2);
}

TEST_F(Server, ReportsItsVersionAndLeader) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  pb::StatusResponse response;
  const auto stub = pb::Maintenance::NewStub(channel_);
  ASSERT_TRUE(stub->Status(&context, pb::StatusRequest(), &response).ok());
  EXPECT_EQ(response.version(), "3.7.3");
  EXPECT_EQ(response.storageversion(), "3.7.0");
  EXPECT_EQ(response.leader(), response.header().member_id());
  EXPECT_EQ(response.header().revision(), 1);
}

class KvCalls : public ServerTest {};

TEST_F(KvCalls, ReadAndDeleteWhatWasPut) {
  EXPECT_EQ(Put("a", "1"), 2);
  EXPECT_EQ(Put("b", "2"), 3);
  grpc::ClientContext context;
  pb::RangeRequest request;
  request.set_key("a");
  request.set_range_end("c");
  request.set_sort_order(pb::RangeRequest::DESCEND);
  pb::RangeResponse response;
  ASSERT_TRUE(kv_->Range(&context, request, &response).ok());
  ASSERT_EQ(response.kvs_size(), 2);
  EXPECT_EQ(response.kvs(0).key(), "b");
  EXPECT_EQ(response.kvs(1).value(), "1");
  EXPECT_NE(response.header().cluster_id(), 0U);

  grpc::ClientContext second;
  pb::DeleteRangeRequest removal;
  removal.set_key("a");
  removal.set_prev_kv(true);
  pb::DeleteRangeResponse removed;
  ASSERT_TRUE(kv_->DeleteRange(&second, removal, &removed).ok());
  EXPECT_EQ(removed.deleted(), 1);
  EXPECT_EQ(removed.prev_kvs(0).mod_revision(), 2);
  EXPECT_EQ(removed.header().revision(), 4);
}

TEST_F(KvCalls, RunATransactionWithANestedOne) {
  Put("a", "1");
  pb::TxnRequest request;
  pb::Compare* compare = request.add_compare();
  compare->set_key("a");
  compare->set_target(pb::Compare::VALUE);
  compare->set_value("1");
  pb::TxnRequest* nested = request.add_success()->mutable_request_txn();
  pb::PutRequest* put = nested->add_success()->mutable_request_put();
  put->set_key("b");
  put->set_value("2");
  request.add_success()->mutable_request_range()->set_key("b");
  grpc::ClientContext context;
  pb::TxnResponse response;
  const grpc::Status status = kv_->Txn(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.succeeded());
  EXPECT_EQ(response.header().revision(), 3);
  EXPECT_TRUE(response.responses(0).response_txn().succeeded());
  EXPECT_EQ(response.responses(1).response_range().kvs(0).value(), "2");
}

TEST_F(KvCalls, FailWithEtcdsCodes) {
  Put("k", "1");
  Put("k", "2");
  ASSERT_TRUE(Compact(3).ok());
  EXPECT_EQ(Compact(3).error_code(), grpc::OUT_OF_RANGE);
  EXPECT_EQ(Compact(9).error_message(), "etcdserver: mvcc: required revision is a future revision");

  grpc::ClientContext context;
  pb::PutRequest large;
  large.set_key("k");
  large.set_value(std::string(kMaxRequestBytes, 'x'));
  pb::PutResponse response;
  const grpc::Status status = kv_->Put(&context, large, &response);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "etcdserver: request is too large");
}

}  // namespace
}  // namespace watchproof::store
