// SPDX-License-Identifier: Apache-2.0
// Defects of the wire, on and off: what becomes of one reply.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "embedded_store/defects/defect_fixture.h"
#include "embedded_store/server/watch_wire.h"
#include "fixtures/protos/rpc.pb.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

// One text per message of a reply with so many events of a kilobyte: "3", or "3 and more".
std::vector<std::string> Parts(const std::string& defect, int count, bool may_fragment) {
  const auto hooks = With(defect, "lone-delete-forgotten");
  std::vector<PendingEvent> events;
  for (int i = 0; i < count; ++i) {
    events.push_back(
        {.change = std::make_shared<const Change>(Change{.sub = i,
                                                         .kv = {.key = "k",
                                                                .value = std::string(1024, 'x'),
                                                                .create = Revision{2},
                                                                .mod = Revision{2},
                                                                .version = 1}})});
  }
  WireReply wire({.revision = Revision{2},
                  .may_fragment = may_fragment,
                  .batch = std::make_shared<const EventBatch>(std::move(events))},
                 3000, hooks);
  std::vector<std::string> parts;
  while (auto message = wire.Next()) {
    etcdserverpb::WatchResponse response;
    grpc::Slice whole;
    EXPECT_TRUE(message->DumpToSingleSlice(&whole).ok());
    EXPECT_TRUE(response.ParseFromArray(whole.begin(), static_cast<int>(whole.size())));
    parts.push_back(
        fmt::format("{}{}", response.events_size(), response.fragment() ? " and more" : ""));
  }
  return parts;
}

TEST(TransactionSplit, CutsAReplyInTwoWithoutAFragmentFlag) {
  EXPECT_THAT(Parts("", 5, false), ElementsAre("5"));
  EXPECT_THAT(Parts("transaction-split", 5, false), ElementsAre("2", "3"));
  EXPECT_THAT(Parts("transaction-split", 1, false), ElementsAre("1"));
}

TEST(FragmentDropped, LosesTheLastOfSeveralParts) {
  EXPECT_THAT(Parts("", 5, true), ElementsAre("2 and more", "2 and more", "1"));
  EXPECT_THAT(Parts("fragment-dropped", 5, true), ElementsAre("2 and more", "2 and more"));
  EXPECT_THAT(Parts("fragment-dropped", 2, true), ElementsAre("2"));
  EXPECT_THAT(Parts("fragment-dropped", 5, false), ElementsAre("5"));
}

}  // namespace
}  // namespace watchproof::store
