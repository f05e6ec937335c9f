// SPDX-License-Identifier: Apache-2.0
// Kills a store with a data folder again and again, under load and while it starts, and checks
// after every restart that it kept every promise.
//
//   store_crash --crashes 300                                 SIGKILL at random instants
//   store_crash --crashes 100 --shim libunsynced_loss_shim.so ...and unsynced writes are lost
//   store_crash ... --acknowledge-before-sync                 a wrong store; must be caught
//   store_crash ... --folder DIR --seed N
//
// Exit code 0: every promise was kept; 1: one was broken, and which; 2: the check could not run.
// The server is this program again, as `store_crash serve FOLDER`.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>

#include "ci/crash/crash_load.h"
#include "embedded_store/server/store_server.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

constexpr Duration kLongestLoad = 120ms;
constexpr Duration kLongestStart = 40ms;
constexpr double kKilledWhileStarting = 0.1;

struct Options {
  int crashes = 20;
  std::uint64_t seed = std::random_device()();
  std::filesystem::path folder;
  std::string shim;
  bool acknowledge_before_sync = false;
};

Result<Options> Parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--acknowledge-before-sync") {
      options.acknowledge_before_sync = true;
      continue;
    }
    if (i + 1 == count) return Fail(StatusCode::kInvalidArgument, "nothing follows {}", word);
    const char* value = words[++i];
    if (word == "--crashes") {
      options.crashes = atoi(value);
    } else if (word == "--seed") {
      options.seed = strtoull(value, nullptr, 0);
    } else if (word == "--folder") {
      options.folder = value;
    } else if (word == "--shim") {
      options.shim = std::filesystem::absolute(value);
    } else {
      return Fail(StatusCode::kInvalidArgument, "{} is not understood", word);
    }
  }
  return options;
}

int Serve(const char* folder, bool acknowledge_before_sync) {
  // Dies with the parent process, so that nothing is left running.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  StoreOptions options;
  options.port = 0;
  options.http_port = 0;
  options.data = folder;
  options.acknowledge_before_sync = acknowledge_before_sync;
  const auto server = StoreServer::Start(options);
  if (!server) {
    fmt::print("refused: {}\n", server.error().message());
    fflush(stdout);
    return 1;
  }
  fmt::print("{}\n", (*server)->endpoint());
  fflush(stdout);
  while (true) pause();
}

// The process that serves.
class Victim {
 public:
  Victim(const Options& options, std::uint64_t keep) {
    int ends[2];
    WP_CHECK(pipe(ends) == 0, "there are descriptors left");
    process_ = fork();
    if (process_ == 0) Become(options, keep, ends[1]);
    close(ends[1]);
    words_ = fdopen(ends[0], "r");
  }
  ~Victim() {
    Kill();
    fclose(words_);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // Its endpoint, or the reason why it does not serve.
  Result<std::string> AwaitServing() {
    char line[4096];
    if (fgets(line, sizeof line, words_) == nullptr) {
      return Fail(StatusCode::kUnavailable, "the store ended without a word");
    }
    line[strcspn(line, "\n")] = '\0';
    if (std::string_view(line).starts_with("refused")) {
      return Fail(StatusCode::kDataLoss, "the store {}", line);
    }
    return std::string(line);
  }
  void Kill() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  [[noreturn]] static void Become(const Options& options, std::uint64_t keep, int out) {
    dup2(out, STDOUT_FILENO);
    if (!options.shim.empty()) {
      setenv("LD_PRELOAD", options.shim.c_str(), 1);
      setenv("WP_SHIM_FILE", (options.folder / "data" / "store.mdb").c_str(), 1);
      setenv("WP_SHIM_JOURNAL", (options.folder / "journal").c_str(), 1);
      setenv("WP_SHIM_KEEP", std::to_string(keep).c_str(), 1);
    }
    const std::string data = options.folder / "data";
    const char* flag = options.acknowledge_before_sync ? "--acknowledge-before-sync" : nullptr;
    execl("/proc/self/exe", "store_crash", "serve", data.c_str(), flag, nullptr);
    _exit(127);
  }

  pid_t process_ = 0;
  FILE* words_ = nullptr;
};

// For so long, or until the server prints something; the delay is intended: the kill must come at
// any instant.
void Pass(Duration time) {
  poll(nullptr, 0,
       static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}

class CrashRun {
 public:
  explicit CrashRun(const Options& options) : options_(options), random_(options.seed) {}

  int Run() {
    for (int crash = 0; crash <= options_.crashes; ++crash) {
      // Half of the time some of the unsynced writes survive.
      const std::uint64_t keep = random_.Chance(0.5) ? random_.Next() | 1 : 0;
      Victim victim(options_, keep);
      if (crash < options_.crashes && random_.Chance(kKilledWhileStarting)) {
        Pass(random_.Between(Duration::zero(), kLongestStart));
        ++killed_while_starting_;
        continue;
      }
      if (!Check(crash, victim)) return 1;
      if (crash < options_.crashes) LoadAndKill(crash, victim);
    }
    fmt::print("{} crashes, {} of them while starting; {} writes acknowledged, none lost\n",
               options_.crashes, killed_while_starting_, history_.acknowledged());
    return 0;
  }

 private:
  bool Check(int crash, Victim& victim) {
    const Result<std::string> endpoint = victim.AwaitServing();
    Result<CrashFindings> found = endpoint ? ReadStore(*endpoint) : endpoint.error();
    std::vector<std::string> broken;
    if (found) {
      broken = history_.Check(*found);
      endpoint_ = *endpoint;
    } else {
      broken = {found.error().message()};
    }
    for (const std::string& one : broken) {
      fmt::print("after crash {} (seed {}): {}\n", crash, options_.seed, one);
    }
    return broken.empty();
  }
  void LoadAndKill(int crash, Victim& victim) {
    CrashLoad load(endpoint_, history_, random_.Fork(fmt::format("load/{}", crash)));
    Pass(random_.Between(Duration::zero(), kLongestLoad));
    victim.Kill();
    load.Join();
  }

  const Options options_;
  Prng random_;
  CrashHistory history_;
  std::string endpoint_;
  int killed_while_starting_ = 0;
};

int Main(int count, char** words) {
  if (count >= 3 && std::string_view(words[1]) == "serve") return Serve(words[2], count > 3);
  Result<Options> parsed = Parse(count, words);
  if (!parsed) {
    fmt::print(stderr, "store_crash: {}; see the head of its source\n", parsed.error().message());
    return 2;
  }
  Options options = *std::move(parsed);
  const bool own = options.folder.empty();
  if (own) {
    std::string name = (std::filesystem::temp_directory_path() / "wp-crash-XXXXXX").string();
    WP_CHECK(mkdtemp(name.data()) != nullptr, "temporary folders can be made");
    options.folder = name;
  }
  const int code = CrashRun(options).Run();
  std::error_code ignored;
  // After a broken promise the data is kept as evidence, unless the breach was requested.
  if (own && (code == 0 || options.acknowledge_before_sync)) {
    std::filesystem::remove_all(options.folder, ignored);
  } else if (code != 0) {
    fmt::print("the data is in {}\n", options.folder.string());
  }
  return code;
}

}  // namespace
}  // namespace watchproof::store

int main(int count, char** words) { return watchproof::store::Main(count, words); }
