// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/damage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <fstream>

namespace watchproof::proxy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class DamageTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("damage_{}_{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "wal");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<Damage> Do(DamageHow how, std::uint64_t seed, const std::string& files = "all") const {
    return DamageFile({.folder = folder_,
                       .classes = {{"log", "wal/*"}},
                       .files = files,
                       .how = how,
                       .seed = seed});
  }

  std::filesystem::path folder_;
  // As a log is: records, and zeros that were allocated in advance.
  const std::string records_ = std::string(5000, 'r');
  const std::string log_ = records_ + std::string(100'000, '\0');
};

TEST_F(DamageTest, FlipsBitsOfTheContentAlone) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Write("wal/0", log_);
    const auto damage = Do(DamageHow::kBits, seed);
    ASSERT_TRUE(damage.has_value()) << damage.error().message();
    const std::string after = Read("wal/0");
    ASSERT_EQ(after.size(), log_.size());
    int bits = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      bits += std::popcount(static_cast<unsigned char>(after[i] ^ log_[i]));
    }
    EXPECT_EQ(bits, 3);
    EXPECT_EQ(after.substr(records_.size()), log_.substr(records_.size()));
    EXPECT_THAT(damage->text, AllOf(StartsWith("3 bits of wal/0 are flipped, at offsets "),
                                    HasSubstr("(0x72 is 0x")));
  }
}

TEST_F(DamageTest, NeverFlipsABitTwiceAndEndsWhereAllAreFlipped) {
  Write("wal/0", "r");
  const auto damage = DamageFile({.folder = folder_, .bits = 1000});
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(Read("wal/0"), std::string(1, static_cast<char>(~'r')));
  EXPECT_EQ(damage->bytes, 1);
}

TEST_F(DamageTest, CutsOffATailOfTheContentAndTheZerosBehindIt) {
  std::size_t least = records_.size();
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Write("wal/0", log_);
    const auto damage = Do(DamageHow::kTail, seed);
    ASSERT_TRUE(damage.has_value());
    const std::string after = Read("wal/0");
    ASSERT_LT(after.size(), records_.size());
    EXPECT_EQ(after, records_.substr(0, after.size()));
    const std::size_t gone = records_.size() - after.size();
    EXPECT_EQ(damage->text, fmt::format("the last {} of 5000 bytes of wal/0 are gone", gone));
    EXPECT_EQ(damage->bytes, static_cast<std::int64_t>(gone));
    least = std::min(least, gone);
    most = std::max(most, gone);
  }
  EXPECT_LT(least, 50U);
  EXPECT_GT(most, records_.size() / 2);
}

TEST_F(DamageTest, PutsZerosInThePlaceOfOneSectorOrPage) {
  std::set<std::size_t> lengths;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Write("wal/0", log_);
    const auto damage = Do(DamageHow::kZero, seed);
    ASSERT_TRUE(damage.has_value());
    const std::string after = Read("wal/0");
    ASSERT_EQ(after.size(), log_.size());
    const std::size_t first = after.find('\0');
    const auto bytes = static_cast<std::size_t>(damage->bytes);
    ASSERT_LT(first, records_.size());
    EXPECT_EQ(first % 512, 0U);
    EXPECT_THAT(after.substr(first, bytes), Each('\0'));
    std::string healed = after;
    healed.replace(first, bytes, bytes, 'r');
    EXPECT_EQ(healed, log_);
    const std::size_t end = std::min(first + (bytes > 512 ? 4096 : 512), records_.size());
    EXPECT_EQ(damage->text, fmt::format("bytes {} to {} of wal/0 are zero", first, end - 1));
    lengths.insert(bytes);
  }
  // A sector, a page, and what a page or a sector at the end has of the content.
  EXPECT_THAT(lengths, testing::IsSupersetOf({512U, 4096U}));
}

TEST_F(DamageTest, PutsBackWhatTheFileWasWhateverBecameOfIt) {
  for (const DamageHow how : {DamageHow::kBits, DamageHow::kTail, DamageHow::kZero}) {
    Write("wal/0", log_);
    const auto damage = Do(how, 7);
    ASSERT_TRUE(damage.has_value());
    ASSERT_NE(Read("wal/0"), log_);
    Write("wal/0", "repaired and more" + std::string(200'000, 'm'));
    ASSERT_TRUE(PutBack(*damage).ok());
    EXPECT_EQ(Read("wal/0"), log_);
    std::filesystem::remove(folder_ / "wal/0");
    ASSERT_TRUE(PutBack(*damage).ok());
    EXPECT_EQ(Read("wal/0"), log_);
  }
}

TEST_F(DamageTest, TakesTheLatestFileThatHasContent) {
  Write("wal/0", "old");
  Write("wal/1", "new");
  Write("wal/2", std::string(1000, '\0'));
  Write("wal/3", "");
  Write("other", "other");
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(folder_ / "wal/0", now - std::chrono::seconds(20));
  std::filesystem::last_write_time(folder_ / "wal/1", now - std::chrono::seconds(10));
  const auto damage = Do(DamageHow::kTail, 1, "log");
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->path, folder_ / "wal/1");
  EXPECT_EQ(Read("wal/0"), "old");
  EXPECT_EQ(Read("other"), "other");
}

TEST_F(DamageTest, SameSeedDoesTheSame) {
  for (const DamageHow how : {DamageHow::kBits, DamageHow::kTail, DamageHow::kZero}) {
    std::set<std::string> texts;
    for (const std::uint64_t seed : {1, 1, 2}) {
      Write("wal/0", log_);
      const auto damage = Do(how, seed);
      ASSERT_TRUE(damage.has_value());
      texts.insert(damage->text);
    }
    EXPECT_EQ(texts.size(), 2U);
  }
}

TEST_F(DamageTest, WithoutContentNothingIsDone) {
  Write("wal/0", "");
  Write("wal/1", std::string(100, '\0'));
  const auto none = Do(DamageHow::kBits, 1);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), StatusCode::kNotFound);
  EXPECT_EQ(Read("wal/1"), std::string(100, '\0'));
  EXPECT_EQ(Do(DamageHow::kBits, 1, "no-such-file*").error().code(), StatusCode::kNotFound);
  EXPECT_THAT(Do(DamageHow::kBits, 1, "/etc/*").error().message(), StartsWith("files"));
}

}  // namespace
}  // namespace watchproof::proxy
