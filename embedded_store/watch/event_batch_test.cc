// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/event_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::store {

// Any sender's type will do.
struct EncodedEvents {
  int made_by;
};

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PendingEvent At(std::int64_t revision, std::size_t bytes) {
  Change change{.kv = {.key = "k", .value = std::string(bytes, 'x'), .mod = Revision{revision}}};
  return {.change = std::make_shared<const Change>(std::move(change))};
}

std::vector<std::string> Spans(const std::vector<BatchPtr>& batches) {
  std::vector<std::string> spans;
  for (const BatchPtr& batch : batches) {
    spans.push_back(fmt::format("{}-{}:{}", batch->first(), batch->last(), batch->events().size()));
  }
  return spans;
}

TEST(Cut, FillsBatchesUpToTheBound) {
  EXPECT_THAT(Spans(CutIntoBatches({At(2, 400), At(3, 400), At(4, 400), At(5, 10)}, 1000)),
              ElementsAre("2-3:2", "4-5:2"));
  EXPECT_THAT(CutIntoBatches({}, 1000), IsEmpty());
}

TEST(Cut, NeverSplitsARevision) {
  EXPECT_THAT(
      Spans(CutIntoBatches({At(2, 10), At(3, 600), At(3, 600), At(3, 600), At(4, 10)}, 1000)),
      ElementsAre("2-2:1", "3-3:3", "4-4:1"));
}

TEST(Batch, CountsPreviousValuesInItsSize) {
  const auto before =
      std::make_shared<const Change>(Change{.kv = {.value = std::string(500, 'x')}});
  PendingEvent event = At(2, 10);
  const std::size_t alone = EventBatch({event}).bytes();
  event.previous = before;
  EXPECT_GE(EventBatch({event}).bytes(), alone + 500);
}

TEST(Batch, DoesNotKeepPreviousValuesAlive) {
  auto before = std::make_shared<const Change>();
  PendingEvent event = At(2, 10);
  event.previous = before;
  const EventBatch batch({event});
  before.reset();
  EXPECT_EQ(batch.events().front().previous.lock(), nullptr);
}

TEST(Batch, IsTakenFromAStartOn) {
  const BatchPtr whole = CutIntoBatches({At(2, 1), At(2, 1), At(3, 1)}, 1000).front();
  EXPECT_EQ(From(whole, Revision{2}), whole);
  EXPECT_EQ(From(whole, Revision{3})->first(), Revision{3});
  EXPECT_EQ(From(whole, Revision{4}), nullptr);
}

TEST(Batch, KeepsTheFirstEncodedForm) {
  const EventBatch batch({At(2, 1)});
  EXPECT_EQ(batch.encoded(), nullptr);
  EXPECT_EQ(batch.KeepEncoded(std::make_shared<EncodedEvents>(EncodedEvents{1}))->made_by, 1);
  EXPECT_EQ(batch.KeepEncoded(std::make_shared<EncodedEvents>(EncodedEvents{2}))->made_by, 1);
  EXPECT_EQ(batch.encoded()->made_by, 1);
}

}  // namespace
}  // namespace watchproof::store
