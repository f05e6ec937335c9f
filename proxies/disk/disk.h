// SPDX-License-Identifier: Apache-2.0
// A proxy between a program and its disk: it holds, refuses, undoes and counts the changes that the
// program makes below one folder, and can fail as the power does.
//
//   WP_ASSIGN_OR_RETURN(const auto disk, Disk::Open({.folder = data}));
//   ... a ChildProcess with this disk runs the program ...
//   WP_ASSIGN_OR_RETURN(const DiskEffectId slow, disk->Arm({.kind = "slow"}));
//   disk->Heal(slow);
//   ... the program is killed ...
//   WP_ASSIGN_OR_RETURN(const Loss loss, disk->LosePower({}));   // and it can be started again
//
// Any program: no privileges, no other build, no other file system (call_trap.h). Reads are free;
// each change costs the program some ten microseconds. What it writes through a shared mapping, or
// through a descriptor that it gave a number of its own choice as shells do, is not seen; unseen()
// names such files.
//
// Threads: every function from any thread, except that starting and ending the program is for one.
// Ownership: owns the threads that handle calls; the program, which others own, ends first.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "proxies/disk/call_trap.h"
#include "proxies/disk/disk_effect.h"
#include "proxies/disk/disk_log.h"
#include "proxies/disk/journal.h"

namespace watchproof::proxy {

using DiskEffectId = Quantity<struct DiskEffectIdTag, std::int64_t>;

struct DiskOptions {
  std::filesystem::path folder;  // exists
  FileClasses classes{};         // names for patterns of files
  // Whether the power can fail: it costs a read of what each write replaces.
  bool undo = true;
  // Whether syncs reach the device. Without, they are faster and keep just as much here.
  bool real_syncs = true;
  std::uint64_t seed = 0;
};

struct DiskEffectSpec {
  std::string kind = {};
  Parameters parameters = {};
};

struct DiskEffectState {
  DiskEffectId id;
  DiskEffectSpec spec;
  bool healed = false;
  DiskReceipt receipt;
};

struct DiskCounts {
  std::array<std::int64_t, std::size(kDiskCallKinds)> calls{};
  std::int64_t bytes = 0;  // written
  std::int64_t of(DiskCallKind kind) const { return calls[static_cast<std::size_t>(kind)]; }
};

class Disk final : private CallHandler {
 public:
  static Result<std::unique_ptr<Disk>> Open(const DiskOptions& options);
  ~Disk() override;

  // One start of the program: before the fork, in the child right before exec, and in the parent.
  Status Prepare();
  int BeforeExec() const { return trap_.BeforeExec(); }
  Status Attach(int pid);

  // Until the program does nothing but wait, or this time has passed: before what counts its calls,
  // so that the numbers are the same each time.
  void AwaitIdle(Duration most);
  // In force for the next call. The error names what was expected.
  Result<DiskEffectId> Arm(const DiskEffectSpec& spec);
  // What it held goes on. One that is about to kill the program has killed it when this returns.
  // Healing again returns the same receipt.
  Result<DiskReceipt> Heal(DiskEffectId effect);
  Result<DiskReceipt> Peek(DiskEffectId effect) const;
  void HealAll();
  // Those that are armed and those that were, in the order of arming.
  std::vector<DiskEffectState> Effects() const;

  // The call at which an effect killed the program, since it was started last.
  std::optional<std::string> killed_at() const;
  DiskCounts counts() const;
  // In the order of the classes; the last ones are of files in none.
  std::vector<DiskCounts> counts_by_class() const;
  std::set<std::string> unseen() const;
  // What it did since they were taken last, by time; at most as many as DiskLog keeps. Without
  // `undo` no more than what was done while an effect was armed.
  std::vector<DiskSpan> TakeSpans();
  const std::filesystem::path& folder() const { return options_.folder; }
  const FileClasses& classes() const { return options_.classes; }

  // Whether the power, if it failed now, would take what a sync had pretended to keep.
  bool HasForgotten() const;
  // What the program has done is kept, as if all of it was synced: before others change its files.
  // Requires: it has ended.
  void KeepAll();
  // Takes back what was not synced. Requires: the program has ended, and `undo`.
  Result<Loss> LosePower(const Kept& kept);

