// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/snapshot.h"

#include <gmock/gmock.h>

#include <fstream>

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/backend/lmdb_backend.h"
#include "embedded_store/backend/memory_backend.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    backend_.Stage({{Bucket::kChange, "1", std::string(100000, 'x')}, {Bucket::kChange, "2", ""}});
    backend_.Stage({{Bucket::kMeta, "k", "v"}, {Bucket::kAlarm, "a", std::string("\0\xff", 2)}});
  }
  std::string Bytes(std::size_t least) {
    Snapshot snapshot(*backend_.Read());
    std::string bytes;
    while (true) {
      const Result<std::string> piece = snapshot.Next(least);
      EXPECT_TRUE(piece.has_value());
      if (piece->empty()) return bytes;
      bytes += *piece;
    }
  }
  std::filesystem::path Write(const std::string& bytes) {
    const std::filesystem::path file = folder_.path() / "file.snap";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  Status Restore(const std::string& bytes) { return RestoreSnapshot(Write(bytes), target_); }

  MemoryBackend backend_{Durable::kYes};
  TemporaryFolder folder_;
  const std::filesystem::path target_ = folder_.path() / "data";
};

TEST_F(SnapshotTest, RestoresTheSameContent) {
  ASSERT_TRUE(Restore(Bytes(1000)).ok());
  const auto restored = *LmdbBackend::Open(target_);
  EXPECT_EQ(Entries(*restored, Bucket::kChange), Entries(backend_, Bucket::kChange));
  EXPECT_EQ(Entries(*restored, Bucket::kAlarm), Entries(backend_, Bucket::kAlarm));
  EXPECT_THAT(Entries(*restored, Bucket::kMeta), ElementsAre("format=1", "k=v"));
}

TEST_F(SnapshotTest, HasTheSameBytesForEveryPieceSize) {
  EXPECT_EQ(Bytes(1), Bytes(1 << 20));
  EXPECT_EQ(Bytes(1).size() % 512, 32U) << "etcdctl would not take it";
}

TEST_F(SnapshotTest, IsRefusedWithOneWrongByteAndCreatesNothing) {
  const std::string good = Bytes(1000);
  for (const std::size_t at : {good.size() / 2, good.size() - 1, std::size_t{23}}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    const Status status = Restore(bad);
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(status.message(), HasSubstr("file.snap is damaged: its checksum is wrong"));
    EXPECT_FALSE(std::filesystem::exists(target_));
  }
}

TEST_F(SnapshotTest, IsRefusedWhenTruncatedOrForeign) {
  const std::string good = Bytes(1000);
  EXPECT_EQ(Restore(good.substr(0, good.size() - 1)).code(), StatusCode::kDataLoss);
  EXPECT_THAT(Restore("text").message(), HasSubstr("file.snap is not a snapshot of this store"));
  EXPECT_EQ(Restore("").code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(std::filesystem::exists(target_));
}

// Content with a correct checksum, whatever the content is.
std::string Signed(std::string content) {
  content.insert(0, "watchproof snapshot 1\n");
  Sha256Stream sum;
  sum.Add(content);
  return content + sum.Finish();
}

TEST_F(SnapshotTest, IsRefusedWithInvalidEntries) {
  const std::string tag(1, '\1');
  const std::string none(8, '\0');
  const std::string huge(8, '\x7f');
  const std::string length_of_512 = std::string(6, '\0') + std::string("\2\0", 2);
  for (const std::string& content :
       {tag + none + none, tag + huge, tag + length_of_512 + std::string(512, 'k') + none,
        std::string("\x09") + none, std::string("")}) {
    const Status status = Restore(Signed(content + std::string(100, '\0')));
    EXPECT_EQ(status.ok(), content.empty()) << testing::PrintToString(content);
    if (!content.empty()) {
      EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    }
    EXPECT_EQ(std::filesystem::exists(target_ / "store.mdb"), content.empty());
  }
}

TEST_F(SnapshotTest, DoesNotReplaceAnExistingFolder) {
  std::filesystem::create_directory(target_);
  std::ofstream(target_ / "something") << "theirs";
  const Status status = Restore(Bytes(1000));
  EXPECT_EQ(status.code(), StatusCode::kAlreadyExists);
  EXPECT_THAT(status.message(), HasSubstr(target_.string() + " is there already"));
  EXPECT_FALSE(std::filesystem::exists(target_ / "store.mdb"));
}

}  // namespace
}  // namespace watchproof::store
