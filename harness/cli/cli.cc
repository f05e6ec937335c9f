// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/cli.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/base/escape.h"
#include "harness/cli/catalog_commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/fetch_command.h"
#include "harness/cli/parse.h"
#include "harness/cli/recording_commands.h"
#include "harness/cli/repeat_command.h"
#include "harness/cli/run_command.h"
#include "harness/cli/run_options.h"
#include "harness/cli/serve_commands.h"
#include "harness/cli/shrink_command.h"
#include "harness/cli/standard_output.h"
#include "harness/cli/version.h"
#include "harness/report/run_json.h"

namespace watchproof {
namespace {

constexpr char kShortHelp[] =
    R"(watchproof tests whether a store keeps the guarantees of the etcd watch API under faults.

  watchproof run                                     the embedded store, every case
  watchproof run --target etcd:/usr/bin/etcd         a real etcd
  watchproof fetch etcd 3.5.16                       that release, for --target etcd@3.5.16
  watchproof explain CompactionSurfaced              what this guarantee requires

Commands: run, repeat, shrink, check, fetch, history dump, history import, list, explain, store,
  proxy. Each has --help.
Exit codes: 0 success, 1 new failure, 2 inconclusive, 3 target failed, 4 usage error,
  5 nothing selected, 6 expectations out of date, 70 harness error, 130 interrupted,
  143 terminated.
)";

const std::vector<std::string> kCommands = {"run",     "selftest", "fetch",   "check",
                                            "shrink",  "repeat",   "history", "list",
                                            "explain", "store",    "proxy"};
// Internal: the runner starts one process per case.
constexpr char kCaseCommand[] = "case";

bool IsCommand(const std::string& word) {
  return std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end();
}

int Number(ExitCode code) { return static_cast<int>(code); }

// One command line, parsed and carried out.
class CommandLine {
 public:
  CommandLine(int argc, char** argv) : words_(argv, argv + argc) {
    app_.add_flag("--version", version_, "Version, commit, compiler, libraries");
    app_.add_flag("--json", json_, "With --version: as JSON");
    app_.require_subcommand(0, 1);
    AddList();
    AddStore();
    AddProxy();
    fetch_flags_.AddTo(fetch_);
    AddRecordings();
    shrink_flags_.AddTo(shrink_);
    repeat_.AddTo(repeat_command_);
    case_.add_option("--spec", spec_)->required();
    case_.group("");
  }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  int Run() {
    try {
      // CLI11 takes its arguments in reverse order.
      app_.parse(std::vector<std::string>(words_.rbegin(), std::prev(words_.rend())));
    } catch (const CLI::CallForHelp& help) {
      app_.exit(help);
      return Number(ExitCode::kOk);
    } catch (const CLI::ParseError& error) {
      return Complain(error.what());
    }
    return Dispatch();
  }

 private:
  void AddList() {
    list_.add_option("what", name_, "cases, guarantees, faults, effects, defects, targets");
    list_.add_flag("--json", json_, "One JSON document per line");
    explain_
        .add_option("name", name_,
                    "Case, guarantee, fault, effect, defect, etcd issue number, verdict or level")
        ->required();
    explain_.add_flag("--json", json_, "As a JSON document");
  }

