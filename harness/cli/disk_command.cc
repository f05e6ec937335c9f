// SPDX-License-Identifier: Apache-2.0
// `disk`: any program with a proxy before its disk, and a power failure when it is asked for.
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <random>

#include "harness/cli/commands.h"
#include "harness/cli/disk_summary.h"
#include "harness/process/child_process.h"
#include "harness/runs/parse.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// How late a signal, or a power failure that was asked for, may be noticed.
constexpr Duration kNotice = 20ms;

struct DiskFlags {
  std::string data;
  std::vector<std::string> classes;  // "log=member/wal/*"
  std::vector<std::string> effects;  // "slow:hold=20ms"
  bool power_failure = false;        // when the program has ended
  int keep = 0;                      // percent
  bool torn = false;
  bool no_undo = false;
  std::string control;
  std::string seed;
  std::vector<std::string> command;
};

struct DiskPlan {
  proxy::DiskOptions disk;
  std::vector<proxy::DiskEffectSpec> effects;
  proxy::Kept kept;
  bool power_failure = false;
  std::optional<proxy::ControlOptions> control;
  ChildOptions program;
};

Result<proxy::FileClasses> ParseClasses(const std::vector<std::string>& texts) {
  proxy::FileClasses classes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || name.empty() || name == "all") {
      return Fail(StatusCode::kInvalidArgument,
                  "--class {}: expected NAME=PATTERNS, as in 'log=member/wal/*'", text);
    }
    if (std::ranges::find(classes, name, &proxy::FileClass::name) != classes.end()) {
      return Fail(StatusCode::kInvalidArgument, "--class {}: '{}' is there already", text, name);
    }
    classes.push_back({name, text.substr(equals + 1)});
    WP_RETURN_IF_ERROR(
        proxy::CheckPatterns(classes.back().patterns).WithContext("--class {}", text));
  }
  return classes;
}

Result<ChildOptions> ParseProgram(const std::vector<std::string>& words) {
  if (words.empty()) {
    return Fail(StatusCode::kInvalidArgument, "expected -- COMMAND [ARG...], the program to run");
  }
  ChildOptions program{
      .executable = words.front(),
      .arguments = {words.begin() + 1, words.end()},
      .descriptors = {{STDOUT_FILENO, STDOUT_FILENO}, {STDERR_FILENO, STDERR_FILENO}}};
  // It is in a process group of its own, which may not read from the terminal.
  if (isatty(STDIN_FILENO) == 0) program.descriptors.push_back({STDIN_FILENO, STDIN_FILENO});
  if (words.front().find('/') == std::string::npos) {
    program.executable = FindInPath(words.front());
    if (program.executable.empty()) {
      return Fail(StatusCode::kNotFound, "{}: there is no such program in PATH", words.front());
    }
  }
  return program;
}

Result<DiskPlan> ResolveDisk(const DiskFlags& flags) {
  DiskPlan plan{.power_failure = flags.power_failure};
  WP_ASSIGN_OR_RETURN(plan.program, ParseProgram(flags.command));
  plan.disk.folder = flags.data;
  plan.disk.undo = !flags.no_undo;
  WP_ASSIGN_OR_RETURN(plan.disk.classes, ParseClasses(flags.classes));
  plan.disk.seed = std::random_device()();
  if (!flags.seed.empty()) {
    WP_ASSIGN_OR_RETURN(plan.disk.seed, ParseSeed(flags.seed));
  }
  for (const std::string& text : flags.effects) {
    WP_ASSIGN_OR_RETURN(NamedParameters named, ParseNamedParameters(text));
    plan.effects.push_back({named.name, std::move(named.parameters)});
  }
  if (flags.no_undo && (flags.power_failure || flags.keep > 0 || flags.torn)) {
    return Fail(StatusCode::kInvalidArgument,
                "--no-undo keeps nothing by which a power failure could take changes back");
  }
  plan.kept = {
      .chance = static_cast<double>(flags.keep) / 100, .torn = flags.torn, .seed = plan.disk.seed};
  if (!flags.control.empty()) {
    const bool port_only = flags.control.find(':') == std::string::npos;
    WP_ASSIGN_OR_RETURN(const HostPort at,
                        ParseHostPort(port_only ? "127.0.0.1:" + flags.control : flags.control));
    plan.control = {.host = at.host, .port = at.port, .seed = plan.disk.seed};
  }
  return plan;
}

