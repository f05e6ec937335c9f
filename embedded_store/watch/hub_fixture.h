// SPDX-License-Identifier: Apache-2.0
// A store, a hub and a virtual clock that only the test advances; the replies on their streams are
// shown as short texts.
//
// Not thread-safe. Test code only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/store_fixture.h"
#include "embedded_store/watch/watch_hub.h"

namespace watchproof::store {

// As a sender would find them now.
inline std::vector<Event> Events(const WatchReply& reply) {
  std::vector<Event> events;
  if (!reply.batch) return events;
  for (const PendingEvent& event : reply.batch->events()) {
    events.push_back({event.change, event.previous.lock()});
  }
  return events;
}

// "created 0@1", "refused -1@1 reason", "events 0@3 put k=v@3, delete k@4", "progress -1@3",
// "compacted 0@9 at 5", "canceled 0@9", "ended 0@9 reason": kind, watch id, header revision, the
// rest.
inline std::string Text(const WatchReply& reply) {
  const std::string at = fmt::format("{}@{}", reply.watch, reply.revision);
  if (reply.created && reply.canceled) return fmt::format("refused {} {}", at, reply.reason);
  if (reply.created) return "created " + at;
  if (reply.compacted.value > 0) return fmt::format("compacted {} at {}", at, reply.compacted);
  if (reply.canceled && !reply.reason.empty()) return "ended " + at + " " + reply.reason;
  if (reply.canceled) return "canceled " + at;
  if (!reply.batch) return "progress " + at;
  return fmt::format("events {} {}", at, fmt::join(Texts(Events(reply)), ", "));
}

class CountingSink final : public StreamSink {
 public:
  void Ready() override { ++calls; }
  int calls = 0;
};

// One stream and what a client would do with it.
class Client {
 public:
  Client(WatchHub& hub, TimePoint now)
      : hub_(hub), queue_(std::make_shared<StreamQueue>(hub.limits(), hub.counters())) {
    id_ = hub.Open(queue_, sink_, now);
  }
  void Watch(WatchSpec spec) { hub_.Create(id_, std::move(spec)); }
  void WatchKey(const std::string& key, std::int64_t start = 0) {
    Watch({.range = KeyRange::Single(key), .start = Revision{start}});
  }
  void Cancel(std::int64_t id) { hub_.Cancel(id_, WatchId{id}); }
  void AskProgress() { hub_.RequestProgress(id_); }
  void Close() { hub_.Close(id_); }
  std::vector<WatchReply> ReadReplies() {
    std::vector<WatchReply> replies;
    while (auto taken = queue_->Next()) replies.push_back(std::move(taken->reply));
    return replies;
  }
  std::vector<std::string> Read() {
    std::vector<std::string> texts;
    for (const WatchReply& reply : ReadReplies()) texts.push_back(Text(reply));
    return texts;
  }
  const CountingSink& sink() const { return *sink_; }
  StreamQueue& queue() { return *queue_; }

 private:
  WatchHub& hub_;
  std::shared_ptr<CountingSink> sink_ = std::make_shared<CountingSink>();
  std::shared_ptr<StreamQueue> queue_;
  StreamId id_;
};

class HubTest : public testing::Test {
 protected:
  explicit HubTest(Hooks hooks = {}, WatchLimits limits = {})
      : hooks_(std::move(hooks)), limits_(limits) {}
  Client Open() { return Client(hub_, now_); }
  // A write that has reached the hub.
  Revision Write(const std::string& key, const std::string& value = "v") {
    const Revision at = Put(store_, key, value);
    hub_.CommitStep();
    return at;
  }
  void WriteTimes(int times, const std::string& key) {
    for (int i = 0; i < times; ++i) Write(key);
  }
  void Compact(std::int64_t floor) { ASSERT_TRUE(store_.Compact(Revision{floor}).has_value()); }
  // Steps until no watcher can be served at once. Returns the number of steps.
  int SyncAll() {
    int steps = 1;
    while (hub_.SyncStep(now_) == now_) ++steps;
    return steps;
  }
  int ServeVictims() {
    int steps = 1;
    while (hub_.VictimStep(now_) == now_) ++steps;
    return steps;
  }

  const Hooks hooks_;
  const WatchLimits limits_;
  MvccStore store_{hooks_};
  WatchHub hub_{store_, hooks_, limits_};
  TimePoint now_{std::chrono::hours(1)};
};

}  // namespace watchproof::store
