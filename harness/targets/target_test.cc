// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/releases/release_archives.h"
#include "harness/targets/probe.h"

namespace watchproof {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TargetTest : public testing::Test {
 protected:
  TargetTest() { std::filesystem::create_directories(folder_); }
  ~TargetTest() override { std::filesystem::remove_all(folder_); }

  std::string Program(const std::string& name, const std::string& script) {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  Status Start(const std::string& path, Duration patience = 10s, StartOptions options = {}) {
    auto spec = ParseTargetSpec("etcd:" + path);
    auto target = MakeTarget(*spec);
    options.host = "127.77.0.1";
    options.folder = folder_;
    options.deadline = Within(patience);
    return (*target)->Start(options);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-target-{}", getpid());
};

TEST_F(TargetTest, ParsesSpecsAndNamesWhatWasExpected) {
  EXPECT_EQ(ParseTargetSpec("etcd:/usr/bin/etcd")->product, "etcd");
  EXPECT_EQ(ParseTargetSpec("etcd@3.5.16")->release, "3.5.16");
  EXPECT_TRUE(ParseTargetSpec("embedded")->ours);
  EXPECT_THAT(ParseTargetSpec("embedded+a+b")->defects, testing::ElementsAre("a", "b"));
  for (const char* bad :
       {"", "etcd", "etcd:", "embedded:x", "embedded+", "redis:/x", "etcd+x", "endpoint",
        "endpoint:", "endpoint+x", "etcd@", "etcd@../../x", "etcd@3/x", "embedded@3"}) {
    const auto spec = ParseTargetSpec(bad);
    ASSERT_FALSE(spec.has_value()) << bad;
    EXPECT_THAT(spec.error().message(), HasSubstr(fmt::format("target \"{}\"", bad)));
    EXPECT_THAT(spec.error().message(), HasSubstr("etcd:PATH or etcd@VERSION"));
  }
}

TEST_F(TargetTest, ATopologyFollowsAComma) {
  const auto tls = ParseTargetSpec("etcd@3.7.3,tls");
  ASSERT_TRUE(tls.has_value()) << tls.error().message();
  EXPECT_EQ(tls->release, "3.7.3");
  EXPECT_EQ(tls->topology, "tls");
  EXPECT_EQ(tls->members, 1);
  EXPECT_EQ(tls->Label(), "etcd 3.7.3,tls");
  EXPECT_EQ(tls->Label("3.7.3"), "etcd 3.7.3,tls");
  const auto cluster = ParseTargetSpec("etcd:/usr/bin/etcd,members=3");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message();
  EXPECT_EQ(cluster->members, 3);
  EXPECT_EQ(cluster->Label("3.4.23"), "etcd 3.4.23,members=3");
  const auto upgrade = ParseTargetSpec("etcd@3.5.30,upgrade=3.6.16");
  ASSERT_TRUE(upgrade.has_value()) << upgrade.error().message();
  EXPECT_EQ(upgrade->release, "3.5.30");
  ASSERT_EQ(upgrade->next.size(), 1U);
  EXPECT_EQ(upgrade->next[0].release, "3.6.16");
  EXPECT_FALSE(upgrade->next[0].older);
  EXPECT_THAT(cluster->next, IsEmpty());
  const auto twice = ParseTargetSpec("etcd@3.5.30,upgrade=3.6.16+3.7.3");
  ASSERT_TRUE(twice.has_value()) << twice.error().message();
  ASSERT_EQ(twice->next.size(), 2U);
  EXPECT_EQ(twice->next[1].release, "3.7.3");
  const auto back = ParseTargetSpec("etcd@3.7.3,downgrade=3.6.16+3.7.3");
  ASSERT_TRUE(back.has_value()) << back.error().message();
  ASSERT_EQ(back->next.size(), 2U);
  EXPECT_TRUE(back->next[0].older);
  EXPECT_FALSE(back->next[1].older);
  EXPECT_EQ(upgrade->members, 3);
  EXPECT_EQ(upgrade->Label("3.5.30"), "etcd 3.5.30,upgrade=3.6.16");
  const auto folder = ParseTargetSpec("etcd:/opt/a,b/etcd,tls");
  ASSERT_TRUE(folder.has_value()) << folder.error().message();
  EXPECT_EQ(folder->topology, "tls");
  EXPECT_EQ(ParseTargetSpec("etcd:/opt/a,b/etcd")->topology, "");
  for (const char* bad : {"etcd@3.7.3,", "etcd@3.7.3,ssl", "etcd@3.7.3,tls=1", "etcd@3.7.3,members",
                          "etcd@3.7.3,members=1", "etcd@3.7.3,members=6", "etcd@3.7.3,members=33",
                          "etcd@3.7.3,tls,members=3", "etcd@3.5.30,upgrade", "etcd@3.5.30,upgrade=",
                          "etcd@3.5.30,upgrade=..", "etcd@3.5.30,upgrade=3.6.16+"}) {
    const auto spec = ParseTargetSpec(bad);
    ASSERT_FALSE(spec.has_value()) << bad;
    EXPECT_THAT(spec.error().message(),
                AllOf(HasSubstr(fmt::format("target \"{}\"", bad)), HasSubstr("is no topology"),
                      HasSubstr("downgrade=VERSION[+VERSION], gateway, grpc-proxy, members=N, tls, "
                                "upgrade=VERSION[+VERSION], users")));
  }
}

TEST_F(TargetTest, AReleaseOfAProductHasItsDriverAndItsProfile) {
  const auto sqlite = ParseTargetSpec("kine@0.17.5");
  ASSERT_TRUE(sqlite.has_value()) << sqlite.error().message();
  EXPECT_EQ(sqlite->product, "kine");
  EXPECT_EQ(sqlite->release, "0.17.5");
  EXPECT_EQ(sqlite->profile, "kine");
  EXPECT_EQ(sqlite->topology, "");
  EXPECT_EQ(ParseTargetSpec("kine@0.17.5,sqlite")->topology, "") << "the default";
  const auto nats = ParseTargetSpec("kine@0.17.5,nats");
  ASSERT_TRUE(nats.has_value()) << nats.error().message();
  EXPECT_EQ(nats->topology, "nats");
  EXPECT_EQ(nats->Label(), "kine 0.17.5,nats");
  EXPECT_EQ(nats->Label("0.17.5"), "kine 0.17.5,nats");
  const auto t4 = ParseTargetSpec("t4@1.1.17");
  ASSERT_TRUE(t4.has_value()) << t4.error().message();
  EXPECT_EQ(t4->profile, "t4");
  EXPECT_EQ(ReleaseSpec("t4", "1.1.17")->Label(), "t4 1.1.17");
  EXPECT_EQ(ParseTargetSpec("etcd-go on kine@0.17.5,nats")->Label("0.17.5"),
            "etcd-go on kine 0.17.5,nats");
  const std::pair<const char*, const char*> wrong[] = {
      {"kine", "kine@VERSION[,DRIVER]"},
      {"kine:/x", "kine@VERSION[,DRIVER]"},
      {"kine@", "kine@VERSION[,DRIVER]"},
      {"kine@../x", "kine@VERSION[,DRIVER]"},
      {"kine@0.17.5,", "'' is no driver of kine; expected one of sqlite, memory, nats"},
      {"kine@0.17.5,pgsql", "'pgsql' is no driver of kine"},
      {"kine@0.14.9,memory", "kine has its driver memory since 0.15.0"},
      {"t4@1.1.17,nats", "'nats' is no driver of t4; expected none"}};
  for (const auto& [text, expected] : wrong) {
    const auto parsed = ParseTargetSpec(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message(),
                AllOf(HasSubstr(fmt::format("target \"{}\"", text)), HasSubstr(expected)));
  }
}

// It is started with the flags that it lists, in a place of its own.
TEST_F(TargetTest, AReleaseOfAProductIsStartedAsItsDescriptionSays) {
  setenv("WATCHPROOF_CACHE", folder_.c_str(), 1);
  const auto start = [this](const std::string& text, Duration progress_interval) {
    std::filesystem::remove(folder_ / "target.log");
    auto target = MakeTarget(*ParseTargetSpec(text));
    const Status started = (*target)->Start({.host = "127.77.0.3",
                                             .folder = folder_,
                                             .deadline = Within(10s),
                                             .progress_interval = progress_interval});
    EXPECT_EQ((*target)->version(), text.substr(text.find('@') + 1, 6));
    EXPECT_EQ((*target)->durable(), text.find("memory") == text.npos);
    return started.message();
  };
  EXPECT_THAT(start("kine@0.17.5", {}), HasSubstr("watchproof fetch kine 0.17.5"));
  const auto place = folder_ / "releases" / "kine" / "0.17.5";
  std::filesystem::create_directories(place);
  const std::string kine = Program("releases/kine/0.17.5/kine",
                                   "[ \"$1\" = --help ] && echo '--compact-min-retain value' "
                                   "'--watch-progress-notify-interval value' && exit\n"
                                   "echo \"$@\" >&2; exit 4");
  std::ofstream(kine + ".sha256") << *Sha256OfFile(kine) << "  kine\n";
  EXPECT_THAT(
      start("kine@0.17.5", {}),
      AllOf(HasSubstr("--listen-address 127.77.0.3:2379 --metrics-bind-address 0 --endpoint "
                      "sqlite:///"),
            HasSubstr("--compact-min-retain=0"), Not(HasSubstr("poll")), Not(HasSubstr("notify"))));
  EXPECT_THAT(start("kine@0.17.5,memory", 100ms),
              AllOf(HasSubstr("--endpoint memory:// --compact-min-retain=0 "
                              "--watch-progress-notify-interval=100ms")));
  unsetenv("WATCHPROOF_CACHE");
}

TEST_F(TargetTest, AnUpgradeIsToALaterReleaseAndADowngradeToTheBranchBefore) {
  const auto refusal = [](const char* text) {
    const auto spec = ParseTargetSpec(text);
    return spec.has_value() ? std::string("taken") : spec.error().message();
  };
  EXPECT_THAT(refusal("etcd@3.5.30,upgrade=3.4.23"), HasSubstr("expected downgrade=3.4.23"));
  EXPECT_THAT(refusal("etcd@3.7.3,downgrade=3.5.30"), HasSubstr("a downgrade of 3.7.3 is to 3.6"));
  EXPECT_THAT(refusal("etcd@3.5.30,downgrade=3.5.16"), HasSubstr("is to 3.4"));
  EXPECT_THAT(refusal("etcd@3.5.30,downgrade=3.4.23"), HasSubstr("expected 3.4.32 or later"));
  EXPECT_EQ(refusal("etcd@3.5.30,downgrade=3.4.32"), "taken");
  EXPECT_EQ(refusal("etcd@3.5.16,upgrade=3.5.12"), "taken");
}

TEST_F(TargetTest, CommandLinesReachToTheEndOfTheSpec) {
  const auto spec =
      ParseTargetSpec("command:/opt/my store --listen={host}:{port} 'a b' --x={y: 1} {data}+@:");
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(spec->name, "my");
}

TEST_F(TargetTest, LabelsHaveTheVersionWhereItSaysMore) {
  const auto label = [](const char* text, const char* version) {
    return ParseTargetSpec(text)->Label(version);
  };
  EXPECT_EQ(label("embedded+a", "0.1"), "embedded+a");
  EXPECT_EQ(label("etcd:/usr/bin/etcd", "3.4.23"), "etcd 3.4.23");
  EXPECT_EQ(label("etcd:/usr/bin/etcd", ""), "etcd:/usr/bin/etcd");
  EXPECT_EQ(label("etcd@3.5.16", ""), "etcd 3.5.16");
  EXPECT_EQ(label("endpoint:h:1", "3.4.23"), "endpoint 3.4.23");
  EXPECT_EQ(label("endpoint:h:1", ""), "endpoint:h:1");
  EXPECT_EQ(label("command:/opt/kine {port}", "3.5"), "kine, as etcd 3.5");
  EXPECT_EQ(label("command:/opt/kine {port}", ""), "kine");
}

TEST_F(TargetTest, ErrorsForCommandLinesNameWhatWasExpected) {
  const std::pair<const char*, const char*> wrong[] = {
      {"command", "expected command:TEMPLATE"},
      {"command+x", "expected command:TEMPLATE"},
      {"command:", "no program"},
      {"command:'' {port}", "no program"},
      {"command:store {host}", "no {port}"},
      {"command:store {port} {date}", "{date} is unknown; expected {host}, {port}, {peer-port}"},
      {"command:store '{port}", "a ' that is never closed"}};
  for (const auto& [text, expected] : wrong) {
    const auto parsed = ParseTargetSpec(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message(),
                AllOf(HasSubstr(fmt::format("target \"{}\"", text)), HasSubstr(expected)));
  }
}

TEST_F(TargetTest, ErrorForAFailingCommandHasItsLastOutput) {
  const auto start = [&](const std::string& command) {
    const auto spec = ParseTargetSpec("command:" + command);
    auto target = MakeTarget(*spec);
    return (*target)
        ->Start({.host = "127.77.0.2", .folder = folder_, .deadline = Within(10s)})
        .message();
  };
  EXPECT_THAT(start("/nowhere/store {port}"), HasSubstr("/nowhere/store: no such file"));
  EXPECT_THAT(start("no-such-store {port}"), HasSubstr("no-such-store: no such program in PATH"));
  EXPECT_THAT(start("false {port}"), HasSubstr("exited with 1 before it answered"));
  const std::string echo = Program("echo", "echo \"$@\" >&2; exit 4");
  EXPECT_THAT(start(echo + " --at {host}:{port} --peer {peer-port} --in '{data} x'"),
              AllOf(HasSubstr("--at 127.77.0.2:2379 --peer 2380 --in /"), HasSubstr("/store x")));
  EXPECT_THAT(start(echo + " {port}"), HasSubstr("before it answered on 127.0.0.1:"));
  EXPECT_THAT(start(echo + " 'a b' --x={y: 1} {data}+@:{port}"),
              AllOf(HasSubstr("a b --x={y: 1} /"), HasSubstr("/store+@:")));
}

TEST_F(TargetTest, ParsesAddressesOfRunningServers) {
  const auto plain = ParseTargetSpec("endpoint:db.local:2379");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->server->host, "db.local");
  EXPECT_EQ(plain->server->port, 2379);
  const auto six = ParseTargetSpec("endpoint:[::1]:65535");
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ((Endpoint{six->server->host, six->server->port}.ToString()), "[::1]:65535");
  EXPECT_EQ(plain->server->tls, std::nullopt);
  for (const auto& [text, tls] : {std::pair{"endpoint:http://db.local:2379", false},
                                  std::pair{"endpoint:https://db.local:2379/", true}}) {
    const auto url = ParseTargetSpec(text);
    ASSERT_TRUE(url.has_value()) << text;
    EXPECT_EQ(url->server->host, "db.local");
    EXPECT_EQ(url->server->port, 2379);
    EXPECT_EQ(url->server->tls, tls);
  }
  for (const char* bad :
       {"endpoint:db", "endpoint::2379", "endpoint:db:0", "endpoint:db:65536", "endpoint:db:x",
        "endpoint:db:23 ", "endpoint:::1:2379", "endpoint:http://db", "endpoint:https://db:2379/x",
        "endpoint:ftp://db:1", "endpoint:a@b:1", "endpoint:db:"}) {
    const auto spec = ParseTargetSpec(bad);
    ASSERT_FALSE(spec.has_value()) << bad;
    EXPECT_THAT(spec.error().message(),
                AllOf(HasSubstr(fmt::format("target \"{}\"", bad)), HasSubstr("HOST:PORT")));
  }
}

TEST_F(TargetTest, ErrorForAFailingBinaryHasItsLastOutput) {
  EXPECT_THAT(Start("/nowhere/etcd").message(), HasSubstr("/nowhere/etcd: no such file"));
  EXPECT_THAT(Start(Program("foreign", "echo I am a teapot")).message(),
              AllOf(HasSubstr("is not etcd"), HasSubstr("I am a teapot")));
  EXPECT_THAT(Start(Program("mute",
                            "[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                            "echo cannot find my keys >&2; exit 4"))
                  .message(),
              AllOf(HasSubstr("exited with 4 before it answered on 127.77.0.1:2379"),
                    HasSubstr("its last words: cannot find my keys")));
  // It may be stopped before it prints anything, so its output is not checked.
  EXPECT_THAT(Start(Program("idle",
                            "[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                            "[ \"$1\" = --help ] || exec sleep 1000"),
                    1s)
                  .message(),
              HasSubstr("did not answer on 127.77.0.1:2379 within 1000 ms"));
}

// A setting can hide a bug.
TEST_F(TargetTest, EtcdRunsWithItsDefaultsUnlessAnAttemptAsks) {
  const std::string program = Program("flags",
                                      "[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                                      "[ \"$1\" = --help ] && echo --unsafe-no-fsync "
                                      "--watch-progress-notify-interval && exit\n"
                                      "echo \"$@\" >&2; exit 4");
  EXPECT_THAT(Start(program).message(),
              AllOf(HasSubstr("--data-dir"), Not(HasSubstr("fsync")), Not(HasSubstr("progress"))));
  EXPECT_THAT(Start(program, 10s, {.synced = false, .progress_interval = 100ms}).message(),
              HasSubstr("--unsafe-no-fsync --watch-progress-notify-interval 100ms"));
}

TEST_F(TargetTest, EtcdComparesItsDataAtTheStartByTheFlagOfItsRelease) {
  const auto said = [this](const std::string& name, const std::string& help) {
    const std::string program =
        Program(name, fmt::format("[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                                  "[ \"$1\" = --help ] && echo '{}' && exit\n"
                                  "echo \"$@\" >&2; exit 4",
                                  help));
    std::filesystem::remove(folder_ / "target.log");
    return Start(program, 10s, {.cluster = {.plan = {.compare_at_start = true}}}).message();
  };
  const std::string flag = "--experimental-initial-corrupt-check";
  EXPECT_THAT(said("old", flag), HasSubstr(flag));
  EXPECT_THAT(said("new", flag + " InitialCorruptCheck=true|false"),
              AllOf(HasSubstr("--feature-gates=InitialCorruptCheck=true"), Not(HasSubstr(flag))));
  EXPECT_THAT(said("none", "--data-dir"), Not(HasSubstr("orrupt")));
}

TEST_F(TargetTest, EtcdCompactsInBatchesByTheFlagOfItsRelease) {
  const auto said = [this](const std::string& name, const std::string& help) {
    const std::string program =
        Program(name, fmt::format("[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                                  "[ \"$1\" = --help ] && echo '{}' && exit\n"
                                  "echo \"$@\" >&2; exit 4",
                                  help));
    std::filesystem::remove(folder_ / "target.log");
    return Start(program, 10s, {.cluster = {.plan = {.compaction_batch = 2}}}).message();
  };
  const std::string old = "--experimental-compaction-batch-limit";
  EXPECT_THAT(said("old", old), HasSubstr(old + "=2"));
  EXPECT_THAT(said("both", old + " --compaction-batch-limit"),
              AllOf(HasSubstr("--compaction-batch-limit=2"), Not(HasSubstr(old))));
  EXPECT_THAT(said("none", "--data-dir"), Not(HasSubstr("batch")));
}

// Whatever the environment of the harness says.
TEST_F(TargetTest, EtcdChecksItselfWhereAnAttemptAsks) {
  setenv("ETCD_VERIFY", "lock", 1);
  const std::string program = Program("self",
                                      "[ \"$1\" = --version ] && echo etcd Version: 9 && exit\n"
                                      "[ \"$1\" = --help ] && exit\n"
                                      "echo \"checks $ETCD_VERIFY.\" >&2; exit 4");
  EXPECT_THAT(Start(program).message(), HasSubstr("checks ."));
  EXPECT_THAT(Start(program, 10s, {.cluster = {.plan = {.self_checks = true}}}).message(),
              HasSubstr("checks assert."));
  unsetenv("ETCD_VERIFY");
}

TEST(Metrics, AreReadByNameSummedOverLabelsAndBySeries) {
  const Metrics metrics =
      ParseMetrics("# HELP a b\na 3\nb{x=\"1\"} 1.5\nb{x=\"2\"} 2\nbroken\nc 1e3\nd none\n");
  EXPECT_EQ(metrics,
            (Metrics{{"a", 3}, {"b", 3.5}, {"b{x=\"1\"}", 1.5}, {"b{x=\"2\"}", 2}, {"c", 1000}}));
}

}  // namespace
}  // namespace watchproof