// The program's signals, one by one. Blocked from here on, so in every thread that starts later.
class SignalsToPass {
 public:
  SignalsToPass() {
    sigemptyset(&all_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) sigaddset(&all_, number);
    sigset_t blocked = all_;
    sigaddset(&blocked, SIGPIPE);  // the output may go away: the program still ends in order
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  }
  // 0: there is none.
  int Next() const {
    const timespec at_once{};
    return std::max(0, sigtimedwait(&all_, nullptr, &at_once));
  }

 private:
  sigset_t all_{};
};

// The program, its disk and its power. Only what the control port may call is for other threads.
class ProgramOnDisk final : public proxy::ControlledDisk {
 public:
  ProgramOnDisk(DiskPlan plan, std::unique_ptr<proxy::Disk> disk)
      : plan_(std::move(plan)), disk_(std::move(disk)) {
    plan_.program.disk = disk_.get();
  }

  Status Start() {
    WP_ASSIGN_OR_RETURN(child_, ChildProcess::Launch(plan_.program));
    return {};
  }
  // Until it ends by itself, by a signal, or by an effect.
  Status Serve(const SignalsToPass& signals) {
    for (;;) {
      if (const auto ended = child_->Wait(Within(kNotice)); ended.has_value()) {
        ended_ = *ended;
        return {};
      }
      for (int number = signals.Next(); number != 0; number = signals.Next()) Pass(number);
      if (const auto kept = TakeRequest()) WP_RETURN_IF_ERROR(FailAndStartAgain(*kept));
    }
  }
  // The power fails at the end, if that was asked for.
  Status FailAtEnd() { return plan_.power_failure ? Lose(plan_.kept) : Status(); }

  const ExitState& ended() const { return ended_; }
  int first_signal() const { return first_signal_; }

  proxy::Disk& disk() override { return *disk_; }
  Status FailPower(const proxy::Kept& kept) override {
    if (!plan_.disk.undo) {
      return Fail(StatusCode::kFailedPrecondition, "the power cannot fail: --no-undo was given");
    }
    MutexLock lock(mu_);
    requested_ = kept;
    requested_->seed = plan_.kept.seed + losses_.size();
    return {};
  }
  std::vector<proxy::Loss> losses() const override {
    MutexLock lock(mu_);
    return losses_;
  }

 private:
  void Pass(int number) {
    if (number == SIGUSR1) {
      const Status asked = FailPower(plan_.kept);
      if (!asked.ok()) fmt::print(stderr, "watchproof disk: {}\n", asked.message());
      return;
    }
    // The second one has no more patience.
    child_->Signal(first_signal_ == 0 ? number : SIGKILL);
    if (first_signal_ == 0) first_signal_ = number;
  }
  std::optional<proxy::Kept> TakeRequest() {
    MutexLock lock(mu_);
    return std::exchange(requested_, std::nullopt);
  }
  Status Lose(const proxy::Kept& kept) {
    WP_ASSIGN_OR_RETURN(proxy::Loss loss, disk_->LosePower(kept));
    fmt::print(stderr, "{}", LossText(loss));
    MutexLock lock(mu_);
    losses_.push_back(std::move(loss));
    return {};
  }
  Status FailAndStartAgain(const proxy::Kept& kept) {
    child_->Stop(Duration::zero());
    WP_RETURN_IF_ERROR(Lose(kept));
    WP_RETURN_IF_ERROR(Start());
    fmt::print(stderr, "watchproof disk: the program was started again\n");
    return {};
  }

  DiskPlan plan_;
  const std::unique_ptr<proxy::Disk> disk_;
  std::unique_ptr<ChildProcess> child_;  // ends before its disk
  ExitState ended_;
  int first_signal_ = 0;
  mutable Mutex mu_;
  std::optional<proxy::Kept> requested_ GUARDED_BY(mu_);
  std::vector<proxy::Loss> losses_ GUARDED_BY(mu_);
};

