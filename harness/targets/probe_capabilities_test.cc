// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_capabilities.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "embedded_store/server/store_server.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;
using ::testing::HasSubstr;

const Capabilities kAll = {Capability::kProxy,
                           Capability::kCompaction,
                           Capability::kClientChosenIds,
                           Capability::kProgressRequest,
                           Capability::kFragment,
                           Capability::kPreviousValues,
                           Capability::kSlowWatcherGauge,
                           Capability::kLeases,
                           Capability::kDurable};

// A server at an address, with options that a test sets.
class FakeTarget final : public Target {
 public:
  explicit FakeTarget(const std::string& address) : address_(ParseServerAddress(address).value()) {}
  Status Start(const StartOptions&) override { return {}; }
  Endpoint endpoint() const override { return {address_.host, address_.port}; }
  std::string version() const override { return "3.5.99"; }  // says nothing
  Result<Metrics> ReadMetrics() override { return metrics; }
  bool may_compact() const override { return compactable; }
  bool durable() const override { return keeps; }
  std::optional<ExitState> died() const override { return std::nullopt; }
  std::string LastWords() const override { return {}; }
  void Stop() override {}

  Result<Metrics> metrics = Metrics{{"etcd_debugging_mvcc_slow_watcher_total", 0}};
  bool compactable = true;
  bool keeps = true;

 private:
  const ServerAddress address_;
};

// An old server: it ignores fields and requests that are unknown to it, and offers only the KV
// calls Put and DeleteRange.
class OldWatch final : public pb::Watch::Service {
  grpc::Status Watch(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<pb::WatchResponse, pb::WatchRequest>* stream) override {
    pb::WatchRequest request;
    while (stream->Read(&request)) {
      if (!request.has_create_request()) continue;
      pb::WatchResponse created;
      created.set_created(true);
      stream->Write(created);
      const std::int64_t start = request.create_request().start_revision();
      if (start == 0) continue;
      pb::WatchResponse events;
      for (std::int64_t revision = start; revision <= start + 1; ++revision) {
        events.add_events()->mutable_kv()->set_mod_revision(revision);
      }
      stream->Write(events);
    }
    return grpc::Status::OK;
  }
};
class OldKv final : public pb::KV::Service {
  grpc::Status Put(grpc::ServerContext*, const pb::PutRequest*, pb::PutResponse* answer) override {
    answer->mutable_header()->set_revision(++revision_);
    return grpc::Status::OK;
  }
  grpc::Status DeleteRange(grpc::ServerContext*, const pb::DeleteRangeRequest*,
                           pb::DeleteRangeResponse*) override {
    ++deletes;
    return grpc::Status::OK;
  }
  std::int64_t revision_ = 1;

 public:
  int deletes = 0;
};

struct OldServer {
  OldServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&watch);
    builder.RegisterService(&kv);
    server = builder.BuildAndStart();
  }
  ~OldServer() { server->Shutdown(std::chrono::system_clock::now()); }
  std::string endpoint() const { return fmt::format("127.0.0.1:{}", port); }

  OldWatch watch;
  OldKv kv;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

TEST(ProbeOfCapabilities, FindsEveryCapabilityOfTheEmbeddedStore) {
  const auto server = store::StoreServer::Start({.port = 0, .http_port = 0}).value();
  FakeTarget target(server->endpoint());
  const auto offered = ProbeCapabilities(target, kAll, Within(20s));
  ASSERT_TRUE(offered.has_value()) << offered.error().message();
  Capabilities expected = kAll;
  expected.erase(Capability::kProxy);
  EXPECT_EQ(*offered, expected);
}

TEST(ProbeOfCapabilities, LeavesNoKeyAndNoCompactionBehind) {
  const auto server = store::StoreServer::Start({.port = 0, .http_port = 0}).value();
  FakeTarget target(server->endpoint());
  ASSERT_TRUE(ProbeCapabilities(target, kAll, Within(20s)).has_value());
  const auto kv =
      pb::KV::NewStub(grpc::CreateChannel(server->endpoint(), grpc::InsecureChannelCredentials()));
  pb::RangeRequest all;
  all.set_key(std::string(1, '\0'));
  all.set_range_end(std::string(1, '\0'));
  all.set_keys_only(true);
  for (const std::int64_t revision : {0, 2}) {
    all.set_revision(revision);
    pb::RangeResponse answer;
    grpc::ClientContext context;
    ASSERT_TRUE(kv->Range(&context, all, &answer).ok());
    EXPECT_EQ(answer.count(), revision == 0 ? 0 : 1);
  }
}

TEST(ProbeOfCapabilities, DetectsServersThatIgnoreUnknownFields) {
  OldServer server;
  FakeTarget target(server.endpoint());
  target.metrics = Metrics{{"something_else", 1}};
  target.keeps = false;
  Capabilities wanted = kAll;
  wanted.erase(Capability::kProgressRequest);
  const auto offered = ProbeCapabilities(target, wanted, Within(20s));
  ASSERT_TRUE(offered.has_value()) << offered.error().message();
  EXPECT_EQ(*offered, Capabilities{});
  EXPECT_EQ(server.kv.deletes, 1);
}