 private:
  struct File;
  struct OpenCall;
  struct NamedCall;
  struct Armed {
    DiskEffectSpec spec;
    std::unique_ptr<DiskEffect> effect;
    bool healed = false;
    TimePoint healed_at{};
    void Heal();  // idempotent
    DiskReceipt Receipt() const;
  };

  explicit Disk(const DiskOptions& options);

  // Once it has ended: what it is still held at is never carried out.
  void LeaveProgram();

  void Handle(const TrappedCall& call, Answer answer) override;
  void HandleOpen(const TrappedCall& call, Answer& answer);
  static OpenCall OpenIn(const TrappedCall& call);
  // Empty: it is left to the kernel.
  static std::optional<NamedCall> NamedIn(const TrappedCall& call);
  std::int64_t Change(const NamedCall& call) REQUIRES(mu_);
  void Renamed(const NamedCall& call) REQUIRES(mu_);
  void HandleByName(const TrappedCall& call, Answer& answer);
  void HandleByDescriptor(const TrappedCall& call, Answer& answer);
  void Write(const TrappedCall& call, const std::shared_ptr<File>& file, Answer& answer)
      REQUIRES(mu_);
  void Resize(const TrappedCall& call, File& file, Answer& answer) REQUIRES(mu_);
  void Sync(const TrappedCall& call, File& file, Answer& answer) REQUIRES(mu_);
  void Synced(const File& file, Journal::Place begun, const Decision& decision) REQUIRES(mu_);
  void Duplicate(const File& file, bool close_on_exec, Answer& answer) REQUIRES(mu_);
  void Give(std::shared_ptr<File> file, bool close_on_exec, Answer& answer) REQUIRES(mu_);
  // Whether nothing is to be done about a call but to count it.
  bool Idle() const REQUIRES(mu_);
  // Carries out what was decided about it, with the lock held. Empty: the program is killed, and
  // gets no answer.
  template <typename Execute>
  std::optional<std::int64_t> Carry(const DiskCall& call, Execute execute) REQUIRES(mu_);
  Decision Decide(const DiskCall& call, DiskEffectId& holds) REQUIRES(mu_);
  // `error`: an errno, or 0.
  void Log(DiskSpanKind kind, const DiskCall& call, TimePoint began, int error = 0) REQUIRES(mu_);
  void LogDone(const DiskCall& call, const Decision& decision, TimePoint began, std::int64_t result)
      REQUIRES(mu_);
  // Once it does nothing but wait, or after this time. Its files stay as they are until then.
  void KillOnceIdle(Duration most, const DiskCall& call) REQUIRES(mu_);
  // By any thread of the program.
  void AwaitIdle(int thread, Duration most) REQUIRES(mu_);
  void AwaitKill() REQUIRES(mu_);
  void Kill(const DiskCall& call) REQUIRES(mu_);
  std::optional<std::string> Below(const std::filesystem::path& path) const;

  const DiskOptions options_;
  CallTrap trap_;
  mutable Mutex mu_;
  CondVar changed_;  // effects, or the end of the program
  int pid_ GUARDED_BY(mu_) = 0;
  bool ends_ GUARDED_BY(mu_) = false;  // it is at the call at which it is killed
  bool dead_ GUARDED_BY(mu_) = false;
  std::string killed_at_ GUARDED_BY(mu_);
  TimePoint killed_when_ GUARDED_BY(mu_){};
  bool started_ GUARDED_BY(mu_) = false;                        // once at least
  std::map<int, std::shared_ptr<File>> files_ GUARDED_BY(mu_);  // by the program's descriptor
  int next_number_ GUARDED_BY(mu_) = 0;
  std::map<DiskEffectId, Armed> effects_ GUARDED_BY(mu_);
  std::vector<DiskCounts> counts_ GUARDED_BY(mu_);  // by class
  std::set<std::string> unseen_ GUARDED_BY(mu_);
  Journal journal_ GUARDED_BY(mu_);
  DiskLog log_ GUARDED_BY(mu_);
};

}  // namespace watchproof::proxy
