// SPDX-License-Identifier: Apache-2.0
// Alarms, the quota, and the status of one member.
#include "embedded_store/server/services.h"

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/call_fixture.h"
#include "embedded_store/server/server_fixture.h"
#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNoSpace = "etcdserver: mvcc: database space exceeded";

TEST(Costs, CountThePutsOfTheMoreExpensiveBranch) {
  const PutOp small{.key = "k", .value = "v"};
  const PutOp large{.key = "k", .value = std::string(1000, 'v')};
  EXPECT_EQ(CostOf(small), 258U);
  EXPECT_EQ(CostOf(DeleteOp{}), 0U);
  EXPECT_EQ(CostOf(TxnOp{.success = {RangeQuery{}, DeleteOp{}}}), 0U);
  EXPECT_EQ(CostOf(TxnOp{.success = {small, small}, .failure = {large}}), 1257U);
  EXPECT_EQ(CostOf(TxnOp{.success = {TxnOp{.failure = {small}}}}), 258U);
}

TEST(AlarmTable, SurvivesARestart) {
  MemoryBackend backend(Durable::kYes);
  const MvccStore store(backend);
  {
    Alarms alarms(backend, store, 0);
    alarms.Activate({AlarmKind::kNoSpace, 7});
    alarms.Activate({AlarmKind::kCorrupt, 8});
    alarms.Deactivate({AlarmKind::kCorrupt, 8});
  }
  Alarms alarms(backend, store, 0);
  ASSERT_TRUE(alarms.Recover().ok());
  EXPECT_THAT(alarms.Active(AlarmKind::kAny), ElementsAre(Alarm{AlarmKind::kNoSpace, 7}));
  EXPECT_EQ(alarms.AdmitGrowth(1).message(), kNoSpace);
  EXPECT_TRUE(alarms.AdmitGrowth(0).ok());
}

TEST(AlarmTable, RefusesForeignRows) {
  for (const char* key : {"x", "1", "3/0000000000000000", "1/00000000000000zz"}) {
    MemoryBackend backend(Durable::kYes);
    const MvccStore store(backend);
    backend.Stage({{Bucket::kAlarm, key, ""}});
    EXPECT_EQ(Alarms(backend, store, 0).Recover().code(), StatusCode::kDataLoss) << key;
  }
}

TEST(AlarmTable, StopsEveryChangeAfterCorruption) {
  MemoryBackend backend;
  const MvccStore store(backend);
  Alarms alarms(backend, store, 0);
  alarms.Activate({AlarmKind::kCorrupt, 1});
  EXPECT_EQ(alarms.AdmitGrowth(0).message(), "etcdserver: corrupt cluster");
}

class Maintenance : public ServerTest {
 protected:
  explicit Maintenance(std::int64_t quota = 0) : ServerTest(WithQuota(quota)) {}

  // Not as a temporary with designated initialisers, which GCC 12 takes for uninitialised.
  static StoreOptions WithQuota(std::int64_t quota) {
    StoreOptions options;
    options.quota_bytes = quota;
    return options;
  }

  std::vector<std::string> DoAlarm(pb::AlarmRequest::AlarmAction action, pb::AlarmType kind) {
    pb::AlarmRequest request;
    request.set_action(action);
    request.set_alarm(kind);
    request.set_memberid(MemberId());
    const auto reply = Call(*maintenance_, &pb::Maintenance::Stub::Alarm, request);
    EXPECT_EQ(reply.text(), "ok");
    std::vector<std::string> alarms;
    for (const auto& alarm : reply.body.alarms()) {
      EXPECT_EQ(alarm.memberid(), MemberId());
      alarms.push_back(pb::AlarmType_Name(alarm.alarm()));
    }
    return alarms;
  }
  std::uint64_t MemberId() {
    return Call(*cluster_, &pb::Cluster::Stub::MemberList, {}).body.members(0).id();
  }
  std::string TryPut(const std::string& value) {
    pb::PutRequest request;
    request.set_key("k");
    request.set_value(value);
    return Call(*kv_, &pb::KV::Stub::Put, request).text();
  }
  pb::StatusResponse Status() {
    return Call(*maintenance_, &pb::Maintenance::Stub::Status, {}).body;
  }

  std::unique_ptr<pb::Maintenance::Stub> maintenance_ = pb::Maintenance::NewStub(channel_);
  std::unique_ptr<pb::Cluster::Stub> cluster_ = pb::Cluster::NewStub(channel_);
};