// As the contract says it of every command; the program's own code would not.
CommandEnd EndOf(ProgramOnDisk& program) {
  const ExitState& ended = program.ended();
  const bool by_disk = program.disk().killed_at().has_value() && ended.signal == SIGKILL;
  if (!ended.clean() && !by_disk) {
    if (program.first_signal() == 0) return {ExitCode::kFailed, "the program " + ended.ToString()};
    return program.first_signal() == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated;
  }
  for (const proxy::DiskEffectState& effect : program.disk().Effects()) {
    if (effect.receipt.affected > 0) continue;
    return {ExitCode::kInconclusive,
            fmt::format("{} had no effect: it affected none of {} such calls", effect.spec.kind,
                        effect.receipt.covered)};
  }
  return ExitCode::kOk;
}

Status Arm(proxy::Disk& disk, const std::vector<proxy::DiskEffectSpec>& effects) {
  for (const proxy::DiskEffectSpec& spec : effects) {
    const auto armed = disk.Arm(spec);
    if (!armed.has_value()) return armed.error().WithContext("--effect {}", spec.kind);
  }
  return {};
}

CommandEnd DiskCommand(const DiskFlags& flags) {
  const SignalsToPass signals;
  WP_ASSIGN_OR_RETURN(DiskPlan plan, ResolveDisk(flags));
  Result<std::unique_ptr<proxy::Disk>> disk = proxy::Disk::Open(plan.disk);
  if (!disk.has_value()) return disk.error().WithContext("--data");
  WP_RETURN_IF_ERROR(Arm(**disk, plan.effects));
  if (const Status can = proxy::CanTrapCalls(); !can.ok()) {
    return {ExitCode::kInconclusive,
            fmt::format("unsupported: {}; see `watchproof doctor`", can.message())};
  }
  const auto control = plan.control;
  ProgramOnDisk program(plan, *std::move(disk));
  proxy::Proxies proxies;
  std::string place;
  if (control) {
    proxy::ControlOptions options = *control;
    options.disks["disk"] = &program;
    const Result<std::string> at = proxies.OpenControl(options);
    if (!at.has_value()) return {at.error(), ExitCode::kTarget};
    place = fmt::format(", control on {}", *at);
  }
  fmt::print(stderr, "watchproof disk: before {}{}, seed {}\n", program.disk().folder().string(),
             place, FormatSeed(plan.disk.seed));
  Status done = program.Start();
  if (!done.ok()) return {done, ExitCode::kTarget};
  done = program.Serve(signals);
  proxies.Stop();
  if (!done.ok()) return {done, ExitCode::kTarget};
  fmt::print(stderr, "{}", DiskSummary(program.disk()));
  WP_RETURN_IF_ERROR(program.FailAtEnd());
  return EndOf(program);
}

}  // namespace

CommandBody AddDisk(const Command& command) {
  const auto flags = std::make_shared<DiskFlags>();
  command.Group("Files and effects");
  command.Value("--data", flags->data, "DIR", "The folder below which the program keeps its files")
      ->required();
  command.Repeatable("--class", flags->classes, "NAME=PATTERNS",
                     "A name for files, as in 'log=member/wal/*'");
  command.Repeatable("--effect", flags->effects, "KIND:key=value,...",
                     "Effect to arm at the start, see `watchproof list disk-effects`");
  command.Group("Power failures");
  command.Switch("--power-failure-at-exit", flags->power_failure,
                 "When the program has ended, take back what it did not sync");
  command.Value("--keep", flags->keep, "PERCENT", "Of the unsynced that a power failure leaves")
      ->check(CLI::Range(0, 100));
  command.Switch("--torn", flags->torn,
                 "A power failure takes the last write alone, and leaves some sectors of it");
  command.Switch("--no-undo", flags->no_undo, "The power cannot fail: faster");
  command.Group("Files and effects");
  command.Value("--control", flags->control, "[HOST:]PORT",
                "Serve an HTTP API: effects, their receipts, power failures");
  command.Value("--seed", flags->seed, "N", "Seed of what is drawn (default: drawn)");
  command.Word("command", flags->command, "-- COMMAND [ARG...]: the program to run");
  return [flags] { return DiskCommand(*flags); };
}

}  // namespace watchproof
