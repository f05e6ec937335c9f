// SPDX-License-Identifier: Apache-2.0
// What both backends promise.
#include "embedded_store/backend/backend.h"

#include <gmock/gmock.h>

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/backend/lmdb_backend.h"
#include "embedded_store/backend/memory_backend.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct InMemory {
  std::unique_ptr<Backend> Open() { return std::make_unique<MemoryBackend>(Durable::kYes); }
};
struct OnDisk {
  TemporaryFolder folder;
  std::unique_ptr<Backend> Open() { return *LmdbBackend::Open(folder.path()); }
};

template <typename Place>
class AnyBackend : public testing::Test {
 protected:
  Place place_;
  std::unique_ptr<Backend> backend_ = place_.Open();
};
using Places = testing::Types<InMemory, OnDisk>;
TYPED_TEST_SUITE(AnyBackend, Places);

TYPED_TEST(AnyBackend, GivesBackWhatWasStagedInTheOrderOfTheKeys) {
  Backend& backend = *this->backend_;
  backend.Stage({{Bucket::kChange, "2", "b"}, {Bucket::kChange, "1", "a"}});
  backend.Stage({{Bucket::kLease, "2", "other"}, {Bucket::kChange, "3", ""}});
  AwaitSafe(backend);
  EXPECT_THAT(Entries(backend, Bucket::kChange), ElementsAre("1=a", "2=b", "3="));
  EXPECT_THAT(Entries(backend, Bucket::kLease), ElementsAre("2=other"));
  EXPECT_THAT(Entries(backend, Bucket::kAuth), IsEmpty());
}

TYPED_TEST(AnyBackend, ReplacesAndErases) {
  Backend& backend = *this->backend_;
  backend.Stage(
      {{Bucket::kAlarm, "a", "1"}, {Bucket::kAlarm, "b", "1"}, {Bucket::kAlarm, "c", "1"}});
  backend.Stage({{Bucket::kAlarm, "a", "2"}, {Bucket::kAlarm, "b"}, {Bucket::kAlarm, "none"}});
  AwaitSafe(backend);
  EXPECT_THAT(Entries(backend, Bucket::kAlarm), ElementsAre("a=2", "c=1"));
}

TYPED_TEST(AnyBackend, CallsBackOnceForEveryTicket) {
  Backend& backend = *this->backend_;
  std::array<std::atomic<int>, 100> calls{};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Ticket ticket = backend.Stage({{Bucket::kMeta, std::to_string(i), "x"}});
    backend.WhenSafe(ticket, [&calls, i](const Status& safe) {
      EXPECT_TRUE(safe.ok()) << safe.message();
      ++calls[i];
    });
  }
  backend.Stop();
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

TYPED_TEST(AnyBackend, SaysThatNothingIsToBeWaitedForWhenAllIsSafe) {
  Backend& backend = *this->backend_;
  EXPECT_EQ(backend.staged(), Ticket{});
  backend.Stage({});
  AwaitSafe(backend);
  EXPECT_EQ(backend.staged(), Ticket{});
}

TYPED_TEST(AnyBackend, ReadsOneStateWhateverIsWrittenMeanwhile) {
  Backend& backend = *this->backend_;
  backend.Stage({{Bucket::kAuth, "a", "1"}, {Bucket::kLease, "l", "1"}});
  AwaitSafe(backend);
  auto reader = backend.Read();
  ASSERT_TRUE(reader.has_value());
  backend.Stage({{Bucket::kAuth, "b", "2"}, {Bucket::kLease, "l"}});
  AwaitSafe(backend);
  EXPECT_THAT(Entries(**reader, Bucket::kAuth), ElementsAre("a=1"));
  EXPECT_THAT(Entries(**reader, Bucket::kLease), ElementsAre("l=1"));
}

TYPED_TEST(AnyBackend, KeepsEverythingThroughDefragmentAndNeedsNoMore) {
  Backend& backend = *this->backend_;
  for (int i = 0; i < 200; ++i) {
    backend.Stage({{Bucket::kChange, fmt::format("{:03}", i), std::string(5000, 'x')}});
  }
  for (int i = 1; i < 200; ++i) backend.Stage({{Bucket::kChange, fmt::format("{:03}", i)}});
  AwaitSafe(backend);
  const BackendSizes before = backend.sizes();
  ASSERT_TRUE(backend.Defragment().ok());
  EXPECT_LE(backend.sizes().total, before.total);
  EXPECT_LT(backend.sizes().total, ByteCount(200 * 5000));
  EXPECT_THAT(Entries(backend, Bucket::kChange), ElementsAre("000=" + std::string(5000, 'x')));
  backend.Stage({{Bucket::kChange, "later", "y"}});
  AwaitSafe(backend);
  EXPECT_EQ(Entries(backend, Bucket::kChange).size(), 2U);
}

TYPED_TEST(AnyBackend, StopsTwiceAndOnlyWhenAllIsSafe) {
  Backend& backend = *this->backend_;
  bool done = false;
  const Ticket ticket = backend.Stage({{Bucket::kMeta, "k", "v"}});
  backend.WhenSafe(ticket, [&](const Status& safe) { done = safe.ok(); });
  backend.Stop();
  EXPECT_TRUE(done);
  backend.Stop();
}

}  // namespace
}  // namespace watchproof::store
