// SPDX-License-Identifier: Apache-2.0
// Sends the same random requests to two servers, one after the other; their answers must be equal:
// contents, order, revisions, codes and texts.
//
// The servers are named by WATCHPROOF_TEST_ENDPOINTS, two of them separated by a comma, both fresh;
// WATCHPROOF_TEST_REQUESTS is the number of requests, WATCHPROOF_TEST_SEED the seed. Parts that may
// differ are not compared: the identity of the answering server, the remaining time of a lease to
// the second, and the order in which leases and their keys are listed, for which etcd has no rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ci/differential/random_requests.h"
#include "embedded_store/server/wire_client_fixture.h"

namespace watchproof::store {
namespace {

constexpr std::string_view kTxn = "Txn";

std::uint64_t Number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

// Leaves in a response only the parts on which two servers must agree.
template <typename Response>
void Reduce(Response& response) {
  if (!response.has_header()) return;
  const std::int64_t revision = response.header().revision();
  response.mutable_header()->Clear();
  response.mutable_header()->set_revision(revision);
}
void ReduceFurther(const google::protobuf::Message&) {}
void ReduceFurther(pb::LeaseTimeToLiveResponse& response) {
  std::sort(response.mutable_keys()->begin(), response.mutable_keys()->end());
  if (response.ttl() > 0 && response.ttl() > response.grantedttl() - 600) response.set_ttl(1);
}
void ReduceFurther(pb::LeaseLeasesResponse& response) {
  std::sort(response.mutable_leases()->begin(), response.mutable_leases()->end(),
            [](const auto& a, const auto& b) { return a.id() < b.id(); });
}
// Since 3.7 etcd answers reads without values from its index, which knows no leases.
void ReduceFurther(pb::RangeResponse& response) {
  for (mvccpb::KeyValue& kv : *response.mutable_kvs()) {
    if (kv.value().empty()) kv.clear_lease();
  }
}
void ReduceFurther(pb::TxnResponse& response) {
  for (pb::ResponseOp& one : *response.mutable_responses()) {
    if (one.has_response_range()) ReduceFurther(*one.mutable_response_range());
    if (one.has_response_txn()) ReduceFurther(*one.mutable_response_txn());
  }
}

template <typename Response>
std::string Describe(Reply<Response> reply) {
  if (!reply.status.ok()) {
    return fmt::format("code {}: {}", static_cast<int>(reply.status.error_code()),
                       reply.status.error_message());
  }
  Reduce(reply.body);
  ReduceFurther(reply.body);
  return reply.body.DebugString();
}

class Alike : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("WATCHPROOF_TEST_ENDPOINTS");
    if (given == nullptr) GTEST_SKIP() << "WATCHPROOF_TEST_ENDPOINTS names no two servers";
    const std::string both = given;
    const auto comma = both.find(',');
    ASSERT_NE(comma, std::string::npos) << "two endpoints with a comma between";
    first_ = std::make_unique<WireClient>(both.substr(0, comma));
    second_ = std::make_unique<WireClient>(both.substr(comma + 1));
    // Before etcd 3.7 there are no streamed ranges. Without a key they are refused otherwise.
    newer_ = first_->RangeStream({}).status.error_code() != grpc::UNIMPLEMENTED;
  }

  template <typename Request, typename Method>
  void Compare(std::string_view name, const Request& request, Method method) {
    const auto expected = method(*first_, request);
    const auto observed = method(*second_, request);
    if (expected.status.ok()) requests_.Saw(expected.body.header().revision());
    if (newer_ && !expected.status.ok() && !observed.status.ok() && name == kTxn) return;
    EXPECT_EQ(Describe(expected), Describe(observed))
        << "request " << number_ << " of seed " << seed_ << ", " << name << ":\n"
        << request.DebugString();
  }
  void Step();
  void StepOfLeases();

  const std::uint64_t seed_ = Number("WATCHPROOF_TEST_SEED", 1);
  RandomRequests requests_{Prng(seed_)};
  Prng choice_ = Prng(seed_).Fork("which request");
  std::uint64_t number_ = 0;
  // The first is an etcd 3.7 or later. Of several reasons to refuse a transaction it finds another
  // one first.
  bool newer_ = false;
  std::unique_ptr<WireClient> first_;
  std::unique_ptr<WireClient> second_;
};

void Alike::Step() {
  switch (choice_.Below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return Compare("Put", requests_.Put(), [](auto& c, auto& r) { return c.Put(r); });
    case 4:
    case 5:
      return Compare("Delete", requests_.Delete(), [](auto& c, auto& r) { return c.Delete(r); });
    case 6:
      if (!choice_.Chance(0.3)) return;
      return Compare("Compact", requests_.Compact(), [](auto& c, auto& r) { return c.Compact(r); });
    case 7:
    case 8:
    case 9:
      return StepOfLeases();
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
      return Compare(kTxn, requests_.Txn(), [](auto& c, auto& r) { return c.Txn(r); });
    case 15:
      if (!newer_) return;
      return Compare("RangeStream", requests_.Range(),
                     [](auto& c, auto& r) { return c.RangeStream(r); });
    default:
      return Compare("Range", requests_.Range(), [](auto& c, auto& r) { return c.Range(r); });
  }
}

void Alike::StepOfLeases() {
  switch (choice_.Below(8)) {
    case 0:
    case 1:
    case 2:
      return Compare("Grant", requests_.Grant(), [](auto& c, auto& r) { return c.Grant(r); });
    case 3:
      return Compare("Revoke", requests_.Revoke(), [](auto& c, auto& r) { return c.Revoke(r); });
    case 4:
      return Compare("Leases", pb::LeaseLeasesRequest(),
                     [](auto& c, auto& r) { return c.Leases(r); });
    case 5:
      return Compare("KeepAlive", requests_.KeepAlive(),
                     [](auto& c, auto& r) { return c.KeepAlive(r); });
    default:
      return Compare("TimeToLive", requests_.TimeToLive(),
                     [](auto& c, auto& r) { return c.TimeToLive(r); });
  }
}

TEST_F(Alike, GiveEqualAnswersToRandomRequests) {
  const std::uint64_t count = Number("WATCHPROOF_TEST_REQUESTS", 1000);
  for (number_ = 1; number_ <= count; ++number_) {
    Step();
    // After the first difference the two servers are in different states.
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace watchproof::store
