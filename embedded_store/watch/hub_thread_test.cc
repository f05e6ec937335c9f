// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/hub_thread.h"

#include <semaphore>

#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

// A client of a hub on its own thread: it empties its queue whenever Ready is called.
class ThreadClient final : public StreamSink, public std::enable_shared_from_this<ThreadClient> {
 public:
  explicit ThreadClient(HubThread& hub)
      : hub_(hub), queue_(std::make_shared<StreamQueue>(hub.limits(), hub.counters())) {}
  void Watch(WatchSpec spec) {
    hub_.Post([self = shared_from_this(), spec](WatchHub& hub, TimePoint now) {
      if (self->id_.value == 0) self->id_ = hub.Open(self->queue_, self, now);
      hub.Create(self->id_, spec);
    });
  }
  void Ready() override { ready_.release(); }
  std::string Await() {
    const Deadline deadline = Within(10s);
    do {
      if (const auto taken = queue_->Next()) {
        if (taken->room_made) hub_.RoomMade();
        return Text(taken->reply);
      }
    } while (ready_.try_acquire_until(deadline.at()));
    return "nothing came";
  }

 private:
  HubThread& hub_;
  std::shared_ptr<StreamQueue> queue_;
  StreamId id_;
  std::counting_semaphore<> ready_{0};
};

TEST(HubThread, FeedsCommitsAndRunsItsStepsByItself) {
  MvccStore store;
  Hooks hooks;
  HubThread hub(store, hooks, {.sync_interval = 1ms, .progress_interval = 1ms});
  Put(store, "k", "old");
  hub.CommitMade();
  const auto client = std::make_shared<ThreadClient>(hub);
  client->Watch({.range = {"k"}, .start = Revision{2}});
  EXPECT_EQ(client->Await(), "created 0@2");
  EXPECT_EQ(client->Await(), "events 0@2 put k=old@2");
  Put(store, "k", "new");
  hub.CommitMade();
  EXPECT_EQ(client->Await(), "events 0@3 put k=new@3");
  client->Watch({.range = {"none"}, .progress_notify = true});
  EXPECT_EQ(client->Await(), "created 1@3");
  EXPECT_EQ(client->Await(), "progress 1@3");
  hub.Stop();
}

TEST(RoundPause, GrowsWithTheNumberOfWatchersUpToABound) {
  EXPECT_EQ(RoundPause(0), Duration::zero());
  EXPECT_EQ(RoundPause(10), Duration::zero()) << "not worth a timer";
  EXPECT_GT(RoundPause(100), Duration::zero());
  EXPECT_LT(RoundPause(100), RoundPause(200));
  EXPECT_EQ(RoundPause(1000), RoundPause(1'000'000));
}

TEST(HubThread, DropsTasksPostedAfterStop) {
  MvccStore store;
  Hooks hooks;
  HubThread hub(store, hooks, {});
  hub.Stop();
  hub.Stop();
  hub.CommitMade();
  hub.Post([](WatchHub&, TimePoint) { FAIL() << "the hub has stopped"; });
}

}  // namespace
}  // namespace watchproof::store
