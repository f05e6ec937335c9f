// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk.h"

#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "proxies/disk/caller.h"

namespace watchproof::proxy {
namespace {

// A program does nothing but wait if it is so at each of these.
constexpr int kIdleLooks = 5;
constexpr Duration kBetweenLooks = std::chrono::milliseconds(2);

// So that what was removed or replaced can come back: beside the folder, where the program does not
// look.
std::filesystem::path StoreBeside(const std::filesystem::path& folder) {
  return folder.parent_path() / fmt::format(".{}.removed", folder.filename().string());
}

Status CheckStoreOf(const std::filesystem::path& folder) {
  const std::filesystem::path beside = folder.parent_path();
  const auto own = FileIdOf(folder);
  const auto above = FileIdOf(beside);
  const bool one = own && above && own->device == above->device;
  if (one && access(beside.c_str(), W_OK | X_OK) == 0) return {};
  return Fail(StatusCode::kFailedPrecondition,
              "{}: files that the program removes are kept in the folder above it, which {}",
              folder.string(), one ? "cannot be written to" : "is on another file system");
}

}  // namespace

Disk::Disk(const DiskOptions& options)
    : options_(options),
      trap_(*this),
      next_number_(CallTrap::FirstOwn()),
      counts_(options.classes.size() + 1),
      journal_(options.folder, StoreBeside(options.folder)) {}

Result<std::unique_ptr<Disk>> Disk::Open(const DiskOptions& options) {
  std::error_code error;
  DiskOptions made = options;
  made.folder = std::filesystem::canonical(options.folder, error);
  if (error || !std::filesystem::is_directory(made.folder)) {
    return Fail(StatusCode::kNotFound, "{}: no such folder; expected one that exists",
                options.folder.string());
  }
  if (options.undo) WP_RETURN_IF_ERROR(CheckStoreOf(made.folder));
  return std::unique_ptr<Disk>(new Disk(made));
}

Disk::~Disk() { LeaveProgram(); }

Status Disk::Prepare() {
  LeaveProgram();
  return trap_.Prepare();
}

void Disk::LeaveProgram() {
  {
    MutexLock lock(mu_);
    dead_ = true;
    changed_.NotifyAll();
  }
  trap_.Detach();
}

Status Disk::Attach(int pid) {
  {
    MutexLock lock(mu_);
    pid_ = pid;
    dead_ = false;
    killed_at_.clear();
    files_.clear();
    const TimePoint now = Clock::now();
    if (std::exchange(started_, true)) {
      log_.Add({.kind = DiskSpanKind::kStarted, .from = now, .until = now});
    }
  }
  return trap_.Attach();
}

Result<DiskEffectId> Disk::Arm(const DiskEffectSpec& spec) {
  MutexLock lock(mu_);
  const DiskEffectId id(static_cast<std::int64_t>(effects_.size()) + 1);
  Prng prng = Prng(options_.seed).Fork(fmt::format("effect/{}", id));
  WP_ASSIGN_OR_RETURN(
      auto effect, DiskEffect::Make(spec.kind, spec.parameters, options_.classes, std::move(prng)));
  effects_[id] = {.spec = spec, .effect = std::move(effect)};
  return id;
}

void Disk::Armed::Heal() {
  if (!std::exchange(healed, true)) healed_at = Clock::now();
}

// A call that is held is let go where the effect is healed.
DiskReceipt Disk::Armed::Receipt() const {
  DiskReceipt receipt = effect->receipt();
  const Duration since = (healed ? healed_at : Clock::now()) - receipt.longest_from;
  receipt.longest_hold = std::min(receipt.longest_hold, since);
  return receipt;
}

Result<DiskReceipt> Disk::Heal(DiskEffectId effect) {
  {
    MutexLock lock(mu_);
    AwaitKill();
    const auto found = effects_.find(effect);
    if (found != effects_.end()) found->second.Heal();
    changed_.NotifyAll();
  }
  return Peek(effect);
}

Result<DiskReceipt> Disk::Peek(DiskEffectId effect) const {
  MutexLock lock(mu_);
  const auto found = effects_.find(effect);
  if (found == effects_.end()) {
    return Fail(StatusCode::kNotFound, "this disk has no effect {}", effect);
  }
  return found->second.Receipt();
}

void Disk::HealAll() {
  MutexLock lock(mu_);
  AwaitKill();
  for (auto& [id, armed] : effects_) armed.Heal();
  changed_.NotifyAll();
}

std::vector<DiskEffectState> Disk::Effects() const {
  MutexLock lock(mu_);
  std::vector<DiskEffectState> all;
  for (const auto& [id, armed] : effects_) {
    all.push_back({id, armed.spec, armed.healed, armed.Receipt()});
  }
  return all;
}

std::optional<std::string> Disk::killed_at() const {
  MutexLock lock(mu_);
  return killed_at_.empty() ? std::optional<std::string>() : killed_at_;
}

DiskCounts Disk::counts() const {
  DiskCounts all;
  for (const DiskCounts& one : counts_by_class()) {
    for (std::size_t kind = 0; kind < one.calls.size(); ++kind) all.calls[kind] += one.calls[kind];
    all.bytes += one.bytes;
  }
  return all;
}

std::vector<DiskCounts> Disk::counts_by_class() const {
  MutexLock lock(mu_);
  return counts_;
}

std::set<std::string> Disk::unseen() const {
  MutexLock lock(mu_);
  return unseen_;
}

std::vector<DiskSpan> Disk::TakeSpans() {
  MutexLock lock(mu_);
  return log_.Take();
}

bool Disk::HasForgotten() const {
  MutexLock lock(mu_);
  return journal_.HasForgotten();
}

void Disk::KeepAll() {
  MutexLock lock(mu_);
  journal_.KeepAll();
}

Result<Loss> Disk::LosePower(const Kept& kept) {
  TimePoint failed = Clock::now();
  LeaveProgram();
  MutexLock lock(mu_);
  if (!killed_at_.empty()) failed = killed_when_;
  files_.clear();
  WP_ASSIGN_OR_RETURN(const Loss loss, journal_.LosePower(kept));
  log_.Add({.kind = DiskSpanKind::kLost,
            .from = loss.nothing() ? failed : std::min(loss.oldest, failed),
            .until = failed,
            .count = loss.writes + loss.entries,
            .bytes = loss.bytes,
            .what = fmt::format("{}", fmt::join(loss.lines, "; "))});
  return loss;
}

Decision Disk::Decide(const DiskCall& call, DiskEffectId& holds) {
  Decision all;
  for (auto& [id, armed] : effects_) {
    if (armed.healed) continue;
    const Decision one = armed.effect->Decide(call);
    if (one.hold > all.hold) {
      all.hold = one.hold;
      holds = id;
    }
    if (all.error == 0) all.error = one.error;
    all.pretend = all.pretend || one.pretend;
    if (all.stop == Decision::Stop::kNo) {
      all.stop = one.stop;
      all.idle_within = one.idle_within;
    }
  }
  return all;
}

void Disk::Log(DiskSpanKind kind, const DiskCall& call, TimePoint began, int error) {
  DiskSpan span{.kind = kind,
                .from = began,
                .until = Clock::now(),
                .of_class = call.of_class,
                .what = call.ToString()};
  if (error != 0) span.what += fmt::format(": {}", std::generic_category().message(error));
  log_.Add(std::move(span));
}

void Disk::LogDone(const DiskCall& call, const Decision& decision, TimePoint began,
                   std::int64_t result) {
  const bool syncs = call.kind == DiskCallKind::kSync || call.synced;
  if (result < 0) {
    if (syncs) Log(DiskSpanKind::kRefused, call, began, static_cast<int>(-result));
  } else if (decision.pretend) {
    Log(DiskSpanKind::kForgotten, call, began);
  } else if (syncs) {
    Log(DiskSpanKind::kSync, call, began);
  } else if (decision.hold > Duration()) {
    Log(DiskSpanKind::kHeld, call, began);
  }
}

void Disk::KillOnceIdle(Duration most, const DiskCall& call) {
  ends_ = true;
  trap_.LetOthersReceive();
  AwaitIdle(call.thread, most);
  ends_ = false;
  if (!dead_) Kill(call);
  changed_.NotifyAll();
}

void Disk::AwaitIdle(int thread, Duration most) {
  const Caller caller(thread);
  const TimePoint until = Clock::now() + most;
  int idle = 0;  // looks in a row
  while (!dead_ && idle < kIdleLooks && Clock::now() < until) {
    idle = caller.ProgramRuns() ? 0 : idle + 1;
    changed_.WaitUntil(mu_, std::min(until, Clock::now() + kBetweenLooks));
  }
}

void Disk::AwaitIdle(Duration most) {
  MutexLock lock(mu_);
  AwaitIdle(pid_, most);
}

void Disk::AwaitKill() {
  while (ends_) changed_.Wait(mu_);
}

void Disk::Kill(const DiskCall& call) {
  dead_ = true;
  killed_at_ = call.ToString();
  killed_when_ = Clock::now();
  Log(DiskSpanKind::kKilled, call, killed_when_);
  kill(-pid_, SIGKILL);
}

}  // namespace watchproof::proxy
