// SPDX-License-Identifier: Apache-2.0
// The store over a backend that lasts: what comes back, after an end in good order and after a
// crash behind every single thing that was staged.
#include <gmock/gmock.h>

#include <algorithm>

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/change_codec.h"
#include "embedded_store/mvcc/store_fixture.h"
#include "embedded_store/mvcc/store_hash.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Loses everything from the given stage on, as a crash at that moment would.
class CrashingBackend final : public Backend {
 public:
  CrashingBackend(Backend& rest, std::size_t survivors) : rest_(rest), survivors_(survivors) {}
  bool durable() const override { return true; }
  Status Admit(std::size_t, Purpose) override { return {}; }
  Result<std::unique_ptr<BackendReader>> Read() const override { return rest_.Read(); }
  Ticket Stage(std::vector<Mutation> mutations) override {
    if (stages_++ < survivors_) rest_.Stage(std::move(mutations));
    return {};
  }
  Ticket staged() const override { return {}; }
  void WhenSafe(Ticket, Done done) override { done({}); }
  void OnSafe(std::function<void(Ticket)>) override {}
  BackendSizes sizes() const override { return rest_.sizes(); }
  Status Defragment() override { return {}; }
  void Stop() override {}
  std::size_t stages() const { return stages_; }

 private:
  Backend& rest_;
  const std::size_t survivors_;
  std::size_t stages_ = 0;
};

void WriteHistory(MvccStore& store) {
  Put(store, "a", "1");  // 2
  Put(store, "b", "1");  // 3
  Put(store, "a", "2");  // 4
  Delete(store, "b");    // 5
  Put(store, "a", "3");  // 6
  Put(store, "c", "1");  // 7
  Delete(store, "a");    // 8
  Put(store, "b", "2");  // 9
  const TxnOp both{.success = {PutOp{.key = "x", .value = "1"}, PutOp{.key = "y", .value = "1"}}};
  ASSERT_TRUE(store.Txn(both).has_value());  // 10
}

void ExpectSameReads(const MvccStore& store, const MvccStore& reference, Revision to) {
  for (Revision at = std::max(store.compacted(), Revision{1}); at <= to; at = at.next()) {
    EXPECT_EQ(ReadAll(store, at), ReadAll(reference, at)) << "at revision " << at.value;
    EXPECT_EQ(Texts(store.ReadHistory(at, to, WithPrevious::kNo).events),
              Texts(reference.ReadHistory(at, to, WithPrevious::kNo).events))
        << "from revision " << at.value;
  }
}

TEST(Recovery, RestoresEveryRevision) {
  MemoryBackend rest(Durable::kYes);
  MvccStore reference;
  WriteHistory(reference);
  {
    MvccStore store(rest);
    WriteHistory(store);
  }
  MvccStore store(rest);
  ASSERT_TRUE(store.Recover().ok());
  EXPECT_EQ(store.current(), Revision{10});
  EXPECT_EQ(store.compacted(), Revision{-1});
  ExpectSameReads(store, reference, Revision{10});
  // Versions and creation go on where they were.
  EXPECT_EQ(Put(store, "c", "2"), Revision{11});
  EXPECT_THAT(ReadAll(store, Revision{11}),
              ElementsAre("b=2@9/9/1", "c=2@7/11/2", "x=1@10/10/1", "y=1@10/10/1"));
}

TEST(Recovery, KeepsTheFloor) {
  MemoryBackend rest(Durable::kYes);
  {
    MvccStore store(rest);
    WriteHistory(store);
    ASSERT_TRUE(store.Compact(Revision{8}).has_value());
  }
  MvccStore store(rest);
  ASSERT_TRUE(store.Recover().ok());
  EXPECT_EQ(store.compacted(), Revision{8});
  // #18089: the delete at the floor is still there.
  EXPECT_THAT(Texts(store.ReadHistory(Revision{8}, Revision{8}, WithPrevious::kNo).events),
              ElementsAre("delete a@8"));
  EXPECT_THAT(ReadAll(store, Revision{7}), ElementsAre(HasSubstr("compacted")));
}

