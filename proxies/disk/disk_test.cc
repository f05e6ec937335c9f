// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace watchproof::proxy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A shell writes through descriptors that it numbers itself, and so leaves the writing to others.
const std::string kPrograms =
    "add() { printf %s \"$2\" | tee -a \"$1\" >/dev/null; }\n"
    "put() { printf %s \"$2\" | tee \"$1\" >/dev/null; }\n"
    "at() { perl -e 'open F, \"+<\", $ARGV[0]; seek F, $ARGV[1], 0; print F $ARGV[2]' \"$@\"; }\n";

// Programs of a shell below a disk.
class DiskTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("disk_{}_{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "data");
    const Status can = CanTrapCalls();
    if (can.code() == StatusCode::kUnimplemented || can.code() == StatusCode::kPermissionDenied) {
      GTEST_SKIP() << can.message();
    }
    ASSERT_TRUE(can.ok()) << can.message();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void OpenDisk(const DiskOptions& wanted = {}) {
    DiskOptions options = wanted;
    options.folder = folder_ / "data";
    options.real_syncs = false;
    auto opened = Disk::Open(options);
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    disk_ = std::move(opened).value();
  }
  // In the folder. How it ended, as waitpid says.
  int Run(const std::string& script) {
    EXPECT_TRUE(disk_->Prepare().ok());
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      if (chdir((folder_ / "data").c_str()) != 0 || disk_->BeforeExec() != 0) _exit(99);
      execl("/bin/sh", "sh", "-c", (kPrograms + script).c_str(), nullptr);
      _exit(98);
    }
    setpgid(child, child);
    const Status attached = disk_->Attach(child);
    EXPECT_TRUE(attached.ok()) << attached.message();
    int ended = -1;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    return ended;
  }
  Loss LosePower(const Kept& kept = {}) {
    const auto loss = disk_->LosePower(kept);
    EXPECT_TRUE(loss.has_value()) << loss.error().message();
    return loss.value_or(Loss());
  }
  std::string Read(const std::string& name) {
    std::ifstream file(folder_ / "data" / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& one : std::filesystem::recursive_directory_iterator(folder_ / "data")) {
      names.push_back(one.path().lexically_relative(folder_ / "data").string());
    }
    return names;
  }

  // "sync: sync of a"
  std::vector<std::string> Spans() {
    std::vector<std::string> all;
    for (const DiskSpan& span : disk_->TakeSpans()) {
      all.push_back(fmt::format("{}: {}", Name(span.kind), span.what));
    }
    return all;
  }

  std::filesystem::path folder_;
  std::unique_ptr<Disk> disk_;
};

struct PowerFailure {
  std::string name;
  std::string script;
  std::vector<std::string> files;  // "name=contents" that are left, in any order
};

void PrintTo(const PowerFailure& one, std::ostream* out) { *out << one.name; }

class PowerFailureTest : public DiskTest, public testing::WithParamInterface<PowerFailure> {};