TEST_F(Maintenance, RaisesListsAndDisarmsAlarms) {
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::NONE), IsEmpty());
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::ACTIVATE, pb::NONE), IsEmpty());
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::DEACTIVATE, pb::NOSPACE), IsEmpty());
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::ACTIVATE, pb::NOSPACE), ElementsAre("NOSPACE"));
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::ACTIVATE, pb::NOSPACE), ElementsAre("NOSPACE"));
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::NONE), ElementsAre("NOSPACE"));
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::CORRUPT), IsEmpty());
  EXPECT_EQ(TryPut("v"), kNoSpace);
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::DEACTIVATE, pb::NOSPACE), ElementsAre("NOSPACE"));
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::NONE), IsEmpty());
  EXPECT_EQ(TryPut("v"), "ok");
}

TEST_F(Maintenance, ReportsSizesAndAlarms) {
  EXPECT_EQ(TryPut(std::string(1000, 'v')), "ok");
  pb::StatusResponse status = Status();
  EXPECT_GE(status.dbsize(), 1000);
  EXPECT_GE(status.dbsizeinuse(), 1000);
  EXPECT_LE(status.dbsizeinuse(), status.dbsize());
  EXPECT_EQ(status.errors_size(), 0);
  EXPECT_EQ(Metric("etcd_mvcc_db_total_size_in_bytes"), status.dbsize());
  EXPECT_EQ(Metric("etcd_server_quota_backend_bytes"), status.dbsizequota());
  EXPECT_GT(Metric("process_resident_memory_bytes"), 1 << 20);
  DoAlarm(pb::AlarmRequest::ACTIVATE, pb::NOSPACE);
  status = Status();
  ASSERT_EQ(status.errors_size(), 1);
  EXPECT_THAT(status.errors(0), HasSubstr("alarm:NOSPACE"));
}

TEST_F(Maintenance, RejectsToMoveTheLeader) {
  pb::MoveLeaderRequest move;
  move.set_targetid(1);
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::MoveLeader, move).text(),
            "etcdserver: bad leader transferee");
  move.set_targetid(MemberId());
  EXPECT_EQ(Call(*maintenance_, &pb::Maintenance::Stub::MoveLeader, move).text(), "ok");
}

TEST_F(Maintenance, PreparesAndCancelsADowngrade) {
  const auto downgrade = [&](pb::DowngradeRequest::DowngradeAction action,
                             const std::string& version) {
    pb::DowngradeRequest request;
    request.set_action(action);
    request.set_version(version);
    const auto reply = Call(*maintenance_, &pb::Maintenance::Stub::Downgrade, request);
    return reply.ok() ? reply.body.version() : reply.text();
  };
  EXPECT_FALSE(Status().downgradeinfo().enabled());
  EXPECT_EQ(downgrade(pb::DowngradeRequest::VALIDATE, "3.6"), "3.7");
  EXPECT_EQ(downgrade(pb::DowngradeRequest::VALIDATE, "3.4.0"),
            "etcdserver: invalid downgrade target version");
  EXPECT_EQ(downgrade(pb::DowngradeRequest::VALIDATE, "x"),
            "etcdserver: wrong downgrade target version format");
  EXPECT_EQ(downgrade(static_cast<pb::DowngradeRequest::DowngradeAction>(7), "3.6"),
            "etcdserver: unknown method");

  EXPECT_EQ(downgrade(pb::DowngradeRequest::ENABLE, "3.6"), "3.7");
  const pb::StatusResponse status = Status();
  EXPECT_TRUE(status.downgradeinfo().enabled());
  EXPECT_EQ(status.downgradeinfo().targetversion(), "3.6.0");
  EXPECT_EQ(status.storageversion(), "3.6.0");
  EXPECT_EQ(status.version(), "3.7.3");
  EXPECT_EQ(downgrade(pb::DowngradeRequest::ENABLE, "3.5"),
            "etcdserver: cluster has a downgrade job in progress");

  EXPECT_EQ(downgrade(pb::DowngradeRequest::CANCEL, ""), "3.6");
  EXPECT_FALSE(Status().downgradeinfo().enabled());
  EXPECT_EQ(downgrade(pb::DowngradeRequest::CANCEL, ""), "3.7") << "although there is none";
}

TEST_F(Maintenance, KeepsItsOneMember) {
  const auto list = Call(*cluster_, &pb::Cluster::Stub::MemberList, {}).body;
  ASSERT_EQ(list.members_size(), 1);
  EXPECT_EQ(list.members(0).id(), list.header().member_id());
  EXPECT_EQ(list.members(0).clienturls(0), "http://" + server_->endpoint());
  pb::MemberRemoveRequest remove;
  remove.set_id(1);
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberRemove, remove).text(),
            "etcdserver: member not found");
  remove.set_id(MemberId());
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberRemove, remove).status.error_code(),
            grpc::UNIMPLEMENTED);
  pb::MemberPromoteRequest promote;
  promote.set_id(MemberId());
  EXPECT_EQ(Call(*cluster_, &pb::Cluster::Stub::MemberPromote, promote).text(),
            "etcdserver: can only promote a learner member");
}