  void AddStore() {
    store_.add_option("--listen", store_flags_.listen, "Address of etcd's API, for clients")
        ->type_name("HOST:PORT")
        ->capture_default_str();
    store_.add_option("--http", store_flags_.http, "Address of /health, /version and /metrics")
        ->type_name("HOST:PORT");
    store_
        .add_option("--data", store_flags_.data,
                    "Keep the data in this folder, and answer writes once they are synced "
                    "(default: in memory)")
        ->type_name("FOLDER");
    store_
        .add_option("--restore", store_flags_.restore,
                    "Create the folder of --data from this snapshot, and exit")
        ->type_name("FILE");
    store_.add_flag(
        "--lease-checkpoints", store_flags_.lease_checkpoints,
        "With --data: after a restart leases keep their remaining time, to within 5 s, instead "
        "of starting again");
    store_
        .add_option("--progress-interval", store_flags_.progress_interval,
                    "How often a quiet watch with progress_notify receives its progress")
        ->type_name("TIME")
        ->capture_default_str();
    store_.add_flag("--strict-prev-kv", store_flags_.strict_previous,
                    "End a watch rather than leave out a previous value that is compacted");
    store_.add_option("--defect", store_flags_.defects, "Defect to switch on (repeatable)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    store_
        .add_option("--quota-backend-bytes", store_flags_.quota_bytes,
                    "Reject writes above this size; 0 for 2 GiB, -1 for no limit")
        ->type_name("BYTES");
    store_
        .add_option("--auth-token-ttl", store_flags_.token_seconds,
                    "How long an unused login token is valid")
        ->type_name("SECONDS")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    store_.add_option("--cert-file", store_flags_.tls.cert_file, "Serve TLS with this certificate")
        ->type_name("FILE");
    store_.add_option("--key-file", store_flags_.tls.key_file, "Private key of --cert-file")
        ->type_name("FILE");
    store_
        .add_option("--trusted-ca-file", store_flags_.tls.trusted_ca_file,
                    "Serve only clients with a certificate signed by one of these authorities")
        ->type_name("FILE");
    store_.add_flag("--client-cert-auth", store_flags_.tls.client_cert_auth,
                    "Use the common name of a client's certificate as its user");
  }

  void AddProxy() {
    proxy_.add_option("--listen", proxy_flags_.listen, "Address for clients")
        ->type_name("HOST:PORT")
        ->capture_default_str();
    proxy_.add_option("--to", proxy_flags_.to, "Address of the server")->type_name("HOST:PORT");
    proxy_.add_option("--latency", proxy_flags_.latency, "Delay and jitter, both directions")
        ->type_name("20ms~5ms");
    proxy_.add_option("--effect", proxy_flags_.effects, "Effect to arm at the start (repeatable)")
        ->type_name("KIND:DIRECTION:key=value,...")
        ->allow_extra_args(false);
    proxy_
        .add_option("--control", proxy_flags_.control,
                    "Serve an HTTP API that Toxiproxy's clients can drive")
        ->type_name("[HOST:]PORT");
    proxy_.add_option("--seed", proxy_flags_.seed, "Seed of jitter and chances (default: drawn)")
        ->type_name("N");
    proxy_.add_flag("--follow", proxy_flags_.follow, "Parse HTTP/2, which effects on streams need");
    proxy_.add_flag("--self-test", proxy_flags_.self_test,
                    "Allow effects that tamper with messages; only for servers under your control");
    proxy_.add_flag("--sharp", proxy_flags_.sharp,
                    "Small kernel buffers: fewer bytes escape an effect, at the cost of speed");
    proxy_.add_flag("--verbose", proxy_flags_.verbose, "Also print events as they happen");
  }

  void AddRecordings() {
    check_.add_option("run", check_runs_, "Run folders, attempt folders or recordings")->required();
    check_.add_flag("--all", check_all_, "Show every finding, not only the first of each kind");
    history_.require_subcommand(1);
    dump_.add_option("recording", history_flags_.recording, "A recording, or a folder with one")
        ->required();
    dump_.add_option("--watch", history_flags_.watch, "Only watch NUMBER (from 0) of STREAM")
        ->type_name("STREAM:NUMBER");
    import_
        .add_option("reports", import_flags_.reports,
                    "Folder with client-1, client-2, ..., written by etcd's robustness tests")
        ->required();
    import_.add_option("recording", import_flags_.recording, "File to write")->required();
  }

  int Dispatch() {
    const AsJson json = json_ ? AsJson::kYes : AsJson::kNo;
    if (case_.parsed()) return RunCaseProcess(spec_);
    if (fetch_.parsed()) return Number(FetchCommand(fetch_flags_));
    if (check_.parsed())
      return Number(CheckCommand(check_runs_, check_all_ ? ShowAll::kYes : ShowAll::kNo));
    if (shrink_.parsed()) return Number(ShrinkCommand(shrink_flags_));
    if (repeat_command_.parsed()) return Number(RepeatAttempt(repeat_, words_[0]));
    if (dump_.parsed()) return Number(HistoryDumpCommand(history_flags_));
    if (import_.parsed()) return Number(HistoryImportCommand(import_flags_));
    if (list_.parsed()) return Number(ListCommand(name_, json));
    if (explain_.parsed()) return Number(ExplainCommand(name_, json));
    if (store_.parsed()) return Number(StoreCommand(store_flags_));
    if (proxy_.parsed()) return Number(ProxyCommand(proxy_flags_));
    if (version_) return PrintVersion();
    if (run_.parsed()) return RunCases("run", run_flags_, Cases::kOfTargets);
    if (selftest_.parsed()) return RunCases("selftest", selftest_flags_, Cases::kOfWatchproof);
    fmt::print("{}", kShortHelp);
    return Number(isatty(STDOUT_FILENO) == 1 ? ExitCode::kOk : ExitCode::kUsage);
  }

  int RunCases(const char* command, const RunFlags& flags, Cases cases) const {
    Result<RunOptions> options = flags.Resolve(words_);
    if (!options.has_value()) {
      fmt::print(stderr, "watchproof {}: {}\n", command, Escaped(options.error().message()));
      return Number(ExitCode::kUsage);
    }
    options->cases = cases;
    return Number(RunCommand(*options, words_[0]));
  }

  int PrintVersion() const {
    if (json_) {
      fmt::print("{}\n", ToJsonObject({Versions().begin(), Versions().end()}));
      return Number(ExitCode::kOk);
    }
    fmt::print("watchproof {}\n", Versions().at("watchproof"));
    for (const auto& [name, version] : Versions()) {
      if (name != "watchproof") fmt::print("  {:<10} {}\n", name, version);
    }
    return Number(ExitCode::kOk);
  }

  // Prints the parser's error, and the closest known word.
  int Complain(const std::string& message) const {
    std::string hint;
    const CLI::App* chosen = &app_;
    if (words_.size() > 1) {
      const bool command = IsCommand(words_[1]);
      if (command) chosen = app_.get_subcommand(words_[1]);
      if (!command && !words_[1].starts_with("-")) {
        fmt::print(stderr, "watchproof: there is no command '{}'{}\n", Escaped(words_[1]),
                   DidYouMean(words_[1], kCommands));
        return Number(ExitCode::kUsage);
      }
    }
    std::vector<std::string> flags;
    for (const CLI::Option* option : chosen->get_options()) flags.push_back(option->get_name());
    for (const std::string& word : words_) {
      const std::string flag = word.substr(0, word.find('='));
      if (!flag.starts_with("--") || std::find(flags.begin(), flags.end(), flag) != flags.end()) {
        continue;
      }
      hint = DidYouMean(flag, flags);
      break;
    }
    const std::string command = chosen == &app_ ? "" : " " + chosen->get_name();
    fmt::print(stderr, "watchproof{}: {}{}\nTry: watchproof{} --help\n", command, Escaped(message),
               Escaped(hint), command);
    return Number(ExitCode::kUsage);
  }

  const std::vector<std::string> words_;
  CLI::App app_{"Tests whether a store keeps the guarantees of the etcd watch API under faults.",
                "watchproof"};
  CLI::App& run_ = *app_.add_subcommand("run", "Run cases against targets");
  CLI::App& selftest_ = *app_.add_subcommand(
      "selftest", "Test watchproof: faults without effect, and tampering, must be noticed");
  CLI::App& fetch_ = *app_.add_subcommand("fetch", "Download release binaries into a cache");
  CLI::App& check_ = *app_.add_subcommand("check", "Judge recordings again");
  CLI::App& repeat_command_ =
      *app_.add_subcommand("repeat", "Repeat a failed attempt of a run until it fails again");
  CLI::App& shrink_ = *app_.add_subcommand("shrink", "Make the plan of a failed attempt smaller");
  CLI::App& history_ = *app_.add_subcommand("history", "Print or import a recording");
  CLI::App& dump_ = *history_.add_subcommand("dump", "Print a recording as JSON lines");
  CLI::App& import_ = *history_.add_subcommand(
      "import", "Make a recording from reports of etcd's robustness tests");
  CLI::App& list_ =
      *app_.add_subcommand("list", "List cases, guarantees, faults, effects, defects and targets");
  CLI::App& explain_ = *app_.add_subcommand(
      "explain", "Explain a case, guarantee, fault, effect, defect, verdict or level");
  CLI::App& store_ = *app_.add_subcommand("store", "Serve the embedded store");
  CLI::App& proxy_ = *app_.add_subcommand("proxy", "Run a fault-injection proxy before a server");
  CLI::App& case_ = *app_.add_subcommand(kCaseCommand, "Run one attempt of one case");
  RunFlags run_flags_{run_};
  RunFlags selftest_flags_{selftest_};
  FetchFlags fetch_flags_;
  ShrinkFlags shrink_flags_;
  RepeatRequest repeat_;
  StoreFlags store_flags_;
  ProxyFlags proxy_flags_;
  HistoryFlags history_flags_;
  ImportFlags import_flags_;
  std::vector<std::string> check_runs_;
  bool check_all_ = false;
  std::string name_;
  std::string spec_;
  bool json_ = false;
  bool version_ = false;
};

}  // namespace

int Main(int argc, char** argv) {
  TakeOverStandardStreams();
  int code = Number(ExitCode::kInternal);
  // Whatever a library throws ends as an internal error, not as a crash.
  try {
    code = CommandLine(argc, argv).Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "watchproof: internal error: {}\n", Escaped(error.what()));
  }
  if (const int lost = CloseStandardOutput(); lost != 0) {
    fmt::print(stderr, "watchproof: standard output: {}; expected space for the whole output\n",
               FromErrno(lost).message());
    // Verdicts stay unchanged, but a lost report must not look like success.
    if (code == Number(ExitCode::kOk)) code = Number(ExitCode::kUsage);
  }
  return code;
}

void RunIfCommand(int argc, char** argv) {
  if (argc > 1 && (IsCommand(argv[1]) || std::string(argv[1]) == kCaseCommand)) {
    std::exit(Main(argc, argv));
  }
}

}  // namespace watchproof