TEST_P(PowerFailureTest, LeavesWhatWasSynced) {
  OpenDisk();
  ASSERT_EQ(Run("mkdir d; put d/kept old; put gone old; sync d/kept gone d ."), 0);
  ASSERT_EQ(Run(GetParam().script), 0);
  LosePower();
  std::vector<std::string> left;
  for (const std::string& name : Names()) {
    const bool folder = std::filesystem::is_directory(folder_ / "data" / name);
    std::string contents = folder ? "folder" : Read(name);
    std::erase(contents, '\n');
    left.push_back(name + "=" + contents);
  }
  EXPECT_THAT(left, testing::UnorderedElementsAreArray(GetParam().files));
  EXPECT_THAT(std::filesystem::exists(folder_ / ".data.removed"), false);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, PowerFailureTest,
    testing::Values(
        PowerFailure{"nothing", "true", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"append", "add gone new", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{
            "synced_append", "add gone new; sync gone", {"d=folder", "d/kept=old", "gone=oldnew"}},
        PowerFailure{"written_since",
                     "add gone a; sync -d gone; add gone b",
                     {"d=folder", "d/kept=old", "gone=olda"}},
        PowerFailure{"other_file_synced",
                     "add gone a; add d/kept b; sync d/kept",
                     {"d=folder", "d/kept=oldb", "gone=old"}},
        PowerFailure{
            "truncated", "echo > gone; sync d/kept", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"shorter",
                     "truncate -s 1 gone; truncate -s 3 d/kept; sync d/kept",
                     {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"made", "put d/new new", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"made_and_synced",
                     "put d/new new; sync d/new",
                     {"d=folder", "d/kept=old", "gone=old", "d/new=new"}},
        PowerFailure{"entry_synced_alone",
                     "put d/new new; sync d",
                     {"d=folder", "d/kept=old", "gone=old", "d/new="}},
        PowerFailure{
            "new_folders_of_a_synced_file",
            "mkdir e; mkdir e/f; put e/f/new new; sync e/f/new; put e/x x",
            {"d=folder", "d/kept=old", "gone=old", "e=folder", "e/f=folder", "e/f/new=new"}},
        PowerFailure{"removed", "rm gone; rm -r d", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"removed_and_synced", "rm gone; sync .", {"d=folder", "d/kept=old"}},
        PowerFailure{"renamed", "mv gone d/moved", {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"renamed_and_synced",
                     "mv gone d/moved; sync d",
                     {"d=folder", "d/kept=old", "d/moved=old"}},
        PowerFailure{"renamed_file_synced",
                     "mv gone d/moved; sync d/moved",
                     {"d=folder", "d/kept=old", "d/moved=old"}},
        PowerFailure{"replaced",
                     "put tmp new; sync tmp; mv tmp gone",
                     {"d=folder", "d/kept=old", "gone=old", "tmp=new"}},
        PowerFailure{"replaced_and_synced",
                     "put tmp new; sync tmp; mv tmp gone; sync .",
                     {"d=folder", "d/kept=old", "gone=new"}},
        PowerFailure{"renamed_folder",
                     "add d/kept more; mv d e; put e/new new",
                     {"d=folder", "d/kept=old", "gone=old"}},
        PowerFailure{"two_programs",
                     "(add gone a; sync gone) & (add d/kept b) & wait",
                     {"d=folder", "d/kept=old", "gone=olda"}}),
    [](const auto& of) { return of.param.name; });

TEST_F(DiskTest, LossIsSaidInFilesAndBytes) {
  OpenDisk();
  ASSERT_EQ(Run("put a old; put b old; sync a b ."), 0);
  ASSERT_EQ(Run("add a 12; add a 3; mv b c; rm c; put d x; put e x; rm e"), 0);
  const Loss loss = LosePower();
  EXPECT_EQ(loss.writes, 3);
  EXPECT_EQ(loss.entries, 3);
  EXPECT_THAT(loss.lines, ElementsAre("a: 2 writes, 3 bytes", "c: back to its name b",
                                      "c: was never removed", "d: was never made"));
}

TEST_F(DiskTest, FolderThatWasNeverMadeTakesWhatIsInIt) {
  OpenDisk();
  ASSERT_EQ(Run("mkdir d; put d/a x; sync d/a; mkdir e; put e/b x; mv d e/d"), 0);
  LosePower();
  EXPECT_THAT(Names(), UnorderedElementsAre("d", "d/a"));
}

TEST_F(DiskTest, WhatHappenedBeforeAPlainKillIsStillNotSynced) {
  OpenDisk();
  ASSERT_EQ(Run("put a old; sync a; add a new"), 0);
  ASSERT_EQ(Run("cat a > /dev/null; add a newer"), 0);
  LosePower();
  EXPECT_EQ(Read("a"), "old");
}

TEST_F(DiskTest, KeptPartsAreDrawnFromTheSeed) {
  std::set<std::string> states;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::filesystem::remove_all(folder_ / "data");
    std::filesystem::create_directories(folder_ / "data");
    OpenDisk();
    ASSERT_EQ(Run("put a 00000000; sync a; at a 0 11;"
                  "at a 4 22"),
              0);
    LosePower({.chance = 0.5, .unit = 1, .seed = seed});
    states.insert(Read("a"));
    EXPECT_EQ(Read("a").size(), 8U);
  }
  EXPECT_GT(states.size(), 5U);
}

TEST_F(DiskTest, TornWriteEndsInASector) {
  OpenDisk();
  ASSERT_EQ(Run("truncate -s 4096 a; sync a;"
                "head -c 4096 /dev/zero | tr '\\0' x | tee b > /dev/null; at a 0 \"$(cat b)\""),
            0);
  const Loss loss = LosePower({.torn = true, .seed = 3});
  const std::string left = Read("a");
  const std::size_t torn = left.find('\0');
  EXPECT_EQ(loss.writes, 1);
  ASSERT_NE(torn, std::string::npos);
  EXPECT_EQ(torn % 512, 0U);
  EXPECT_EQ(left.find('x', torn), std::string::npos);
}

TEST_F(DiskTest, HeldSyncHoldsNoOtherCall) {
  OpenDisk();
  const auto slow = disk_->Arm({.kind = "slow", .parameters = {{"hold", "200ms"}, {"files", "a"}}});
  ASSERT_TRUE(slow.has_value()) << slow.error().message();
  ASSERT_EQ(
      Run("echo > a; (sync a; add order synced) & "
          "(while ! [ -e seen ]; do put b x; [ -s b ] && echo > seen; done; add order wrote) &"
          "wait"),
      0);
  EXPECT_EQ(Read("order"), "wrotesynced");
  const auto receipt = disk_->Heal(*slow);
  EXPECT_EQ(receipt->affected, 1);
  EXPECT_EQ(receipt->longest_hold, 200ms);
  EXPECT_EQ(receipt->last, "sync of a");
}

TEST_F(DiskTest, HealingLetsGoWhatIsHeld) {
  OpenDisk();
  const auto slow =
      disk_->Arm({.kind = "slow", .parameters = {{"hold", "3600s"}, {"calls", "make"}}});
  std::thread healer([&] {
    while (disk_->Peek(*slow)->affected == 0) std::this_thread::yield();
    EXPECT_LT(disk_->Heal(*slow)->longest_hold, 3600s);
  });
  EXPECT_EQ(Run("echo > a"), 0);
  healer.join();
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(DiskTest, AProgramThatEndedDuringAHoldStartsAgain) {
  OpenDisk();
  const auto slow = disk_->Arm(
      {.kind = "slow", .parameters = {{"files", "a"}, {"times", "1"}, {"hold", "3600s"}}});
  std::thread watcher([&] {
    while (disk_->Peek(*slow)->affected == 0) std::this_thread::yield();
    std::ofstream(folder_ / "data" / "held");
  });
  EXPECT_TRUE(WIFSIGNALED(Run("echo > a; sync a & while [ ! -e held ]; do :; done; kill -KILL 0")));
  watcher.join();
  EXPECT_EQ(Run("sync a"), 0);
}

TEST_F(DiskTest, FailuresAreOfTheCallsAndFilesThatTheyAreAbout) {
  OpenDisk({.classes = {{.name = "log", .patterns = "wal/*|*.log"}}});
  ASSERT_TRUE(
      disk_->Arm({.kind = "failing", .parameters = {{"files", "log"}, {"from", "2"}}}).has_value());
  EXPECT_EQ(Run("mkdir wal; echo > wal/1; echo > other; sync wal/1; sync other"), 0);
  EXPECT_NE(Run("sync wal/1 2>/dev/null"), 0);
  EXPECT_NE(Run("echo > my.log; sync my.log 2>/dev/null"), 0);
  EXPECT_EQ(Run("sync other"), 0);
}

TEST_F(DiskTest, OpenFilesHaveTheirNewNames) {
  OpenDisk({.classes = {{.name = "log", .patterns = "d/*"}}});
  const auto held = disk_->Arm({.kind = "failing", .parameters = {{"files", "d/*"}}});
  const std::string rename_and_sync =
      "perl -MIO::Handle -e 'open F, \">\", \"c/f\"; rename \"c\", \"d\"; exit(!F->sync)'";
  EXPECT_NE(Run("mkdir c; " + rename_and_sync), 0);
  EXPECT_EQ(disk_->Peek(*held)->last, "sync of d/f");
  EXPECT_EQ(disk_->counts_by_class()[0].of(DiskCallKind::kSync), 1);
}

TEST_F(DiskTest, FullDiskRefusesWhatNeedsSpace) {
  OpenDisk();
  ASSERT_EQ(Run("echo > a"), 0);
  const auto full = disk_->Arm({.kind = "full"});
  EXPECT_NE(Run("echo 2>/dev/null > b"), 0);
  EXPECT_NE(Run("echo x | tee -a a >/dev/null 2>/dev/null"), 0);
  ASSERT_TRUE(disk_->Heal(*full).has_value());
  EXPECT_EQ(Run("echo > b"), 0);
}

TEST_F(DiskTest, ForgetfulSyncsKeepNothing) {
  OpenDisk();
  ASSERT_EQ(Run("put a old; sync a"), 0);
  ASSERT_TRUE(disk_->Arm({.kind = "forgetful", .parameters = {{"every", "2"}}}).has_value());
  ASSERT_EQ(Run("add a 1; sync a; add a 2; sync a"), 0);
  EXPECT_TRUE(disk_->HasForgotten());
  EXPECT_EQ(LosePower().forgotten, 1);
  EXPECT_EQ(Read("a"), "old1");
  EXPECT_FALSE(disk_->HasForgotten());
}

TEST_F(DiskTest, WhatALaterSyncKeepsIsNotForgotten) {
  OpenDisk();
  ASSERT_EQ(Run("put a old; sync a"), 0);
  ASSERT_TRUE(disk_->Arm({.kind = "forgetful", .parameters = {{"every", "2"}}}).has_value());
  ASSERT_EQ(Run("sync a; add a 1; sync a; sync a; add a 2"), 0);
  EXPECT_FALSE(disk_->HasForgotten());
  EXPECT_EQ(LosePower().forgotten, 0);
  EXPECT_EQ(Read("a"), "old1");
}

TEST_F(DiskTest, ForgottenNamesCount) {
  OpenDisk();
  ASSERT_TRUE(disk_->Arm({.kind = "forgetful"}).has_value());
  ASSERT_EQ(Run("touch a; sync a; touch b"), 0);
  const Loss loss = LosePower();
  EXPECT_EQ(loss.entries, 2);
  EXPECT_EQ(loss.forgotten, 1);
}

TEST_F(DiskTest, FilesMayBeOpenedForSyncedOrDirectWrites) {
  const std::string open_and_write =
      "perl -MFcntl -e 'sysopen F, \"a\", O_WRONLY | eval $ARGV[0]; sysseek F, 0, 0; syswrite F, "
      "\"n\" x 512; "
      "sysseek F, 1, 0; exit(syswrite(F, \"m\") != 1)' ";
  OpenDisk();
  ASSERT_EQ(Run("put a old; sync a; " + open_and_write + "O_DSYNC"), 0);
  LosePower();
  EXPECT_EQ(Read("a").size(), 512U);
  OpenDisk();
  ASSERT_EQ(Run("put a old; sync a; " + open_and_write + "O_DIRECT"), 0);
  LosePower();
  EXPECT_EQ(Read("a"), "old");
}

TEST_F(DiskTest, CrashPointIsBeforeOrAfterTheCall) {
  for (const std::string when : {"before", "after"}) {
    OpenDisk();
    ASSERT_EQ(Run("rm -f a b c; put a 1"), 0);
    ASSERT_TRUE(disk_
                    ->Arm({.kind = "crash-point",
                           .parameters = {{"calls", "rename"}, {"from", "2"}, {"when", when}}})
                    .has_value());
    const int ended = Run("mv a b; mv b c; mv c d");
    EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL) << when;
    EXPECT_EQ(disk_->killed_at(), "rename of b to c");
    EXPECT_THAT(Names(), ElementsAre(when == "before" ? "b" : "c"));
  }
}

TEST_F(DiskTest, BeforeACrashPointFilesStayAsTheyAreAndTheRestGoesOn) {
  OpenDisk();
  ASSERT_EQ(Run("put a 1"), 0);
  const auto point =
      disk_->Arm({.kind = "crash-point", .parameters = {{"calls", "sync"}, {"wait", "3600s"}}});
  std::thread watcher([&] {
    while (disk_->Peek(*point)->affected == 0) std::this_thread::yield();
    std::ofstream(folder_ / "reached") << "yes";
  });
  // 257 and 56 are openat.
  const int ended =
      Run("sync a & until [ -e ../reached ]; do :; done\n"
          ": > b & until grep -qE '^(257|56) ' /proc/$!/syscall; do :; done\n"
          "echo yes > ../went_on; kill -KILL 0");
  watcher.join();
  EXPECT_TRUE(WIFSIGNALED(ended));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "went_on"));
  LosePower();  // the disk has left the program
  EXPECT_EQ(disk_->killed_at(), std::nullopt);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DiskTest, LogsWhatWasSyncedLostAndKilled) {
  OpenDisk();
  ASSERT_EQ(Run("put a 1; sync a; put a 22"), 0);
  LosePower();
  ASSERT_TRUE(disk_->Arm({.kind = "crash-point", .parameters = {{"calls", "sync"}}}).has_value());
  EXPECT_TRUE(WIFSIGNALED(Run("add a 2; sync a; true")));
  LosePower();
  const std::vector<DiskSpan> spans = disk_->TakeSpans();
  std::vector<std::string> all;
  for (const DiskSpan& span : spans)
    all.push_back(fmt::format("{}: {}", Name(span.kind), span.what));
  ASSERT_THAT(all, ElementsAre("sync: sync of a", "lost: a: 2 writes, 2 bytes",
                               "started: ", "lost: a: 1 write, 1 byte", "killed: sync of a"));
  EXPECT_LT(spans[1].from, spans[1].until);
  EXPECT_EQ(spans[1].bytes, 2);
  EXPECT_EQ(spans[3].until, spans[4].from);  // it ends when the program does
  EXPECT_THAT(Spans(), IsEmpty());
}

