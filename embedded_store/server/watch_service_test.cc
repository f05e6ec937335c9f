// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/generic/generic_stub.h>

#include "embedded_store/server/server_fixture.h"
#include "embedded_store/server/services.h"

namespace watchproof::store {
namespace {

constexpr const char* kSlow = "etcd_debugging_mvcc_slow_watcher_total";
constexpr const char* kWatchers = "etcd_debugging_mvcc_watcher_total";
constexpr const char* kStreams = "etcd_debugging_mvcc_watch_stream_total";
constexpr const char* kPending = "etcd_debugging_mvcc_pending_events_total";

bool IsCreated(const pb::WatchResponse& response) { return response.created(); }
bool HasEvents(const pb::WatchResponse& response) { return response.events_size() > 0; }

class WatchCalls : public ServerTest {};

TEST_F(WatchCalls, DeliverHistoryAndNewEvents) {
  Put("k", "old");
  WatchClient client(server_->endpoint());
  pb::WatchCreateRequest create;
  create.set_key("k");
  create.set_start_revision(2);
  create.set_prev_kv(true);
  client.Create(create);
  ASSERT_TRUE(client.Read()->created());
  EXPECT_EQ(client.Read()->events(0).kv().value(), "old");
  Put("k", "new");
  const auto response = client.Read();
  EXPECT_EQ(response->events(0).kv().value(), "new");
  EXPECT_EQ(response->events(0).prev_kv().value(), "old");
  EXPECT_EQ(response->header().revision(), 3);
}

TEST_F(WatchCalls, GoOnAfterTheClientClosedItsHalf) {
  WatchClient client(server_->endpoint());
  client.Create("k");
  ASSERT_TRUE(client.Read()->created());
  client.CloseHalf();
  Put("k", "still");
  EXPECT_EQ(client.Read()->events(0).kv().value(), "still");
}

TEST_F(WatchCalls, AreRemovedWhenTheClientDisconnects) {
  {
    WatchClient client(server_->endpoint());
    client.Create("k");
    ASSERT_TRUE(client.Read()->created());
    EXPECT_EQ(Metric(kStreams), 1);
  }
  EXPECT_TRUE(AwaitMetric(kStreams, [](auto n) { return n == 0; }));
  EXPECT_EQ(Metric(kWatchers), 0);
}

TEST_F(WatchCalls, BoundTheirRepliesAndSplitLargerOnesOnRequest) {
  for (int i = 0; i < 40; ++i) Put(fmt::format("k{}", i), std::string(100'000, 'x'));
  WatchClient client(server_->endpoint());
  pb::WatchCreateRequest create;
  create.set_key("k");
  create.set_range_end("l");
  create.set_start_revision(2);
  client.Create(create);
  for (const pb::WatchResponse& one : client.ReadUntil(40, HasEvents)) {
    EXPECT_EQ(one.events_size(), 1) << "no client has to take more than one revision above 64 KiB";
  }
  create.set_fragment(true);
  client.Create(create);
  const auto parts = client.ReadUntil(2, HasEvents);
  EXPECT_EQ(parts[0].events_size() + parts[1].events_size(), 40);
  EXPECT_TRUE(parts[0].fragment());
  EXPECT_FALSE(parts[1].fragment());
  EXPECT_LE(parts[0].ByteSizeLong(), kMaxReceiveBytes);
}

TEST_F(WatchCalls, EndWithAnErrorOnAMalformedRequest) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + 20s);
  grpc::CompletionQueue queue;
  const auto await = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  auto call = stub.PrepareCall(&context, "/etcdserverpb.Watch/Watch", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(await());
  const grpc::Slice nonsense("\xff\xff\xff");
  call->Write(grpc::ByteBuffer(&nonsense, 1), nullptr);
  ASSERT_TRUE(await());
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(await());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  queue.Shutdown();
}

class PeriodicProgress : public ServerTest {
 protected:
  PeriodicProgress() : ServerTest({.progress_interval = 10ms}) {}
};

TEST_F(PeriodicProgress, Comes) {
  WatchClient client(server_->endpoint());
  pb::WatchCreateRequest create;
  create.set_key("k");
  create.set_progress_notify(true);
  client.Create(create);
  ASSERT_TRUE(client.Read()->created());
  for (int i = 0; i < 2; ++i) {
    const auto response = client.Read();
    EXPECT_EQ(response->watch_id(), 0);
    EXPECT_EQ(response->events_size(), 0);
    EXPECT_EQ(response->header().revision(), 1);
  }
}

// The recipe of #17529: a reader stops; the queue of its stream fills; its watchers fall behind the
// floor, and watches created on the same stream meanwhile start below it.
class StalledReader : public ServerTest {
 protected:
  explicit StalledReader(std::vector<std::string> defects = {})
      : ServerTest({.defects = std::move(defects)}) {}

  static constexpr int kWatches = 100;
  // Replies above the client's window: the first one blocks the sender, and few more fill the queue
  // by their bytes. After the put that found no room at all more than one must follow, so that
  // every watch misses something.
  static constexpr int kPuts = 6;
  static constexpr std::size_t kValueBytes = 1 << 20;
  static constexpr int kOldWatches = 8;
  static constexpr int kFirstOld = 1000;

  // Returns the head, at which the store is then compacted.
  std::int64_t Stall(WatchClient& client) {
    for (int i = 1; i <= kWatches; ++i) client.Create("fat", 0, i);
    EXPECT_EQ(client.ReadUntil(kWatches, IsCreated).size(), 100U);
    std::int64_t head = 0;
    for (int i = 0; i < kPuts; ++i) head = Put("fat", std::string(kValueBytes, 'x'));
    EXPECT_TRUE(AwaitMetric(kSlow, [](auto n) { return n == kWatches; }));
    EXPECT_TRUE(AwaitMetric(kPending, [](auto n) { return n >= 16; }));
    EXPECT_TRUE(Compact(head).ok());
    return head;
  }
  void CreateOldWatches(WatchClient& client) {
    for (int i = 0; i < kOldWatches; ++i) client.Create("old", 2, kFirstOld + i);
    EXPECT_TRUE(AwaitMetric(kWatchers, [](auto n) { return n == kWatches + kOldWatches; }));
  }
};

TEST_F(StalledReader, HasSlowWatchersAndGetsEveryNotice) {
  WatchClient client(server_->endpoint());
  const std::int64_t head = Stall(client);
  CreateOldWatches(client);
  const auto notices = client.ReadUntil(kWatches + kOldWatches, [&](const pb::WatchResponse& r) {
    return r.canceled() && r.compact_revision() == head;
  });
  EXPECT_EQ(notices.size(), 108U);
  EXPECT_TRUE(AwaitMetric(kSlow, [](auto n) { return n == 0; }));
  EXPECT_EQ(Metric(kPending), 0);
}

TEST_F(StalledReader, GetsAllItsCreatesAnswered) {
  WatchClient client(server_->endpoint());
  Stall(client);
  for (int i = 0; i < 40; ++i) client.Create("new", 0, kFirstOld + i);
  EXPECT_TRUE(AwaitMetric(kWatchers, [](auto n) { return n >= kWatches + 17; }));
  const auto created = client.ReadUntil(40, IsCreated);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(created[static_cast<std::size_t>(i)].watch_id(), kFirstOld + i);
  }
}

TEST_F(StalledReader, CanBeCancelled) {
  WatchClient client(server_->endpoint());
  Stall(client);
  client.Cancel();
  EXPECT_TRUE(AwaitMetric(kStreams, [](auto n) { return n == 0; }));
  EXPECT_EQ(Metric(kSlow), 0);
  EXPECT_TRUE(AwaitMetric(kPending, [](auto n) { return n == 0; }));
}

class StalledReaderOfADefectiveStore : public StalledReader {
 protected:
  StalledReaderOfADefectiveStore() : StalledReader({"compaction-notice-lost"}) {}
};

TEST_F(StalledReaderOfADefectiveStore, NeverReceivesTheCompactionNotice) {
  WatchClient client(server_->endpoint());
  Stall(client);
  CreateOldWatches(client);
  // The step that drops the notices declares these watchers synced.
  ASSERT_TRUE(AwaitMetric(kSlow, [](auto n) { return n <= kWatches; }));
  const std::int64_t live = Put("old", "live");
  const auto seen = client.ReadUntil(kOldWatches, [](const pb::WatchResponse& response) {
    return response.watch_id() >= kFirstOld && !response.created();
  });
  for (const pb::WatchResponse& response : seen) {
    EXPECT_FALSE(response.canceled());
    EXPECT_EQ(response.events(0).kv().mod_revision(), live);
  }
}

}  // namespace
}  // namespace watchproof::store
