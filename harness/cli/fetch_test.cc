// SPDX-License-Identifier: Apache-2.0
// `fetch`, and what `run` makes of releases by name. No network: apt-get and dpkg are stand-ins
// that are first on PATH, the official archive is a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

#if defined(__aarch64__)
constexpr char kArchitecture[] = "arm64";
#else
constexpr char kArchitecture[] = "amd64";
#endif

// The sum of "abc", which is what etcd consists of here.
constexpr char kSumOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// Answers what fetch asks of apt-get: the machine's sources, and a suite that offers $OFFERED.
constexpr char kAptGet[] = R"(. /etc/os-release
case "$*" in
  "update --print-uris") echo "'file:/mirror/dists/$VERSION_CODENAME/InRelease' x 0" ;;
  *"download --print-uris"*) echo "'file:/mirror/x.deb' etcd-server_${OFFERED}_all.deb 1 MD5:0" ;;
  *download*) echo package > etcd-server_${OFFERED}_all.deb ;;
  *update*) [ -z "$BROKEN" ] || { echo "E: The mirror is on fire"; exit 100; } ;;
esac
)";
constexpr char kDpkg[] = R"(mkdir -p "$3/usr/bin" && printf %s "$CONTENT" > "$3/usr/bin/etcd")";
// Answers what fetch asks of go: a registry with three versions of which 9.9.1 lacks a companion,
// and a build that reports $REPORTED, or $INTERRUPTS the command and goes on for ever.
constexpr char kGo[] = R"sh(case "$*" in
  "env GOVERSION"*) echo "go1.26.0 linux amd64" ;;
  "list -m -versions example.org/etcd/api/v3") echo "p v9.8.1 v9.9.0 v9.9.7 v9.10.0" ;;
  "list -m -versions"*) [ -z "$BROKEN" ] || { echo "the registry is on fire"; exit 1; }
    echo "p v9.8.1 v9.9.0 v9.9.1" ;;
  "list -m -f"*) echo "$SHELF/go.mod" ;;
  "mod download example.org/etcd/api/v3@v9.9.1") echo "not available"; exit 1 ;;
  "mod edit"*) echo "$@" > "$SHELF/edits" ;;
  "build"*) echo "cgo $CGO_ENABLED $*" > "$SHELF/build"
    mktemp -d -p "${GOTMPDIR:-$TMPDIR}" > /dev/null
    [ -z "$INTERRUPTS" ] || { kill -INT $PPID; sleep 600; }
    printf '#!/bin/sh\necho "etcd Version: %s"\n' "$REPORTED" > program; chmod +x program ;;
  "version -m"*) printf 'program: go1.26.0\n\tdep\texample.org/x\tv1.2.3\th1:abc=\n'
    printf '\tdep\texample.org/kine\tv1.2.3\th1:abc=\n' ;;
esac
)sh";
constexpr char kModule[] = R"toml([[module]]
product = "etcd"
path = "example.org/etcd/server/v3"
family = "example.org/etcd/"
package = "example.org/etcd/server/v3/etcdmain"
call = "etcdmain.Main(os.Args)"
)toml";
// A curl that must not be asked.
constexpr char kNoCurl[] = "echo curl was asked; exit 9";