// #19179: etcd could come back from a crash in the middle of a compaction with a delete missing.
TEST(Recovery, IsAtomicAtEveryCrashPoint) {
  MvccStore reference;
  WriteHistory(reference);
  const auto run = [](std::size_t survivors, MemoryBackend& rest) {
    CrashingBackend crashing(rest, survivors);
    MvccStore store(crashing);
    WriteHistory(store);
    for (const Revision floor : {Revision{5}, Revision{9}}) {
      EXPECT_TRUE(store.Compact(floor).has_value());
      while (store.CompactStep()) continue;
    }
    return crashing.stages();
  };
  MemoryBackend all(Durable::kYes);
  const std::size_t stages = run(1000, all);
  ASSERT_GE(stages, 13U);
  for (std::size_t survivors = 0; survivors <= stages; ++survivors) {
    SCOPED_TRACE(fmt::format("the crash was after {} stages", survivors));
    MemoryBackend rest(Durable::kYes);
    run(survivors, rest);
    MvccStore store(rest);
    ASSERT_TRUE(store.Recover().ok());
    EXPECT_EQ(store.current(),
              Revision{std::min<std::int64_t>(1 + static_cast<std::int64_t>(survivors), 10)});
    ExpectSameReads(store, reference, store.current());
    // What was begun is finished: nothing is left that only the finished compaction would forget.
    MvccStore again(rest);
    ASSERT_TRUE(again.Recover().ok());
    EXPECT_EQ(again.size(), store.size());
    EXPECT_EQ(again.compacted(), store.compacted());
  }
}

TEST(Recovery, NamesTheRevisionOfADamagedChange) {
  MemoryBackend rest(Durable::kYes);
  rest.Stage({{Bucket::kChange, ChangeKey({Revision{7}, 0}), std::string("p\xff")}});
  MvccStore store(rest);
  const Status status = store.Recover();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("revision 7"));
}

TEST(StoreReader, RestoresAMemoryStore) {
  MvccStore store;
  WriteHistory(store);
  ASSERT_TRUE(store.Compact(Revision{5}).has_value());
  const auto reader = store.Read();
  ASSERT_TRUE(reader.has_value());
  MemoryBackend rest(Durable::kYes);
  std::string_view key, value;
  for (const Bucket bucket : kAllBuckets) {
    ASSERT_TRUE((*reader)->Seek(bucket).ok());
    while (*(*reader)->Next(key, value)) {
      rest.Stage({{bucket, std::string(key), std::string(value)}});
    }
  }
  MvccStore copy(rest);
  ASSERT_TRUE(copy.Recover().ok());
  EXPECT_EQ(copy.compacted(), Revision{5});
  ExpectSameReads(copy, store, Revision{10});
}

TEST(StoreHash, DependsOnlyOnTheHistoryUpToTheRevision) {
  Crc32c check;
  check.process_bytes("123456789", 9);
  EXPECT_EQ(check.checksum(), 0xe3069283U);  // the check value of CRC-32C

  MvccStore one, other;
  WriteHistory(one);
  WriteHistory(other);
  const auto hash = [](const MvccStore& store, Revision to) {
    return *HashChanges(**store.Read(), to);
  };
  EXPECT_EQ(hash(one, Revision{10}), hash(other, Revision{10}));
  Put(other, "later");
  EXPECT_EQ(hash(one, Revision{10}), hash(other, Revision{10}));
  EXPECT_NE(hash(one, Revision{10}), hash(one, Revision{9}));
  EXPECT_NE(hash(one, Revision{10}), hash(other, Revision{11}));
  EXPECT_NE(*HashAll(**one.Read()), *HashAll(**other.Read()));
}

TEST(ChangeCodec, RoundTrips) {
  const Change put{.kind = ChangeKind::kPut,
                   .sub = 3,
                   .kv = {.key = std::string("k\0k", 3),
                          .value = std::string(300, '\xff'),
                          .create = Revision{5},
                          .mod = Revision{1'000'000'000'000},
                          .version = 129,
                          .lease = -1}};
  const auto read = ReadChange(ChangeKey({put.kv.mod, put.sub}), ChangeValue(put));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kv, put.kv);
  EXPECT_EQ(read->kind, put.kind);
  EXPECT_EQ(read->sub, put.sub);
  EXPECT_LT(ChangeKey({Revision{255}, 9}), ChangeKey({Revision{256}, 0}));
}

}  // namespace
}  // namespace watchproof::store