class SmallQuota : public Maintenance {
 protected:
  SmallQuota() : Maintenance(4096) {}
};

TEST_F(SmallQuota, RaisesTheAlarmAndRejectsOnlyWrites) {
  WatchClient watch(server_->endpoint());
  watch.Create("k");
  ASSERT_TRUE(watch.Read()->created());
  EXPECT_EQ(TryPut(std::string(3000, 'v')), "ok");
  EXPECT_EQ(watch.Read()->events_size(), 1);
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/health"), HasSubstr("200 OK"));
  EXPECT_EQ(TryPut(std::string(3000, 'v')), kNoSpace);
  EXPECT_EQ(TryPut("v"), kNoSpace) << "although it would fit";
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::NONE), ElementsAre("NOSPACE"));
  const std::string health = Fetch(server_->http_endpoint(), "/health");
  EXPECT_THAT(health, HasSubstr("503 Service Unavailable"));
  EXPECT_THAT(health, HasSubstr(R"({"health":"false","reason":"ALARM NOSPACE"})"));
  EXPECT_THAT(Fetch(server_->http_endpoint(), "/health?exclude=NOSPACE"), HasSubstr("200 OK"));

  pb::TxnRequest reads;
  reads.add_success()->mutable_request_range()->set_key("k");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Txn, reads).text(), "ok");
  pb::TxnRequest writes = reads;
  writes.add_failure()->mutable_request_put()->set_key("k");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::Txn, writes).text(), kNoSpace);
  pb::DeleteRangeRequest removal;
  removal.set_key("k");
  EXPECT_EQ(Call(*kv_, &pb::KV::Stub::DeleteRange, removal).body.deleted(), 1);
  EXPECT_EQ(watch.Read()->events(0).type(), mvccpb::Event::DELETE);
  EXPECT_TRUE(Compact(3).ok());

  EXPECT_THAT(DoAlarm(pb::AlarmRequest::DEACTIVATE, pb::NOSPACE), ElementsAre("NOSPACE"));
  EXPECT_EQ(TryPut("v"), "ok");
}

class TinyQuota : public Maintenance {
 protected:
  TinyQuota() : Maintenance(kCostOfLease) {}

  std::string TryGrant() {
    pb::LeaseGrantRequest grant;
    grant.set_ttl(600);
    return Call(*lease_, &pb::Lease::Stub::LeaseGrant, grant).text();
  }

  std::unique_ptr<pb::Lease::Stub> lease_ = pb::Lease::NewStub(channel_);
};

TEST_F(TinyQuota, CountsLeases) {
  EXPECT_EQ(TryGrant(), kNoSpace);
  EXPECT_THAT(DoAlarm(pb::AlarmRequest::GET, pb::NONE), ElementsAre("NOSPACE"));
  EXPECT_EQ(Call(*lease_, &pb::Lease::Stub::LeaseLeases, {}).body.leases_size(), 0);
}

class Leased : public Maintenance {};

TEST_F(Leased, CannotBeGrantedButExpiresWithoutSpace) {
  const auto lease = pb::Lease::NewStub(channel_);
  pb::LeaseGrantRequest grant;
  grant.set_id(7);
  grant.set_ttl(600);
  ASSERT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant).text(), "ok");
  DoAlarm(pb::AlarmRequest::ACTIVATE, pb::NOSPACE);
  grant.set_id(8);
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant).text(), kNoSpace);
  pb::LeaseRevokeRequest revoke;
  revoke.set_id(7);
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseRevoke, revoke).text(), "ok");
  DoAlarm(pb::AlarmRequest::DEACTIVATE, pb::NOSPACE);
  EXPECT_EQ(Call(*lease, &pb::Lease::Stub::LeaseGrant, grant).text(), "ok");
}

class NoQuota : public Maintenance {
 protected:
  NoQuota() : Maintenance(-1) {}
};

TEST_F(NoQuota, IsUnlimited) {
  EXPECT_EQ(TryPut(std::string(1 << 20, 'v')), "ok");
  EXPECT_EQ(Metric("etcd_server_quota_backend_bytes"), -1);
}

}  // namespace
}  // namespace watchproof::store
