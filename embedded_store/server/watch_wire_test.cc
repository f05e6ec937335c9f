// SPDX-License-Identifier: Apache-2.0
// What is written by hand, read back with the generated messages.
#include "embedded_store/server/watch_wire.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

namespace pb = etcdserverpb;

pb::WatchResponse Parse(grpc::ByteBuffer bytes) {
  pb::WatchResponse response;
  const grpc::Status status =
      grpc::SerializationTraits<pb::WatchResponse>::Deserialize(&bytes, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

std::vector<pb::WatchResponse> Messages(WatchReply reply, std::size_t most_bytes = 1 << 20) {
  std::vector<pb::WatchResponse> messages;
  WireReply wire(std::move(reply), most_bytes);
  while (auto message = wire.Next()) messages.push_back(Parse(*std::move(message)));
  return messages;
}

ChangePtr PutOf(std::int64_t revision, std::string value) {
  return std::make_shared<const Change>(Change{.kv = {.key = "key",
                                                      .value = std::move(value),
                                                      .create = Revision{2},
                                                      .mod = Revision{revision},
                                                      .version = revision - 1,
                                                      .lease = -5}});
}

BatchPtr Batch(std::vector<PendingEvent> events) {
  return std::make_shared<const EventBatch>(std::move(events));
}

TEST(WireReply, EncodesAnAnswer) {
  const auto messages = Messages({.watch = WatchId{-1},
                                  .revision = Revision{std::numeric_limits<std::int64_t>::max()},
                                  .created = true,
                                  .canceled = true,
                                  .compacted = Revision{300},
                                  .reason = "because"});
  ASSERT_EQ(messages.size(), 1U);
  const pb::WatchResponse& message = messages[0];
  EXPECT_NE(message.header().cluster_id(), 0U);
  EXPECT_NE(message.header().member_id(), 0U);
  EXPECT_NE(message.header().raft_term(), 0U);
  EXPECT_EQ(message.header().revision(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(message.watch_id(), -1);
  EXPECT_TRUE(message.created());
  EXPECT_TRUE(message.canceled());
  EXPECT_EQ(message.compact_revision(), 300);
  EXPECT_EQ(message.cancel_reason(), "because");
  EXPECT_FALSE(message.fragment());
  EXPECT_EQ(message.events_size(), 0);
}

TEST(WireReply, CarriesEveryFieldOfAnEvent) {
  const ChangePtr old = PutOf(6, std::string(200, '\0'));
  const auto gone = std::make_shared<const Change>(
      Change{.kind = ChangeKind::kDelete, .kv = {.key = "key", .value = {}, .mod = Revision{8}}});
  const auto messages =
      Messages({.watch = WatchId{7},
                .revision = Revision{9},
                .batch = Batch({{.change = PutOf(7, "new"), .previous = old}, {.change = gone}})});
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].watch_id(), 7);
  ASSERT_EQ(messages[0].events_size(), 2);
  const mvccpb::Event& put = messages[0].events(0);
  EXPECT_EQ(put.type(), mvccpb::Event::PUT);
  EXPECT_EQ(put.kv().key(), "key");
  EXPECT_EQ(put.kv().value(), "new");
  EXPECT_EQ(put.kv().create_revision(), 2);
  EXPECT_EQ(put.kv().mod_revision(), 7);
  EXPECT_EQ(put.kv().version(), 6);
  EXPECT_EQ(put.kv().lease(), -5);
  EXPECT_EQ(put.prev_kv().value(), std::string(200, '\0'));
  EXPECT_EQ(put.prev_kv().mod_revision(), 6);
  const mvccpb::Event& removal = messages[0].events(1);
  EXPECT_EQ(removal.type(), mvccpb::Event::DELETE);
  EXPECT_EQ(removal.kv().mod_revision(), 8);
  EXPECT_EQ(removal.kv().version(), 0);
  EXPECT_FALSE(removal.has_prev_kv());
}

// #10681: compaction came between the queueing and the sending.
TEST(WireReply, OmitsACompactedPreviousValue) {
  ChangePtr old = PutOf(6, "old");
  const BatchPtr batch = Batch({{.change = PutOf(7, "new"), .previous = old}});
  old.reset();
  EXPECT_FALSE(Messages({.batch = batch})[0].events(0).has_prev_kv());
}

TEST(WireReply, EncodesABatchOnceForAllItsWatchers) {
  const BatchPtr batch = Batch({{.change = PutOf(7, "new")}});
  EXPECT_EQ(Messages({.watch = WatchId{1}, .batch = batch})[0].watch_id(), 1);
  const auto encoded = batch->encoded();
  ASSERT_NE(encoded, nullptr);
  EXPECT_EQ(Messages({.watch = WatchId{2}, .batch = batch})[0].watch_id(), 2);
  EXPECT_EQ(batch->encoded(), encoded);
}

TEST(WireReply, IsCutIntoFragmentsOnRequest) {
  std::vector<PendingEvent> events;
  for (int i = 0; i < 10; ++i) events.push_back({.change = PutOf(2 + i, std::string(300, 'x'))});
  events.push_back({.change = PutOf(20, std::string(5000, 'x'))});
  events.push_back({.change = PutOf(21, "")});
  const BatchPtr batch = Batch(events);
  EXPECT_EQ(Messages({.batch = batch}, 1200).size(), 1U);
  const auto parts = Messages({.watch = WatchId{3}, .may_fragment = true, .batch = batch}, 1200);
  ASSERT_GE(parts.size(), 5U);
  int next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].watch_id(), 3);
    EXPECT_EQ(parts[i].fragment(), i + 1 < parts.size()) << "part " << i;
    EXPECT_TRUE(parts[i].events_size() == 1 || parts[i].ByteSizeLong() <= 1200) << "part " << i;
    for (const mvccpb::Event& event : parts[i].events()) {
      EXPECT_EQ(event.kv().mod_revision(),
                events[static_cast<std::size_t>(next++)].change->kv.mod.value);
    }
  }
  EXPECT_EQ(next, 12);
}

}  // namespace
}  // namespace watchproof::store
