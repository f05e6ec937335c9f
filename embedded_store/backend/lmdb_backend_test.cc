// SPDX-License-Identifier: Apache-2.0
// What a data folder survives, and what is refused.
#include "embedded_store/backend/lmdb_backend.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "embedded_store/backend/backend_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DataFolderTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "store.mdb"; }
  void Fill() {
    const auto backend = *LmdbBackend::Open(folder_.path());
    for (int i = 0; i < 100; ++i) {
      backend->Stage({{Bucket::kChange, fmt::format("{:03}", i), std::string(1000, 'x')}});
    }
    backend->Stage({{Bucket::kMeta, "k", "v"}});
  }
  Status Refusal() const {
    const auto opened = LmdbBackend::Open(folder_.path());
    return opened ? Status() : opened.error();
  }
  std::string Content() const {
    std::ifstream stream(file(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  TemporaryFolder folder_;
};

TEST_F(DataFolderTest, RestoresSafeData) {
  Fill();
  const auto again = *LmdbBackend::Open(folder_.path());
  EXPECT_THAT(Entries(*again, Bucket::kMeta), ElementsAre("format=1", "k=v"));
  EXPECT_EQ(Entries(*again, Bucket::kChange).size(), 100U);
}

TEST_F(DataFolderTest, IsHeldByOneAtATime) {
  const auto first = LmdbBackend::Open(folder_.path());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(Refusal().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(Refusal().message(), HasSubstr(folder_.path().string() + " is in use"));
}

TEST_F(DataFolderTest, RefusesAForeignFileUnchanged) {
  std::ofstream(file()) << std::string(10000, 'z');
  EXPECT_EQ(Refusal().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(Refusal().message(), HasSubstr(file().string() + " is not a data file"));
  EXPECT_EQ(Content(), std::string(10000, 'z'));
}

TEST_F(DataFolderTest, RefusesAnEmptyFile) {
  std::ofstream(file()).flush();
  EXPECT_EQ(Refusal().code(), StatusCode::kDataLoss);
  EXPECT_THAT(Refusal().message(), HasSubstr(file().string() + " is cut short"));
}

TEST_F(DataFolderTest, RefusesATruncatedFileUnchanged) {
  Fill();
  std::filesystem::resize_file(file(), 65536);
  const std::string before = Content();
  EXPECT_EQ(Refusal().code(), StatusCode::kDataLoss);
  EXPECT_THAT(Refusal().message(),
              HasSubstr(file().string() + " is cut short: it has 65536 bytes"));
  EXPECT_EQ(Content(), before);
}

TEST_F(DataFolderTest, RefusesANewerFormat) {
  {
    const auto backend = *LmdbBackend::Open(folder_.path());
    backend->Stage({{Bucket::kMeta, "format", "2"}});
  }
  EXPECT_EQ(Refusal().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(Refusal().message(), HasSubstr(file().string() + " has format 2"));
}

TEST_F(DataFolderTest, DiscardsADraftLeftByACrash) {
  std::ofstream(folder_.path() / "store.mdb.draft") << "half a file";
  EXPECT_TRUE(Refusal().ok());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "store.mdb.draft"));
}

// A bound on the size of files stands in for a disk without space.
class FullDisk : public DataFolderTest {
 protected:
  FullDisk() {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
  }
  ~FullDisk() override { setrlimit(RLIMIT_FSIZE, &before_); }
  static void Limit(std::uint64_t bytes) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  rlimit before_{};
};

TEST_F(FullDisk, RefusesWritesUntilThereIsSpace) {
  const auto backend = *LmdbBackend::Open(folder_.path());
  Limit(std::uint64_t{24} << 20);
  const std::string value(100000, 'x');
  int written = 0;
  Status refusal;
  while ((refusal = backend->Admit(value.size(), Purpose::kGrow)).ok()) {
    ASSERT_LT(written, 1000);
    backend->Stage({{Bucket::kChange, fmt::format("{:04}", written++), value}});
  }
  EXPECT_THAT(refusal.message(), HasSubstr(file().string()));
  EXPECT_GT(written, 20);
  // What was admitted is written, and what frees space is admitted.
  AwaitSafe(*backend);
  EXPECT_TRUE(backend->Admit(0, Purpose::kFree).ok());
  for (int i = 0; i < written; ++i) backend->Stage({{Bucket::kChange, fmt::format("{:04}", i)}});
  AwaitSafe(*backend);
  EXPECT_TRUE(backend->Admit(value.size(), Purpose::kGrow).ok());
}

}  // namespace
}  // namespace watchproof::store
