// SPDX-License-Identifier: Apache-2.0
#include "harness/process/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

namespace watchproof {
namespace {

using testing::HasSubstr;

std::filesystem::path Scratch(const std::string& name) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-child-{}", getpid());
  std::filesystem::create_directories(folder);
  return folder / name;
}

ChildOptions Shell(const std::string& script) {
  return {.executable = "/bin/sh", .arguments = {"-c", script}};
}

TEST(ChildProcess, ReportsHowItEnded) {
  auto exits = ChildProcess::Launch(Shell("exit 3"));
  ASSERT_TRUE(exits.has_value()) << exits.error().message();
  EXPECT_EQ((*exits)->Wait(Within(10s))->ToString(), "exited with 3");
  auto killed = ChildProcess::Launch(Shell("kill -9 $$"));
  ASSERT_TRUE(killed.has_value());
  EXPECT_EQ((*killed)->Wait(Within(10s))->signal, SIGKILL);
}

TEST(ChildProcess, KeepsItsLogAndLastWords) {
  ChildOptions options = Shell("echo one; echo two >&2; echo three");
  options.log = Scratch("words.log");
  std::filesystem::remove(options.log);
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*child)->Wait(Within(10s)).has_value());
  EXPECT_EQ((*child)->LastWords(2), "two\nthree");
}

TEST(ChildProcess, LastWordsBeginWithTheReasonForTheEnd) {
  ChildOptions options =
      Shell(R"(echo start; echo '{"level":"fatal","error":"torn"}'; echo closing; echo closed)");
  options.log = Scratch("fatal.log");
  std::filesystem::remove(options.log);
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*child)->Wait(Within(10s)).has_value());
  EXPECT_EQ((*child)->LastWords(2), "{\"level\":\"fatal\",\"error\":\"torn\"}\nclosing");
}

TEST(ChildProcess, LastWordsNameTheCallsThatLedToACrash) {
  ChildOptions options =
      Shell(R"(printf 'start\npanic: nil\n\ngoroutine 7 [running]:\npanic({0x1})\n')"
            R"(; printf '\tgo/panic.go:1\nio/db.(*Tx).Get(0x1, {0x2})\n\tdb.go:7 +0x1\n')"
            R"(; printf 'io/v3/kv.Hash(...)\n\tkv.go:9\ncreated by main\n\tm.go:1\n')");
  options.log = Scratch("crash.log");
  std::filesystem::remove(options.log);
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*child)->Wait(Within(10s)).has_value());
  EXPECT_EQ((*child)->LastWords(), "panic: nil\nin db.(*Tx).Get < kv.Hash");
}

TEST(ChildProcess, LastWordsNameTheCallsOfALoggedTrace) {
  ChildOptions options =
      Shell(R"(printf '%s' '{"level":"fatal","msg":"gone","stacktrace":"io/db.(*Tx).Get\n)"
            R"(\tdb.go:7\nio/kv.Hash\n\tkv.go:9"}')");
  options.log = Scratch("logged.log");
  std::filesystem::remove(options.log);
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*child)->Wait(Within(10s)).has_value());
  EXPECT_EQ((*child)->LastWords(),
            "{\"level\":\"fatal\",\"msg\":\"gone\"}\nin db.(*Tx).Get < kv.Hash");
}

TEST(ChildProcess, NamesTheFileThatCannotRun) {
  auto missing = ChildProcess::Launch({.executable = "/nowhere/etcd", .arguments = {}});
  EXPECT_EQ(missing.error().code(), StatusCode::kNotFound);
  EXPECT_THAT(missing.error().message(), HasSubstr("/nowhere/etcd: no such file"));
  auto folder = ChildProcess::Launch({.executable = "/tmp", .arguments = {}});
  EXPECT_THAT(folder.error().message(), HasSubstr("is a folder"));
  const auto plain = Scratch("plain");
  std::ofstream(plain) << "not a program";
  auto not_executable = ChildProcess::Launch({.executable = plain, .arguments = {}});
  EXPECT_THAT(not_executable.error().message(), HasSubstr("is not executable"));
  std::filesystem::permissions(plain, std::filesystem::perms::owner_all);
  auto no_format = ChildProcess::Launch({.executable = plain, .arguments = {}});
  EXPECT_THAT(no_format.error().message(), HasSubstr("cannot be executed: Exec format error"));
}

TEST(ChildProcess, StopEndsTheWholeGroup) {
  const auto pid_file = Scratch("grandchild.pid");
  std::filesystem::remove(pid_file);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ChildOptions options = Shell("sleep 1000 & echo $! >&3; exec 3>&-; wait");
  options.descriptors = {{.ours = ends[1], .theirs = 3}};
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  close(ends[1]);
  char text[32] = {};
  ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
  const int grandchild = std::atoi(text);
  EXPECT_EQ(kill(grandchild, 0), 0);
  child->reset();
  // The grandchild holds no end of the pipe; its end shows as ESRCH once it has been reaped by
  // init.
  const Deadline deadline = Within(10s);
  while (kill(grandchild, 0) == 0 && !deadline.expired()) {
    std::ifstream stat(fmt::format("/proc/{}/stat", grandchild));
    std::string line;
    std::getline(stat, line);
    if (line.find(") Z") != std::string::npos) break;
  }
  EXPECT_FALSE(deadline.expired()) << "grandchild " << grandchild << " outlived its group";
  close(ends[0]);
}

TEST(ChildProcess, PassesExactlyTheRequestedDescriptorsAndVariables) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without close-on-exec on purpose: must not leak either
  setenv("WP_TEST_REMOVED", "1", 1);
  ChildOptions options =
      Shell("ls /proc/self/fd | tr '\\n' ' ' >&7; echo \"[$WP_TEST_REMOVED$WP_TEST_SET]\" >&7");
  options.descriptors = {{.ours = ends[1], .theirs = 7}};
  options.environment = {{"WP_TEST_REMOVED", std::nullopt}, {"WP_TEST_SET", "yes"}};
  auto child = ChildProcess::Launch(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE((*child)->Wait(Within(10s)).has_value());
  close(ends[1]);
  char text[256] = {};
  ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
  EXPECT_EQ(std::string(text), "0 1 2 3 7 [yes]\n") << "3 is ls's own";
  close(ends[0]);
}

TEST(ChildProcess, StopsEvenWhenPaused) {
  auto child = ChildProcess::Launch(Shell("exec sleep 1000"));
  ASSERT_TRUE(child.has_value());
  (*child)->Signal(SIGSTOP);
  const ExitState state = (*child)->Stop(10s);
  EXPECT_EQ(state.signal, SIGTERM);
}

}  // namespace
}  // namespace watchproof