TEST_F(DiskTest, LogsWhatAnEffectChanged) {
  OpenDisk();
  ASSERT_TRUE(
      disk_->Arm({.kind = "forgetful", .parameters = {{"files", "forgotten"}}}).has_value());
  ASSERT_TRUE(disk_->Arm({.kind = "failing", .parameters = {{"files", "bad"}}}).has_value());
  ASSERT_TRUE(disk_
                  ->Arm({.kind = "slow",
                         .parameters = {{"files", "late"}, {"calls", "write"}, {"hold", "5ms"}}})
                  .has_value());
  ASSERT_EQ(Run("echo > forgotten; sync forgotten; echo > bad; sync bad 2>/dev/null; add late 1"),
            0);
  EXPECT_THAT(Spans(), ElementsAre("forgotten: sync of forgotten",
                                   "refused: sync of bad: Input/output error",
                                   "held: write of 1 bytes to late"));
}

TEST_F(DiskTest, LogsWhatWasHeldWhenTheProgramEnded) {
  OpenDisk();
  const auto slow = disk_->Arm({.kind = "slow", .parameters = {{"files", "a"}, {"hold", "3600s"}}});
  std::thread killer([&] {
    while (disk_->Peek(*slow)->affected == 0) std::this_thread::yield();
    const auto point =
        disk_->Arm({.kind = "crash-point", .parameters = {{"files", "b"}, {"calls", "make"}}});
    EXPECT_TRUE(point.has_value());
  });
  EXPECT_TRUE(WIFSIGNALED(Run("echo > a; sync a & while :; do echo > b; rm b; done")));
  killer.join();
  LosePower();
  std::vector<std::string> spans = Spans();
  std::erase_if(spans, [](const std::string& span) { return span.starts_with("lost"); });
  EXPECT_THAT(spans, ElementsAre("unfinished: sync of a", "killed: making of b"));
}