class FetchTest : public testing::Test {
 protected:
  FetchTest() {
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "official");
    Program("apt-get", kAptGet);
    Program("dpkg", kDpkg);
    WriteManifest("file://" + (folder_ / "official").string());
  }
  ~FetchTest() override { fs::remove_all(folder_); }

  void Program(const std::string& name, const std::string& script) const {
    std::ofstream(folder_ / "bin" / name) << "#!/bin/sh\n" << script;
    fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
  }
  void WriteManifest(const std::string& base) const {
    std::ofstream(folder_ / "manifest.toml") << fmt::format(R"([[archive]]
product = "etcd"
url = "{0}/etcd-v{{version}}.tar.gz"
sums = "{0}/SHA256SUMS"
path = "etcd-v{{version}}/etcd"

[[release]]
product = "etcd"
version = "9.9"
source = "a test"

[release.debian]
suite = "someday"
package = "etcd-server"
seen = "9.9-1"
architecture = "{1}"
path = "usr/bin/etcd"
sha256 = "{2}"
)",
                                                            base, kArchitecture, kSumOfAbc);
  }
  // Lets releases be built from a module.
  void OfferModule() const {
    Program("go", kGo);
    std::ofstream(folder_ / "manifest.toml", std::ios::app) << kModule;
    std::ofstream(folder_ / "go.mod") << "module example.org/etcd/server/v3\n\ngo 1.24\n\n"
                                         "require example.org/etcd/api/v3 v9.0.0\n"
                                         "require (\n\texample.org/etcd/client/v2 v2.9.0\n)\n";
  }
  ScriptedRun FetchVersions(Words words, Variables more = {}) const {
    more.emplace("SHELF", folder_.string());
    words.insert(words.begin(), "fetch");
    return ScriptedRun::Command(std::move(words), Environment(more));
  }
  fs::path PlaceOf(const std::string& version) const {
    return folder_ / "cache" / "releases" / "etcd" / version / "etcd";
  }
  // Publishes an archive, with its sum or with another one.
  void Publish(const std::string& sums) const {
    const std::string script = fmt::format(
        "cd '{}' && mkdir etcd-v9.9 && printf official > etcd-v9.9/etcd &&"
        " tar -czf etcd-v9.9.tar.gz etcd-v9.9 && {} > SHA256SUMS",
        (folder_ / "official").string(), sums);
    auto shell = ChildProcess::Launch({.executable = "/bin/sh", .arguments = {"-c", script}});
    ASSERT_TRUE(shell.has_value());
    ASSERT_TRUE((*shell)->Wait(Within(20s))->clean());
  }
  Variables Environment(Variables more = {}) const {
    more.emplace("PATH", (folder_ / "bin").string() + ":/usr/bin:/bin");
    more.emplace("WATCHPROOF_CACHE", (folder_ / "cache").string());
    more.emplace("WATCHPROOF_MANIFEST", (folder_ / "manifest.toml").string());
    more.emplace("OFFERED", "9.9-1");
    more.emplace("CONTENT", "abc");
    return more;
  }
  ScriptedRun Fetch(const Variables& more = {}) const {
    return ScriptedRun::Command({"fetch", "etcd", "9.9"}, Environment(more));
  }
  fs::path place() const { return folder_ / "cache" / "releases" / "etcd" / "9.9" / "etcd"; }
  // Not even a part of it.
  bool NothingPlaced() const {
    std::error_code error;
    const fs::directory_iterator files(place().parent_path(), error);
    return error || files == fs::directory_iterator();
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("wp-fetch-{}", getpid());
};

TEST_F(FetchTest, FetchesThePackageOnlyOnce) {
  Program("curl", kNoCurl);
  ScriptedRun first = Fetch();
  EXPECT_EQ(first.Wait(), 0) << first.output();
  EXPECT_THAT(first.output(), HasSubstr("etcd 9.9: Debian someday"));
  EXPECT_THAT(first.output(), HasSubstr(place().string() + "\n"));
  EXPECT_EQ(ReadText(place()), "abc");
  for (const char* tool : {"apt-get", "dpkg"}) Program(tool, "echo was asked; exit 9");
  ScriptedRun second = Fetch();
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_THAT(second.output(), AllOf(HasSubstr("etcd 9.9: already cached"),
                                     HasSubstr(place().string()), Not(HasSubstr("asked"))));
}

