// SPDX-License-Identifier: Apache-2.0
// Watches that the server ends or refuses, not the client.
#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

std::string NoMalice(const WatchSpec& spec) { return spec.user == "mallory" ? "denied" : ""; }

class EndedWatches : public HubTest {};

TEST_F(EndedWatches, GetAReasonAndNothingMore) {
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k"), .user = "mallory"});
  client.Watch({.range = KeyRange::Single("k"), .user = "alice"});
  client.Read();
  hub_.EndWhere(NoMalice);
  EXPECT_THAT(client.Read(), ElementsAre("ended 0@1 denied"));
  EXPECT_EQ(hub_.counters().watchers, 1);
  Write("k");
  EXPECT_THAT(client.Read(), ElementsAre("events 1@2 put k=v@2"));
}

TEST_F(EndedWatches, StillReceiveEarlierCommits) {
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k"), .user = "mallory"});
  Put(store_, "k", "seen");
  hub_.EndWhere(NoMalice);
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@1", "events 0@2 put k=seen@2", "ended 0@2 denied"));
}

TEST_F(EndedWatches, MayBeCatchingUp) {
  WriteTimes(3, "k");
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k"), .start = Revision{2}, .user = "mallory"});
  hub_.EndWhere(NoMalice);
  SyncAll();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@4", "ended 0@4 denied"));
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
}

TEST_F(EndedWatches, MayBeVictimsOfAStreamThatIsNotRead) {
  Client client = Open();
  for (int i = 0; i < 40; ++i) {
    client.Watch({.range = KeyRange::Single("k"), .user = "mallory"});
    client.Read();
  }
  WriteTimes(5, "k");
  ASSERT_TRUE(hub_.has_victims());
  hub_.EndWhere(NoMalice);
  EXPECT_FALSE(hub_.has_victims());
  std::size_t ended = 0;
  for (const WatchReply& reply : client.ReadReplies()) ended += reply.canceled ? 1 : 0;
  // More than there is room for answers to requests.
  EXPECT_EQ(ended, 40U);
}

TEST_F(EndedWatches, FreeTheirId) {
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k"), .id = WatchId{7}, .user = "mallory"});
  hub_.EndWhere(NoMalice);
  client.Watch({.range = KeyRange::Single("k"), .id = WatchId{7}, .user = "alice"});
  EXPECT_THAT(client.Read(), ElementsAre("created 7@1", "ended 7@1 denied", "created 7@1"));
}

TEST_F(EndedWatches, MayBeRefusedAtCreation) {
  Client client = Open();
  hub_.Refuse(StreamId{1}, "denied");
  EXPECT_THAT(client.Read(), ElementsAre("refused -1@1 denied"));
  EXPECT_EQ(hub_.counters().watchers, 0);
}

}  // namespace
}  // namespace watchproof::store
