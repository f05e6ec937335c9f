// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/testing/scripted_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "harness/base/check.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Nothing waits so long, but on a busy machine.
constexpr Duration kHangs = 150s;

fs::path TestFolder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  // Tests of two checkouts may run at the same time.
  const std::size_t checkout = fs::hash_value(fs::current_path());
  return fs::path(testing::TempDir()) / fmt::format("watchproof-cli-{:x}", checkout) /
         fmt::format("{}.{}", test->test_suite_name(), test->name());
}

// Blocks until the process has ended: its descriptor becomes readable then, also as a zombie.
bool AwaitEnd(int pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return errno == ESRCH;
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  const bool ended = poll(&wanted, 1, 20'000) == 1;
  close(fd);
  return ended;
}

}  // namespace

std::string ReadText(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ScriptedRun::ScriptedRun(Words flags, const Variables& environment) {
  Words words{"run"};
  words.insert(words.end(), flags.begin(), flags.end());
  Start(words, environment);
}

ScriptedRun ScriptedRun::Command(Words words, const Variables& environment) {
  ScriptedRun run;
  run.Start(words, environment);
  return run;
}

void ScriptedRun::Start(const Words& words, const Variables& environment) {
  static std::atomic<int> starts{0};
  const int start = ++starts;
  const fs::path folder = TestFolder();
  static std::set<fs::path> cleaned;  // files of an earlier process of this test
  if (cleaned.insert(folder).second) fs::remove_all(folder);
  fs::create_directories(folder);
  run_dir_ = folder / "runs";
  log_ = folder / fmt::format("output-{}", start);
  ChildOptions options{
      .executable = WP_SCRIPTED_WATCHPROOF,
      .arguments = words,
      .log = log_,
      .environment = {{"WATCHPROOF_RUN_DIR", run_dir_.string()}, {"LC_ALL", "C.UTF-8"}}};
  for (const char* name : {"GTEST_FILTER", "GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX",
                           "GTEST_RANDOM_SEED", "NO_COLOR", "CLICOLOR_FORCE"}) {
    options.environment[name] = std::nullopt;
  }
  for (const auto& [name, value] : environment) options.environment[name] = value;
  auto child = ChildProcess::Launch(options);
  WP_CHECK(child.has_value(), "the scripted command cannot be started");
  child_ = std::move(child).value();
}

int ScriptedRun::Wait() {
  const auto end = child_->Wait(Within(kHangs));
  if (!end.has_value()) return -1;
  return end->signal == 0 ? end->code : 1000 + end->signal;
}

bool ScriptedRun::Await(const std::function<bool()>& is_so) {
  const Deadline deadline = Within(kHangs);
  // The file is polled; the end of the command ends the wait.
  while (!is_so() && !deadline.expired()) {
    if (child_->Wait(Within(5ms)).has_value()) break;
  }
  return is_so();
}

bool ScriptedRun::AwaitFile(const std::string& relative) {
  return Await([&] { return fs::exists(folder() / relative); });
}

bool ScriptedRun::AwaitOutput(const std::string& text) {
  return Await([&] { return output().find(text) != std::string::npos; });
}

void ScriptedRun::Kill() { kill(child_->pid(), SIGKILL); }

fs::path ScriptedRun::folder() const {
  std::error_code error;
  const fs::path latest = fs::read_symlink(run_dir_ / "latest", error);
  return error ? fs::path() : run_dir_ / latest;
}

bool AwaitGone(const std::string& pids) {
  std::istringstream stream(pids);
  bool gone = true;
  int count = 0;
  for (int pid = 0; stream >> pid; ++count) gone = AwaitEnd(pid) && gone;
  return gone && count > 0;
}

}  // namespace watchproof