TEST_F(FetchTest, VersionMissingInDebianComesFromTheOfficialArchive) {
  Publish("sha256sum etcd-v9.9.tar.gz");
  ScriptedRun run = Fetch({{"OFFERED", "9.10-1"}});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("etcd 9.9: Debian someday: the suite no longer has 9.9, it "
                                      "has etcd-server 9.10-1\n"));
  EXPECT_THAT(run.output(), HasSubstr("etcd 9.9: the official archive\n"));
  EXPECT_EQ(ReadText(place()), "official");
  ScriptedRun again = Fetch({{"OFFERED", "9.10-1"}});
  EXPECT_EQ(again.Wait(), 0);
  EXPECT_THAT(again.output(), HasSubstr("already cached"));
}

TEST_F(FetchTest, AWrongSumIsReportedAndNothingIsPlaced) {
  Publish("echo 0000 etcd-v9.9.tar.gz");
  ScriptedRun run = Fetch({{"CONTENT", "abd"}});
  EXPECT_EQ(run.Wait(), 3) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("Debian someday: usr/bin/etcd has SHA-256 a52d159f"),
                                  HasSubstr(std::string("the manifest says ") + kSumOfAbc),
                                  HasSubstr("the official archive: etcd-v9.9.tar.gz has SHA-256 "),
                                  HasSubstr("its SHA256SUMS say 0000\n")));
  EXPECT_TRUE(NothingPlaced());
}

TEST_F(FetchTest, WithoutANetworkTheLastLineNamesTheFileAndItsPlace) {
  WriteManifest("http://127.0.0.1:9");
  ScriptedRun run = Fetch({{"BROKEN", "1"}, {"http_proxy", std::nullopt}});
  EXPECT_EQ(run.Wait(), 3) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("Debian someday: apt-get exited with 100: The mirror "
                                            "is on fire\n"),
                                  HasSubstr("the official archive: curl ")));
  EXPECT_THAT(run.output(), EndsWith(fmt::format(
                                "etcd 9.9: cannot be fetched here; place the file usr/bin/etcd of "
                                "Debian's package etcd-server 9.9-1 ({}, SHA-256 {}) at {} and try "
                                "again\n",
                                kArchitecture, kSumOfAbc, place().string())));
  EXPECT_TRUE(NothingPlaced());
  // Follow that instruction.
  fs::create_directories(place().parent_path());
  std::ofstream(place()) << "abc";
  ScriptedRun placed = Fetch({{"BROKEN", "1"}});
  EXPECT_EQ(placed.Wait(), 0);
  EXPECT_THAT(placed.output(), HasSubstr("etcd 9.9: already there"));
}

TEST_F(FetchTest, AReleaseIsBuiltFromItsModuleAndSaysWhatItIs) {
  OfferModule();
  ScriptedRun run = FetchVersions({"etcd", "9.9.0"}, {{"REPORTED", "9.9.0"}});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("etcd 9.9.0: its Go module\n" + PlaceOf("9.9.0").string()));
  EXPECT_EQ(ReadText(PlaceOf("9.9.0").string() + ".origin"),
            "its Go module\ngo1.26.0\n\tdep\texample.org/x\tv1.2.3\th1:abc=\n"
            "\tdep\texample.org/kine\tv1.2.3\th1:abc=\n\n");
  // Companions of the same major version are pinned to the release, others are as it wants them.
  EXPECT_EQ(ReadText(folder_ / "edits"),
            "mod edit -require=example.org/etcd/server/v3@v9.9.0 "
            "-require=example.org/etcd/api/v3@v9.9.0 -require=example.org/etcd/client/v2@v2.9.0\n");
}

TEST_F(FetchTest, AMissingCompanionIsReplacedByTheNearestOfTheBranch) {
  OfferModule();
  ScriptedRun run = FetchVersions({"etcd", "9.9.1"}, {{"REPORTED", "9.9.1"}});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(ReadText(folder_ / "edits"),
              HasSubstr("-require=example.org/etcd/api/v3@v9.9.1 "
                        "-replace=example.org/etcd/api/v3@v9.9.1=example.org/etcd/api/v3@v9.9.0"));
}