TEST_F(DiskTest, CountsWhatChangesTheFolderAlone) {
  OpenDisk();
  ASSERT_EQ(Run("put a 12; add a 3; mv a b; sync b .; rm b; mkdir c; echo > ../outside; cat "
                "/dev/null"),
            0);
  const DiskCounts counts = disk_->counts();
  EXPECT_EQ(counts.of(DiskCallKind::kMake), 2);
  EXPECT_EQ(counts.of(DiskCallKind::kRename), 1);
  EXPECT_EQ(counts.of(DiskCallKind::kSync), 2);
  EXPECT_EQ(counts.of(DiskCallKind::kRemove), 1);
  EXPECT_EQ(counts.bytes, 3);
}

TEST_F(DiskTest, RefusesWhatItDoesNotUnderstand) {
  OpenDisk();
  const auto error = [&](const DiskEffectSpec& spec) {
    const auto armed = disk_->Arm(spec);
    return armed.has_value() ? std::string() : armed.error().message();
  };
  EXPECT_THAT(error({.kind = "slwo"}), HasSubstr("crash-point, failing, forgetful, full, slow"));
  EXPECT_THAT(error({.kind = "slow", .parameters = {{"hold", "long"}}}), HasSubstr("duration"));
  EXPECT_THAT(error({.kind = "slow", .parameters = {{"calls", "read"}}}),
              HasSubstr("'read' is none of write, sync"));
  EXPECT_THAT(error({.kind = "slow", .parameters = {{"from", "0"}}}), HasSubstr("from"));
  EXPECT_THAT(Disk::Open({.folder = "/nowhere"}).error().message(), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace watchproof::proxy
