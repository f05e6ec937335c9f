// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/release_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/releases/release_archives.h"

namespace watchproof {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

// The sum of "abc", from FIPS 180-2.
constexpr char kSumOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class ReleaseCacheTest : public testing::Test {
 protected:
  ReleaseCacheTest() {
    fs::create_directories(folder_);
    setenv("WATCHPROOF_CACHE", folder_.c_str(), 1);
  }
  ~ReleaseCacheTest() override {
    unsetenv("WATCHPROOF_CACHE");
    fs::remove_all(folder_);
  }
  void Place(const std::string& content) {
    fs::create_directories(place().parent_path());
    std::ofstream(place()) << content;
  }
  fs::path place() const { return folder_ / "releases" / "etcd" / "9.9" / "etcd"; }
  Result<Fetched> Fetch() {
    const ReleaseSource source{.product = "etcd",
                               .version = "9.9",
                               .debian = DebianBinary{.suite = "nosuch",
                                                      .package = "etcd-server",
                                                      .seen = "9.9-1",
                                                      .architecture = "none",
                                                      .path = "usr/bin/etcd",
                                                      .sha256 = kSumOfAbc}};
    return FetchRelease(source, [this](const std::string& line) { reported_ += line + "\n"; });
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("wp-cache-{}", getpid());
  std::string reported_;
};

TEST_F(ReleaseCacheTest, SumsAreThoseOfTheStandard) {
  Place("abc");
  EXPECT_EQ(Sha256OfFile(place()).value(), kSumOfAbc);
  EXPECT_THAT(Sha256OfFile(folder_ / "none").error().message(), HasSubstr("none"));
}

TEST_F(ReleaseCacheTest, BinaryPlacedByHandCountsAfterAFetch) {
  Place("abc");
  EXPECT_THAT(CachedRelease("etcd", "9.9").error().message(),
              HasSubstr("watchproof fetch etcd 9.9"));
  EXPECT_EQ(Fetch()->origin, "already there");
  EXPECT_EQ(Fetch()->origin, "already cached");
  EXPECT_EQ(CachedRelease("etcd", "9.9").value(), place());
  EXPECT_EQ(access(place().c_str(), X_OK), 0);
}

TEST_F(ReleaseCacheTest, AlteredBinaryDoesNotCount) {
  Place("abc");
  ASSERT_TRUE(Fetch().has_value());
  Place("abd");
  EXPECT_FALSE(CachedRelease("etcd", "9.9").has_value());
  EXPECT_FALSE(Fetch().has_value());
  EXPECT_THAT(reported_, HasSubstr("which is neither that of the fetched file"));
}

TEST_F(ReleaseCacheTest, WithoutASourceTheErrorNamesTheFileAndItsPlace) {
  const auto fetched = Fetch();
  ASSERT_FALSE(fetched.has_value());
  EXPECT_THAT(fetched.error().message(),
              AllOf(HasSubstr("place the file usr/bin/etcd of Debian's package etcd-server 9.9-1"),
                    HasSubstr(kSumOfAbc), HasSubstr(place().string())));
  EXPECT_THAT(reported_, HasSubstr("Debian nosuch: the manifest has the binary for none"));
}

TEST(UpstreamVersions, AreThoseOfThePackagesWithoutDebiansParts) {
  EXPECT_EQ(UpstreamVersion("3.3.25+dfsg-6+b6"), "3.3.25");
  EXPECT_EQ(UpstreamVersion("3.5.16-4"), "3.5.16");
  EXPECT_EQ(UpstreamVersion("1:3.5.0~rc1-2"), "3.5.0~rc1");
  EXPECT_EQ(UpstreamVersion(""), "");
}

TEST(OfficialArchives, AreNamedByVersionAndArchitecture) {
  EXPECT_EQ(FillIn("v{version}/e-v{version}-{architecture}", {"3.5.16", "amd64"}),
            "v3.5.16/e-v3.5.16-amd64");
}

}  // namespace
}  // namespace watchproof