TEST_F(FetchTest, ABuildThatReportsAnotherVersionIsNotPlaced) {
  OfferModule();
  ScriptedRun run = FetchVersions({"etcd", "9.9.0"}, {{"REPORTED", "9.8.1"}});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_THAT(run.output(),
              HasSubstr("its Go module: the program that was built reports 9.8.1, not 9.9.0"));
  EXPECT_FALSE(fs::exists(PlaceOf("9.9.0").parent_path()));
}

// What it was built from says what it is, with tags and a compiler as its row asks for.
TEST_F(FetchTest, AProgramThatDoesNotReportItsVersionIsKnownByItsModule) {
  OfferModule();
  std::ofstream(folder_ / "manifest.toml", std::ios::app)
      << "[[module]]\nproduct = \"kine\"\npath = \"example.org/kine\"\n"
         "family = \"example.org/kine/\"\npackage = \"example.org/kine\"\ntags = \"nats\"\n"
         "cgo = true\nsilent = true\n"
         "[[module]]\nproduct = \"tool\"\npath = \"example.org/tool\"\n"
         "family = \"example.org/tool/\"\npackage = \"example.org/tool\"\ntool = true\n";
  const fs::path place = folder_ / "cache" / "releases" / "kine" / "1.2.3" / "kine";
  ScriptedRun other = FetchVersions({"kine", "1.2.4"});
  EXPECT_EQ(other.Wait(), 3);
  EXPECT_THAT(other.output(), HasSubstr("is not of example.org/kine 1.2.4"));
  ScriptedRun run = FetchVersions({"kine", "1.2.3"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("kine 1.2.3: its Go module\n" + place.string()));
  EXPECT_THAT(ReadText(folder_ / "build"), AllOf(HasSubstr("cgo 1 "), HasSubstr("-tags=nats")));
  ScriptedRun list = FetchVersions({"--list"});
  EXPECT_EQ(list.Wait(), 0) << list.output();
  EXPECT_THAT(list.output(), AllOf(HasSubstr("kine 9.8.1          its Go module\n"),
                                   Not(HasSubstr("tool 9.8.1"))));
}

TEST_F(FetchTest, ListAndPatternsKnowTheRegistry) {
  OfferModule();
  ScriptedRun list = FetchVersions({"--list"});
  EXPECT_EQ(list.Wait(), 0) << list.output();
  EXPECT_THAT(list.output(), AllOf(HasSubstr("etcd 9.8.1          its Go module\n"),
                                   HasSubstr("etcd 9.9            Debian someday\n")));
  // None of the binaries reports its version: the list of the failures shows what was meant.
  for (const Words& words : std::vector<Words>{{"etcd 9.9.*"}, {"etcd", "9.9.*", "--jobs", "2"}}) {
    ScriptedRun some = FetchVersions(words);
    EXPECT_EQ(some.Wait(), 3);
    EXPECT_THAT(some.output(),
                AllOf(HasSubstr("etcd 9.9.0: no source has it"),
                      HasSubstr("etcd 9.9.1: no source has it"), Not(HasSubstr("etcd 9.8.1"))));
  }
  ScriptedRun broken = FetchVersions({"--list"}, {{"BROKEN", "1"}});
  EXPECT_EQ(broken.Wait(), 3);
  EXPECT_THAT(broken.output(), AllOf(HasSubstr("etcd 9.9 "), HasSubstr("registry is on fire")));
  ScriptedRun none = FetchVersions({"etcd", "7.*"});
  EXPECT_EQ(none.Wait(), 3);
  EXPECT_THAT(none.output(), HasSubstr("no release is called etcd 7.*"));
}

TEST_F(FetchTest, AnInterruptLeavesNothing) {
  OfferModule();
  fs::create_directories(folder_ / "tmp");
  ScriptedRun run = FetchVersions({"etcd", "9.9.0", "9.8.1"},
                                  {{"INTERRUPTS", "1"}, {"TMPDIR", (folder_ / "tmp").string()}});
  EXPECT_EQ(run.Wait(), 130) << run.output();
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
  EXPECT_FALSE(fs::exists(PlaceOf("9.9.0").parent_path()));
}

TEST_F(FetchTest, MissingToolsAreNamed) {
  const Variables nowhere{{"PATH", (folder_ / "none").string()}};
  ScriptedRun run = Fetch(nowhere);
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_THAT(run.output(),
              AllOf(HasSubstr("apt-get is not installed"), HasSubstr("curl is not installed")));
}

TEST_F(FetchTest, WithoutGoOneLineSaysWhatItWouldGive) {
  OfferModule();
  fs::remove(folder_ / "bin" / "go");
  fs::create_symlink("/usr/bin/env", folder_ / "bin" / "env");
  ScriptedRun run = FetchVersions({"etcd", "9.9.0"}, {{"PATH", (folder_ / "bin").string()}});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_THAT(run.output(), HasSubstr("etcd 9.9.0: its Go module: go is not installed; with it "));
}

TEST_F(FetchTest, InvalidArgumentsAreUsageErrorsThatNameKnownValues) {
  struct Row {
    Words words;
    const char* text;
  };
  for (const Row& row : std::vector<Row>{
           {{"fetch", "etcd", "9.8"}, "etcd 9.8 is not in the manifest; known: etcd 9.9"},
           {{"fetch", "redis", "9.9"}, "redis 9.9 is not in the manifest; known products: etcd"},
           {{"fetch"}, "as in: fetch etcd 9.9"},
           {{"fetch", "--all", "etcd"}, "either --all"},
           {{"fetch", "--manifest", "/no/such", "--all"}, "/no/such"},
           {{"run", "--target", "etcd@9.8"}, "etcd 9.8 is not in the manifest"},
           {{"run", "--releases", "some"}, "none of all, cached, none"},
       }) {
    ScriptedRun run = ScriptedRun::Command(row.words, Environment());
    EXPECT_EQ(run.Wait(), 4) << row.text << "\n" << run.output();
    EXPECT_THAT(run.output(), HasSubstr(row.text));
  }
}

TEST_F(FetchTest, ReleaseNotFetchedIsAColumnAndExitCodeThreeIfNamed) {
  ScriptedRun named({"--target", "embedded", "--target", "etcd@9.9", "--filter", "Ends.Passes"},
                    Environment());
  EXPECT_EQ(named.Wait(), 3) << named.output();
  EXPECT_THAT(named.output(), AllOf(HasSubstr("etcd 9.9 is not fetched; this fetches it: "
                                              "watchproof fetch etcd 9.9\n"),
                                    HasSubstr("· not fetched"), HasSubstr("✓ pass")));
  EXPECT_THAT(named.File("junit.xml"), HasSubstr("<skipped message=\"not fetched\"/>"));
  ScriptedRun all({"--target", "embedded", "--releases", "all", "--filter", "Ends.Passes"},
                  Environment());
  EXPECT_EQ(all.Wait(), 0) << all.output();
  EXPECT_THAT(all.output(), AllOf(HasSubstr("· not fetched"), HasSubstr(" fetch etcd 9.9\n"),
                                  HasSubstr("Good: 1 passed, 1 not fetched.")));
  fs::create_directories(PlaceOf("9.9.10").parent_path());
  fs::create_directories(PlaceOf("9.9.8").parent_path());
  OfferModule();
  ScriptedRun cached({"--releases", "cached", "--dry-run"}, Environment());
  EXPECT_EQ(cached.Wait(), 0) << cached.output();
  EXPECT_THAT(cached.output(), HasSubstr(" on etcd@9.9.8, etcd@9.9.10, "));
  ScriptedRun nothing({"--releases", "all", "--filter", "Ends.Passes"}, Environment());
  EXPECT_EQ(nothing.Wait(), 2) << nothing.output();
}

}  // namespace
}  // namespace watchproof
