// SPDX-License-Identifier: Apache-2.0
// The errors of the API with etcd's codes and texts, each provoked over the wire. Clients
// distinguish errors by both.
//
// Runs against a store server of its own, or against WATCHPROOF_TEST_ENDPOINT, so that a real etcd
// can confirm the table. Rows share one server: none relies on a revision that another row could
// change.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "embedded_store/server/error_table_fixture.h"
#include "embedded_store/server/wire_client_fixture.h"

namespace watchproof::store {
namespace {

constexpr char kCompacted[] = "etcdserver: mvcc: required revision has been compacted";
constexpr char kFuture[] = "etcdserver: mvcc: required revision is a future revision";
constexpr char kEmptyKey[] = "etcdserver: key is not provided";
constexpr char kKeyNotFound[] = "etcdserver: key not found";
constexpr char kTooManyOperations[] = "etcdserver: too many operations in txn request";
constexpr char kDuplicateKey[] = "etcdserver: duplicate key given in txn request";
constexpr char kLeaseNotFound[] = "etcdserver: requested lease not found";
constexpr char kTooLarge[] = "etcdserver: request is too large";
constexpr char kSortOption[] = "etcdserver: invalid sort option";

pb::PutRequest MakePut(const std::string& key) {
  pb::PutRequest put;
  put.set_key(key);
  return put;
}
pb::RangeRequest MakeRange(const std::string& key, std::int64_t revision = 0) {
  pb::RangeRequest range;
  range.set_key(key);
  range.set_revision(revision);
  return range;
}
std::int64_t Current(WireClient& client) {
  return client.Range(MakeRange("k")).body.header().revision();
}
grpc::Status Compact(WireClient& client, std::int64_t revision) {
  pb::CompactionRequest request;
  request.set_revision(revision);
  return client.Compact(request).status;
}
// The revision before the one that is now the floor.
std::int64_t MakeFloor(WireClient& client) {
  client.Put(MakePut("k"));
  const std::int64_t floor = client.Put(MakePut("k")).body.header().revision();
  EXPECT_TRUE(Compact(client, floor).ok());
  return floor - 1;
}
grpc::Status Grant(WireClient& client, std::int64_t id, std::int64_t ttl) {
  pb::LeaseGrantRequest request;
  request.set_id(id);
  request.set_ttl(ttl);
  return client.Grant(request).status;
}
pb::TxnRequest Twice(const std::string& key) {
  pb::TxnRequest txn;
  for (int i = 0; i < 2; ++i) txn.add_success()->mutable_request_put()->set_key(key);
  return txn;
}

using Row = ErrorRow<WireClient>;

const Row kRange[] = {
    {"RangeWithoutKey", grpc::INVALID_ARGUMENT, kEmptyKey,
     [](WireClient& client) { return client.Range(MakeRange("")).status; }},
    {"RangeInTheFuture", grpc::OUT_OF_RANGE, kFuture,
     [](WireClient& client) {
       return client.Range(MakeRange("k", Current(client) + 1000)).status;
     }},
    {"RangeBelowTheFloor", grpc::OUT_OF_RANGE, kCompacted,
     [](WireClient& client) { return client.Range(MakeRange("k", MakeFloor(client))).status; }},
    {"RangeSortedByNonsense", grpc::INVALID_ARGUMENT, kSortOption,
     [](WireClient& client) {
       pb::RangeRequest range = MakeRange("k");
       range.set_sort_target(static_cast<pb::RangeRequest::SortTarget>(9));
       return client.Range(range).status;
     },
     Since::k36},
    {"RangeOrderedByNonsense", grpc::INVALID_ARGUMENT, kSortOption,
     [](WireClient& client) {
       pb::RangeRequest range = MakeRange("k");
       range.set_sort_order(static_cast<pb::RangeRequest::SortOrder>(9));
       return client.Range(range).status;
     },
     Since::k36},
};

const Row kPut[] = {
    {"PutWithoutKey", grpc::INVALID_ARGUMENT, kEmptyKey,
     [](WireClient& client) { return client.Put(MakePut("")).status; }},
    {"PutOfAValueToIgnore", grpc::INVALID_ARGUMENT, "etcdserver: value is provided",
     [](WireClient& client) {
       pb::PutRequest put = MakePut("k");
       put.set_value("v");
       put.set_ignore_value(true);
       return client.Put(put).status;
     }},
    {"PutOfALeaseToIgnore", grpc::INVALID_ARGUMENT, "etcdserver: lease is provided",
     [](WireClient& client) {
       pb::PutRequest put = MakePut("k");
       put.set_lease(1);
       put.set_ignore_lease(true);
       return client.Put(put).status;
     }},
    {"PutKeepingTheValueOfNothing", grpc::INVALID_ARGUMENT, kKeyNotFound,
     [](WireClient& client) {
       pb::PutRequest put = MakePut("never there");
       put.set_ignore_value(true);
       return client.Put(put).status;
     }},
    {"PutKeepingTheLeaseOfNothing", grpc::INVALID_ARGUMENT, kKeyNotFound,
     [](WireClient& client) {
       pb::PutRequest put = MakePut("never there");
       put.set_ignore_lease(true);
       return client.Put(put).status;
     }},
    {"PutWithAnUnknownLease", grpc::NOT_FOUND, kLeaseNotFound,
     [](WireClient& client) {
       pb::PutRequest put = MakePut("k");
       put.set_lease(404);
       return client.Put(put).status;
     }},
    {"PutThatIsTooLarge", grpc::INVALID_ARGUMENT, kTooLarge,
     [](WireClient& client) {
       pb::PutRequest put = MakePut("k");
       put.set_value(std::string(1536 * 1024, 'x'));
       return client.Put(put).status;
     }},
    {"PutThatTheTransportRefuses", grpc::RESOURCE_EXHAUSTED, nullptr,
     [](WireClient& client) {
       pb::PutRequest put = MakePut("k");
       put.set_value(std::string(2048 * 1024, 'x'));
       return client.Put(put).status;
     }},
    {"DeleteWithoutKey", grpc::INVALID_ARGUMENT, kEmptyKey,
     [](WireClient& client) { return client.Delete({}).status; }},
};

const Row kTxn[] = {
    {"TxnWithTheSameKeyTwice", grpc::INVALID_ARGUMENT, kDuplicateKey,
     [](WireClient& client) { return client.Txn(Twice("k")).status; }},
    {"TxnPuttingWhatItDeletes", grpc::INVALID_ARGUMENT, kDuplicateKey,
     [](WireClient& client) {
       pb::TxnRequest txn;
       txn.add_success()->mutable_request_put()->set_key("k");
       auto* removal = txn.add_success()->mutable_request_delete_range();
       removal->set_key("a");
       removal->set_range_end("z");
       return client.Txn(txn).status;
     }},
    {"TxnWithTheSameKeyTwiceWithin", grpc::INVALID_ARGUMENT, kDuplicateKey,
     [](WireClient& client) {
       pb::TxnRequest txn;
       *txn.add_failure()->mutable_request_txn() = Twice("k");
       return client.Txn(txn).status;
     }},
    {"TxnWithTooManyOperations", grpc::INVALID_ARGUMENT, kTooManyOperations,
     [](WireClient& client) {
       pb::TxnRequest txn;
       for (int i = 0; i < 129; ++i) txn.add_failure()->mutable_request_range()->set_key("k");
       return client.Txn(txn).status;
     }},
    {"TxnWithTooManyComparisons", grpc::INVALID_ARGUMENT, kTooManyOperations,
     [](WireClient& client) {
       pb::TxnRequest txn;
       for (int i = 0; i < 129; ++i) txn.add_compare()->set_key("k");
       return client.Txn(txn).status;
     }},
    {"TxnComparingNoKey", grpc::INVALID_ARGUMENT, kEmptyKey,
     [](WireClient& client) {
       pb::TxnRequest txn;
       txn.add_compare();
       return client.Txn(txn).status;
     }},
    {"TxnWithAnOperationOfNoKind", grpc::INVALID_ARGUMENT, kKeyNotFound,
     [](WireClient& client) {
       pb::TxnRequest txn;
       txn.add_success();
       return client.Txn(txn).status;
     }},
    {"TxnReadingTheFuture", grpc::OUT_OF_RANGE, kFuture,
     [](WireClient& client) {
       pb::TxnRequest txn;
       *txn.add_success()->mutable_request_range() = MakeRange("k", Current(client) + 1000);
       return client.Txn(txn).status;
     }},
    {"TxnReadingBelowTheFloor", grpc::OUT_OF_RANGE, kCompacted,
     [](WireClient& client) {
       pb::TxnRequest txn;
       *txn.add_success()->mutable_request_range() = MakeRange("k", MakeFloor(client));
       return client.Txn(txn).status;
     }},
    {"TxnPuttingWithAnUnknownLease", grpc::NOT_FOUND, kLeaseNotFound,
     [](WireClient& client) {
       pb::TxnRequest txn;
       txn.add_success()->mutable_request_put()->set_key("k");
       txn.mutable_success(0)->mutable_request_put()->set_lease(404);
       return client.Txn(txn).status;
     }},
    {"TxnKeepingTheValueOfNothing", grpc::INVALID_ARGUMENT, kKeyNotFound,
     [](WireClient& client) {
       pb::TxnRequest txn;
       txn.add_success()->mutable_request_put()->set_key("never there");
       txn.mutable_success(0)->mutable_request_put()->set_ignore_value(true);
       return client.Txn(txn).status;
     }},
    {"TxnThatIsTooLarge", grpc::INVALID_ARGUMENT, kTooLarge,
     [](WireClient& client) {
       pb::TxnRequest txn;
       auto* put = txn.add_success()->mutable_request_put();
       put->set_key("k");
       put->set_value(std::string(1536 * 1024, 'x'));
       return client.Txn(txn).status;
     }},
};

const Row kCompaction[] = {
    {"CompactTwice", grpc::OUT_OF_RANGE, kCompacted,
     [](WireClient& client) { return Compact(client, MakeFloor(client) + 1); }},
    {"CompactBelowTheFloor", grpc::OUT_OF_RANGE, kCompacted,
     [](WireClient& client) { return Compact(client, MakeFloor(client)); }},
    {"CompactAtNothing", grpc::OUT_OF_RANGE, kCompacted,
     [](WireClient& client) {
       MakeFloor(client);
       return Compact(client, 0);
     }},
    {"CompactTheFuture", grpc::OUT_OF_RANGE, kFuture,
     [](WireClient& client) { return Compact(client, Current(client) + 1000); }},
};

const Row kLease[] = {
    {"GrantTwice", grpc::FAILED_PRECONDITION, "etcdserver: lease already exists",
     [](WireClient& client) {
       EXPECT_TRUE(Grant(client, 11, 600).ok());
       return Grant(client, 11, 600);
     }},
    {"GrantForever", grpc::OUT_OF_RANGE, "etcdserver: too large lease TTL",
     [](WireClient& client) { return Grant(client, 12, 9'000'000'001); }},
    {"RevokeAnUnknownLease", grpc::NOT_FOUND, kLeaseNotFound,
     [](WireClient& client) {
       pb::LeaseRevokeRequest request;
       request.set_id(404);
       return client.Revoke(request).status;
     }},
};

class ErrorTable : public testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    const StoreOptions options;
    server_ = std::make_unique<AskedServer>(options);
    client_ = std::make_unique<WireClient>(server_->endpoint());
  }
  static void TearDownTestSuite() {
    client_.reset();
    server_.reset();
  }

  inline static std::unique_ptr<AskedServer> server_;
  inline static std::unique_ptr<WireClient> client_;
};

TEST_P(ErrorTable, IsEtcds) {
  if (!server_->ours() && GetParam().since > Since::k35) GTEST_SKIP() << "asked of an etcd 3.5";
  ExpectRefused(GetParam(), GetParam().provoke(*client_));
}

INSTANTIATE_TEST_SUITE_P(Range, ErrorTable, testing::ValuesIn(kRange), NameOfRow<Row>);
INSTANTIATE_TEST_SUITE_P(Put, ErrorTable, testing::ValuesIn(kPut), NameOfRow<Row>);
INSTANTIATE_TEST_SUITE_P(Txn, ErrorTable, testing::ValuesIn(kTxn), NameOfRow<Row>);
INSTANTIATE_TEST_SUITE_P(Compaction, ErrorTable, testing::ValuesIn(kCompaction), NameOfRow<Row>);
INSTANTIATE_TEST_SUITE_P(Lease, ErrorTable, testing::ValuesIn(kLease), NameOfRow<Row>);

}  // namespace
}  // namespace watchproof::store
