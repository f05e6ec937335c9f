// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/virtual_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using store::Bucket;
using store::Ticket;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<store::Mutation> Write(const std::string& key, const std::string& value = "v") {
  return {{Bucket::kLease, key, value}};
}

// "key=value" of what is safe.
std::vector<std::string> SafeOn(const VirtualDisk& disk, Bucket bucket = Bucket::kLease) {
  std::vector<std::string> entries;
  const auto reader = disk.Read().value();
  EXPECT_TRUE(reader->Seek(bucket).ok());
  std::string_view key, value;
  while (reader->Next(key, value).value()) entries.push_back(fmt::format("{}={}", key, value));
  return entries;
}

TEST(VirtualDisk, AWriteIsSafeOnceItIsSynced) {
  VirtualDisk disk;
  EXPECT_TRUE(disk.idle());
  EXPECT_EQ(disk.Stage(Write("a")), Ticket(1));
  EXPECT_EQ(disk.Stage(Write("b")), Ticket(2));
  EXPECT_EQ(disk.Stage(Write("c")), Ticket(3));
  EXPECT_THAT(SafeOn(disk), IsEmpty());
  EXPECT_EQ(disk.staged(), Ticket(3));
  disk.Sync(2);
  EXPECT_THAT(SafeOn(disk), ElementsAre("a=v", "b=v"));
  EXPECT_FALSE(disk.idle());
  disk.Sync(9);
  EXPECT_TRUE(disk.idle());
  EXPECT_EQ(disk.staged(), Ticket());  // there is nothing to wait for
  EXPECT_EQ(disk.last(), Ticket(3));
}

// In their order, each once, and at once where there is nothing to wait for.
TEST(VirtualDisk, AnswersWaitForTheirWrites) {
  VirtualDisk disk;
  std::vector<int> called;
  std::vector<std::uint64_t> announced;
  disk.OnSafe([&](Ticket safe) { announced.push_back(safe.value); });
  const auto note = [&called](int number) {
    return [&called, number](const Status& safe) {
      EXPECT_TRUE(safe.ok());
      called.push_back(number);
    };
  };
  disk.WhenSafe(Ticket(0), note(0));
  EXPECT_THAT(called, ElementsAre(0));
  disk.WhenSafe(disk.Stage(Write("a")), note(1));
  disk.WhenSafe(disk.Stage(Write("b")), note(2));
  disk.WhenSafe(Ticket(2), note(3));
  disk.Sync(1);
  EXPECT_THAT(called, ElementsAre(0, 1));
  disk.Sync(1);
  EXPECT_THAT(called, ElementsAre(0, 1, 2, 3));
  disk.Sync(1);  // of nothing
  EXPECT_THAT(called, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(announced, ElementsAre(1, 2));
  disk.WhenSafe(Ticket(1), note(4));
  EXPECT_THAT(called, ElementsAre(0, 1, 2, 3, 4));
}

TEST(VirtualDisk, AnAnswerMayStageAnotherWrite) {
  VirtualDisk disk;
  bool done = false;
  disk.WhenSafe(disk.Stage(Write("a")), [&](const Status&) {
    disk.WhenSafe(disk.Stage(Write("b")), [&](const Status&) { done = true; });
  });
  disk.Sync(1);
  EXPECT_FALSE(done);
  disk.Sync(1);
  EXPECT_TRUE(done);
  EXPECT_THAT(SafeOn(disk), ElementsAre("a=v", "b=v"));
}

TEST(VirtualDisk, ACrashKeepsTheOldest) {
  struct Row {
    std::size_t kept;
    std::vector<std::string> safe;
    std::uint64_t there;
  };
  for (const Row& row :
       {Row{0, {"a=v"}, 1}, Row{1, {"a=v", "b=v"}, 2}, Row{9, {"a=v", "b=v", "c=v"}, 3}}) {
    VirtualDisk disk;
    bool called = false;
    disk.Stage(Write("a"));
    disk.Sync(1);
    disk.Stage(Write("b"));
    disk.WhenSafe(disk.Stage(Write("c")), [&](const Status&) { called = true; });
    disk.OnSafe([&](Ticket) { called = true; });
    EXPECT_EQ(disk.Crash(row.kept), Ticket(row.there));
    EXPECT_EQ(SafeOn(disk), row.safe);
    EXPECT_TRUE(disk.idle());
    // The users are gone: nothing calls them, and their tickets are no longer waited for.
    disk.WhenSafe(Ticket(3), [](const Status&) {});
    EXPECT_EQ(disk.Stage(Write("d")), Ticket(4));
    disk.Sync(1);
    EXPECT_FALSE(called);
  }
}

// What was refused once is full for good; what makes room is always taken.
TEST(VirtualDisk, AFullDiskStaysFull) {
  VirtualDisk disk(10);
  EXPECT_TRUE(disk.Admit(6, store::Purpose::kGrow).ok());
  EXPECT_TRUE(disk.Takes(4));
  EXPECT_FALSE(disk.Takes(5));
  EXPECT_EQ(disk.Admit(5, store::Purpose::kGrow).code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(disk.Takes(1));
  EXPECT_FALSE(disk.Admit(1, store::Purpose::kGrow).ok());
  EXPECT_TRUE(disk.Admit(100, store::Purpose::kFree).ok());
  VirtualDisk any;
  EXPECT_TRUE(any.Admit(1 << 30, store::Purpose::kGrow).ok());
}

TEST(VirtualDisk, ACopyHoldsWhatIsSafe) {
  VirtualDisk disk, copy;
  disk.Stage({{Bucket::kChange, "1", "x"}, {Bucket::kMeta, "m", "y"}});
  disk.Stage(Write("a"));
  disk.Sync(2);
  disk.Stage(Write("b"));
  ASSERT_TRUE(copy.Fill(*disk.Read().value()).ok());
  EXPECT_THAT(SafeOn(copy, Bucket::kChange), ElementsAre("1=x"));
  EXPECT_THAT(SafeOn(copy, Bucket::kMeta), ElementsAre("m=y"));
  EXPECT_THAT(SafeOn(copy), ElementsAre("a=v"));
}

TEST(VirtualDisk, TheFirstEntryOfABucketIsSpoiled) {
  struct Row {
    VirtualDisk::Part part;
    std::vector<std::string> left;
  };
  for (const Row& row : {Row{VirtualDisk::Part::kKey, {"axc=1", "b=2"}},
                         Row{VirtualDisk::Part::kKeyLength, {"abcx=1", "b=2"}},
                         Row{VirtualDisk::Part::kValue, {"abc=", "b=2"}}}) {
    VirtualDisk disk;
    disk.Stage(Write("abc", "1"));
    disk.Stage(Write("b", "2"));
    disk.Sync(2);
    EXPECT_TRUE(disk.Spoil(Bucket::kLease, row.part).value());
    EXPECT_EQ(SafeOn(disk), row.left);
    EXPECT_FALSE(disk.Spoil(Bucket::kChange, row.part).value());
  }
}

}  // namespace
}  // namespace watchproof::explore