// A server that refuses both calls with one status, and lacks all others.
class RefusingKv final : public pb::KV::Service {
  grpc::Status Put(grpc::ServerContext*, const pb::PutRequest*, pb::PutResponse*) override {
    return {code, "not here"};
  }
  grpc::Status Compact(grpc::ServerContext*, const pb::CompactionRequest*,
                       pb::CompactionResponse*) override {
    return {code, "not here"};
  }

 public:
  grpc::StatusCode code = grpc::StatusCode::UNKNOWN;
};

TEST(ProbeOfCapabilities, ARefusalIsAnAnswerWhateverItsStatus) {
  RefusingKv kv;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&kv);
  const auto server = builder.BuildAndStart();
  FakeTarget target(fmt::format("127.0.0.1:{}", port));
  const Capabilities wanted = {Capability::kCompaction, Capability::kPreviousValues,
                               Capability::kFragment, Capability::kLeases,
                               Capability::kClientChosenIds};
  for (int number = 1; number <= 16; ++number) {
    kv.code = static_cast<grpc::StatusCode>(number);
    if (!IsAnswer(static_cast<StatusCode>(number))) continue;
    std::map<Capability, Status> refusals;
    const auto offered = ProbeCapabilities(target, wanted, Within(20s), {.refusals = &refusals});
    ASSERT_TRUE(offered.has_value()) << number << ": " << offered.error().message();
    // Which status a compaction in the future is refused with is no matter, unless there is none.
    const bool there = kv.code != grpc::StatusCode::UNIMPLEMENTED;
    EXPECT_EQ(*offered, there ? Capabilities{Capability::kCompaction} : Capabilities{}) << number;
    EXPECT_THAT(refusals[Capability::kFragment].message(), HasSubstr("not here")) << number;
    EXPECT_FALSE(refusals[Capability::kClientChosenIds].ok()) << number;
  }
  for (const StatusCode code : {StatusCode::kUnavailable, StatusCode::kDeadlineExceeded}) {
    kv.code = static_cast<grpc::StatusCode>(code);
    const auto offered = ProbeCapabilities(target, {Capability::kPreviousValues}, Within(20s));
    EXPECT_FALSE(offered.has_value()) << "no answer says nothing about what it offers";
  }
  server->Shutdown(std::chrono::system_clock::now());
}

TEST(ProbeOfCapabilities, StatedCapabilitiesAreNotProbed) {
  FakeTarget nowhere("127.99.99.99:1");
  const Stated stated{.offered = {Capability::kFragment, Capability::kCompaction},
                      .missing = {Capability::kLeases}};
  const Capabilities wanted = {Capability::kFragment, Capability::kLeases, Capability::kCompaction};
  EXPECT_EQ(ProbeCapabilities(nowhere, wanted, Within(5s), {.stated = stated}).value(),
            (Capabilities{Capability::kFragment, Capability::kCompaction}));
  nowhere.compactable = false;  // its owner has not allowed it
  EXPECT_EQ(
      ProbeCapabilities(nowhere, {Capability::kCompaction}, Within(5s), {.stated = stated}).value(),
      Capabilities{});
}

TEST(ProbeOfCapabilities, SilenceMeansNoProgressRequests) {
  OldServer server;
  FakeTarget target(server.endpoint());
  const auto offered = ProbeCapabilities(target, {Capability::kProgressRequest}, Within(300ms));
  ASSERT_TRUE(offered.has_value()) << offered.error().message();
  EXPECT_EQ(*offered, Capabilities{});
}

TEST(ProbeOfCapabilities, ProbesOnlyWhatIsWanted) {
  FakeTarget nowhere("127.99.99.99:1");
  EXPECT_EQ(ProbeCapabilities(nowhere, {}, Within(5s)).value(), Capabilities{});
  const Capabilities reported = {Capability::kDurable, Capability::kSlowWatcherGauge};
  EXPECT_EQ(ProbeCapabilities(nowhere, reported, Within(5s)).value(), reported);
}

TEST(ProbeOfCapabilities, NeverCompactsASharedServer) {
  FakeTarget nowhere("127.99.99.99:1");
  nowhere.compactable = false;
  EXPECT_EQ(ProbeCapabilities(nowhere, {Capability::kCompaction}, Within(5s)).value(),
            Capabilities{});
}

TEST(ProbeOfCapabilities, ErrorNamesTheTargetAndTheCapability) {
  FakeTarget nowhere("127.99.99.99:1");
  const auto offered = ProbeCapabilities(nowhere, {Capability::kClientChosenIds}, Within(5s));
  ASSERT_FALSE(offered.has_value());
  EXPECT_THAT(offered.error().message(), HasSubstr("asking 127.99.99.99:1 for client-chosen-ids"));
}

}  // namespace
}  // namespace watchproof
