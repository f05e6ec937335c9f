// SPDX-License-Identifier: Apache-2.0
// Previous values that compaction takes before they are sent: left out, or in strict mode the end
// of the watch.
#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

class PreviousGone : public HubTest {
 protected:
  explicit PreviousGone(WatchLimits limits = {}) : HubTest(Hooks(), limits) {}
  void WatchWithPrevious(Client& client, std::int64_t start = 0) {
    client.Watch(
        {.range = KeyRange::Single("k"), .start = Revision{start}, .previous_values = true});
  }
};
class StrictPrevious : public PreviousGone {
 protected:
  StrictPrevious() : PreviousGone({.strict_previous = true}) {}
};

// #10681: the event is promised, its previous value is not.
TEST_F(PreviousGone, LeavesItOutOfAQueuedReply) {
  Client client = Open();
  Write("k", "a");
  WatchWithPrevious(client);
  Write("k", "b");
  Write("k", "c");
  Compact(3);
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@2", "events 0@3 put k=b@3", "events 0@4 put k=c@4 was b"));
}

TEST_F(PreviousGone, IsOmittedFromHistoryAtTheFloor) {
  Client client = Open();
  Write("k", "a");
  Delete(store_, "k");
  Write("k", "b");
  Compact(3);
  WatchWithPrevious(client, 3);
  SyncAll();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@4", "events 0@4 delete k@3, put k=b@4"));
}

TEST_F(StrictPrevious, EndsTheWatchAtTheFloor) {
  Client client = Open();
  Write("k", "a");
  Delete(store_, "k");
  Write("k", "b");
  Compact(3);
  WatchWithPrevious(client, 3);
  client.WatchKey("k", 3);
  SyncAll();
  Write("k", "c");
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@4", "created 1@4", "compacted 0@0 at 3",
                          "events 1@4 delete k@3, put k=b@4", "events 1@5 put k=c@5"));
}

TEST_F(StrictPrevious, KeepsAWatchWhenThereWasNoPreviousValue) {
  Client client = Open();
  Write("other");
  Write("k", "a");
  Compact(3);
  WatchWithPrevious(client, 3);
  SyncAll();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@3", "events 0@3 put k=a@3"));
}

TEST_F(StrictPrevious, KeepsAWatchThatFollowsAKeyOfOneTransaction) {
  Client client = Open();
  Write("other");
  TxnOp txn;
  txn.success.emplace_back(TxnOp{.success = {PutOp{.key = "k", .value = "a"}}});
  txn.success.emplace_back(TxnOp{.success = {DeleteOp{.range = KeyRange::Single("k")}}});
  ASSERT_TRUE(store_.Txn(txn).has_value());
  WatchWithPrevious(client, 3);
  SyncAll();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@3", "events 0@3 put k=a@3, delete k@3"));
}

TEST_F(StrictPrevious, KeepsQueuedValues) {
  Client client = Open();
  Write("k", "a");
  WatchWithPrevious(client);
  Write("k", "b");
  Write("k", "c");
  Compact(4);
  EXPECT_THAT(client.Read(), ElementsAre("created 0@2", "events 0@3 put k=b@3 was a",
                                         "events 0@4 put k=c@4 was b"));
}

}  // namespace
}  // namespace watchproof::store
