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
// The server is this program again, as `store_crash --serve FOLDER`.
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>

#include "ci/crash/crash_load.h"
#include "embedded_store/server/store_server.h"
#include "harness/base/check.h"
#include "harness/targets/child_process.h"

namespace watchproof::store {
namespace {

// The descriptor on which the store reports its endpoint.
constexpr int kWords = 3;
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

// In the process that is killed.
int Serve(const std::string& folder, bool acknowledge_before_sync) {
  StoreOptions options;
  options.port = 0;
  options.http_port = 0;
  options.data = folder;
  options.acknowledge_before_sync = acknowledge_before_sync;
  const auto server = StoreServer::Start(options);
  const std::string line = server ? (*server)->endpoint() : "refused: " + server.error().message();
  const std::unique_ptr<FILE, int (*)(FILE*)> words(fdopen(kWords, "w"), &fclose);
  fmt::print(words.get(), "{}\n", line);
  fflush(words.get());
  if (!server) return 1;
  while (true) pause();
}

// The process that serves; killed with this object.
class Victim {
 public:
  Victim(const Options& options, std::uint64_t keep) {
    int ends[2];
    WP_CHECK(pipe(ends) == 0, "there are descriptors left");
    words_ = fdopen(ends[0], "r");
    ChildOptions child{.executable = OwnExecutable(),
                       .arguments = {"--serve", options.folder / "data"},
                       .log = {},
                       .descriptors = {{.ours = ends[1], .theirs = kWords}},
                       .environment = {}};
    if (options.acknowledge_before_sync) child.arguments.emplace_back("--acknowledge-before-sync");
    if (!options.shim.empty()) {
      child.environment = {{"LD_PRELOAD", options.shim},
                           {"WP_SHIM_FILE", options.folder / "data" / "store.mdb"},
                           {"WP_SHIM_JOURNAL", options.folder / "journal"},
                           {"WP_SHIM_KEEP", std::to_string(keep)}};
    }
    auto launched = ChildProcess::Launch(child);
    WP_CHECK(launched.has_value(), "this program can be started again");
    process_ = std::move(launched).value();
    close(ends[1]);
  }
  ~Victim() { fclose(words_); }
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
  void Kill() { process_.reset(); }

 private:
  std::unique_ptr<ChildProcess> process_;
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
  CLI::App app("Kills a store again and again, and checks what it kept.");
  Options options;
  std::string serve;
  app.add_option("--crashes", options.crashes, "How often");
  app.add_option("--seed", options.seed, "Of every choice");
  app.add_option("--folder", options.folder, "For the data; temporary when left out");
  app.add_option("--shim", options.shim, "Library that loses unsynced writes");
  app.add_flag("--acknowledge-before-sync", options.acknowledge_before_sync, "A wrong store");
  app.add_option("--serve", serve, "Internal: the store itself")->group("");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!serve.empty()) return Serve(serve, options.acknowledge_before_sync);
  if (!options.shim.empty()) options.shim = std::filesystem::absolute(options.shim).string();
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
