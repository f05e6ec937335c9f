// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/case_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "harness/base/check.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/session/busy_machine.h"

namespace watchproof {
namespace {

// The descriptor of the case's end of the pipe.
constexpr int kResultDescriptor = 3;
// A record of every finding of a broken store is some hundred KiB; beyond this it is not a record.
constexpr std::size_t kMostBytes = 16U << 20U;
constexpr Duration kGraceAfterTimeout = 2s;
constexpr Duration kGraceAfterInterrupt = 10s;
constexpr Duration kPoll = 100ms;
// A case that closed its pipe ends a moment later.
constexpr Duration kSoon = 5ms;

// As often as a case looks itself.
constexpr Duration kLook = 500ms;

Duration Stretched(Duration granted, double slowdown) {
  return std::chrono::duration_cast<Duration>(granted * slowdown);
}

std::uint64_t SeedOfLastTry(const AttemptSpec& spec, const AttemptResult& record) {
  return SeedOfTry(spec.seed, static_cast<int>(record.undecided_tries.size()) + 1);
}

}  // namespace

AttemptResult HarnessError(const AttemptSpec& spec, std::string folder, std::string reason) {
  AttemptResult result;
  result.case_name = spec.case_name;
  result.target = spec.target;
  result.seed = FormatSeed(spec.seed);
  result.attempt = spec.attempt;
  result.verdict = Verdict::kHarnessError;
  result.started = FormatUtc(UtcNow());
  result.reason = std::move(reason);
  result.folder = std::move(folder);
  return result;
}

CaseProcess::CaseProcess(CaseProcessOptions options)
    : options_(std::move(options)),
      started_utc_(FormatUtc(UtcNow())),
      started_(Clock::now()),
      limit_(Stretched(options_.timeout, options_.spec.slowdown)),
      next_(started_ + limit_) {}

CaseProcess::~CaseProcess() {
  child_.reset();
  if (read_end_ >= 0) close(read_end_);
}

Result<std::unique_ptr<CaseProcess>> CaseProcess::Start(CaseProcessOptions options) {
  options.spec.result_descriptor = kResultDescriptor;
  options.spec.slowdown = SlowdownNow();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return FromErrno(errno).WithContext("a pipe for the result");
  std::unique_ptr<CaseProcess> process(new CaseProcess(std::move(options)));
  process->read_end_ = ends[0];
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildOptions child{.executable = process->options_.executable,
                     .arguments = {"attempt", "--spec", ToJson(process->options_.spec)},
                     .log = process->options_.folder.absolute / "case.log",
                     .descriptors = {{.ours = ends[1], .theirs = kResultDescriptor}},
                     .environment = {{"TMPDIR", process->options_.folder.temporary().string()}}};
  Result<std::unique_ptr<ChildProcess>> launched = ChildProcess::Launch(child);
  close(ends[1]);
  if (!launched.has_value()) return launched.error();
  process->child_ = std::move(launched).value();
  return process;
}

void CaseProcess::Read() {
  std::array<char, 65536> buffer;
  while (read_end_ >= 0) {
    const ssize_t n = read(read_end_, buffer.data(), buffer.size());
    if (n > 0) {
      if (received_.size() < kMostBytes) {
        received_.append(buffer.data(), static_cast<std::size_t>(n));
      }
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    close(read_end_);
    read_end_ = -1;
  }
}

void CaseProcess::Tick() {
  const TimePoint now = Clock::now();
  if (phase_ == Phase::kRunning && now >= next_look_) {
    next_look_ = now + kLook;
    limit_ = std::max(limit_, Stretched(options_.timeout, SlowdownNow()));
    next_ = started_ + limit_;
  }
  if (now < next_ || ended()) return;
  if (phase_ == Phase::kRunning) {
    timed_out_ = true;
    phase_ = Phase::kTimeUp;
    child_->Signal(SIGTERM);
    child_->Signal(SIGCONT);
    next_ = Clock::now() + kGraceAfterTimeout;
  } else {
    Kill();
  }
}

bool CaseProcess::ended() const { return child_->exit_state().has_value(); }

bool CaseProcess::ended_cleanly() const { return child_->exit_state()->clean(); }

void CaseProcess::Interrupt(int signal) {
  if (phase_ != Phase::kRunning) return;
  Read();
  // From here on its result rests on incomplete evidence.
  interrupted_ = received_.find('\n') == std::string::npos;
  phase_ = Phase::kInterrupted;
  child_->Signal(signal);
  child_->Signal(SIGCONT);
  next_ = Clock::now() + kGraceAfterInterrupt;
}

void CaseProcess::Kill() {
  phase_ = Phase::kKilled;
  child_->Signal(SIGKILL);
  next_ = Clock::now() + kGraceAfterInterrupt;
}

std::string CaseProcess::WithLastWords(std::string reason) const {
  const std::string words = CleanText(child_->LastWords());
  return words.empty() ? reason : fmt::format("{}; its last words: {}", reason, words);
}

Result<AttemptResult> CaseProcess::ReadRecord(const ExitState& end) const {
  std::string_view text = received_;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.empty()) {
    return Fail(StatusCode::kInternal, "the case {} without a result", end.ToString());
  }
  if (text.find('\n') != std::string_view::npos) {
    return Fail(StatusCode::kInternal, "the case wrote more than one line as its result");
  }
  Result<AttemptResult> record = ParseResultLine(text);
  if (!record.has_value()) {
    return record.error().WithContext("the case {} and wrote '{}'", end.ToString(),
                                      CleanText(text.substr(0, 80)));
  }
  const AttemptSpec& spec = options_.spec;
  if (record->case_name != spec.case_name || record->target != spec.target ||
      record->attempt != spec.attempt || record->seed != FormatSeed(SeedOfLastTry(spec, *record))) {
    return Fail(StatusCode::kInternal, "the case wrote the result of another attempt: {} on {}",
                record->case_name, record->target);
  }
  if (!end.clean()) {
    return Fail(StatusCode::kInternal, "the case {} after it had written the result '{}'",
                end.ToString(), Name(record->verdict));
  }
  if (record->target_failed) record->verdict = Verdict::kHarnessError;
  return record;
}

std::optional<AttemptResult> CaseProcess::Conclude() {
  const auto end = child_->exit_state();
  WP_CHECK(end.has_value(), "concluding a case that still runs");
  if (interrupted_) return std::nullopt;
  Read();
  const std::chrono::duration<double> took = Clock::now() - started_;
  Result<AttemptResult> record = ReadRecord(*end);
  // What it had found by the time that it was stopped stands.
  const bool found = record.has_value() && record->verdict == Verdict::kFail;
  if (!record.has_value() || (timed_out_ && !found)) {
    const std::string reason =
        timed_out_ ? fmt::format("the case did not end within {} and was stopped",
                                 FormatSeconds(std::chrono::duration<double>(limit_).count()))
                   : record.error().message();
    record = HarnessError(options_.spec, "", WithLastWords(reason));
    record->seconds = took.count();
  }
  if (record->started.empty() || record->verdict == Verdict::kHarnessError) {
    record->started = started_utc_;
  }
  if (record->seconds <= 0) record->seconds = took.count();
  record->folder = options_.folder.relative;
  return std::move(record).value();
}

void AwaitSome(const std::vector<std::unique_ptr<CaseProcess>>& processes, const Signals& signals) {
  std::vector<pollfd> wanted{{.fd = signals.descriptor(), .events = POLLIN, .revents = 0}};
  TimePoint until = Clock::now() + kPoll;
  for (const auto& process : processes) {
    if (process->descriptor() >= 0) {
      wanted.push_back({.fd = process->descriptor(), .events = POLLIN, .revents = 0});
    } else {
      until = std::min(until, Clock::now() + kSoon);
    }
    until = std::min(until, process->next_tick());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  poll(wanted.data(), wanted.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())));
  for (const auto& process : processes) {
    process->Read();
    process->Tick();
  }
}

std::vector<std::unique_ptr<CaseProcess>> TakeEnded(
    std::vector<std::unique_ptr<CaseProcess>>& processes) {
  const auto ended = std::stable_partition(processes.begin(), processes.end(),
                                           [](const auto& process) { return !process->ended(); });
  std::vector<std::unique_ptr<CaseProcess>> taken(std::make_move_iterator(ended),
                                                  std::make_move_iterator(processes.end()));
  processes.erase(ended, processes.end());
  return taken;
}

}  // namespace watchproof
