// SPDX-License-Identifier: Apache-2.0
// Stops a program at each of its system calls that change files, until a handler has decided what
// becomes of the call. By seccomp user notification: any program, no privileges, no other build.
//
//   CallTrap trap(handler);                       // handler.Handle(call) on any of its threads
//   trap.BeforeExec();                            // in the child, right before it executes
//   WP_RETURN_IF_ERROR(trap.Attach());            // in the parent
//   trap.Detach();                                // once the child has ended
//
// Writes and syncs would be far too many to stop at each: a filter sees numbers only. So whoever
// opens a file for the program gives it a descriptor from FirstOwn() on, and only calls with such a
// descriptor stop. Linux 5.19 or newer.
//
// Threads: a call is handled on the thread that received it, and the next one waits until Handle
// has returned or has let others receive: so there are as many threads as calls that are held, and
// no thread is woken for the others. Ownership: owns the threads; the handler outlives it.
#pragma once

#include <linux/filter.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::proxy {

struct TrappedCall {
  std::uint64_t id = 0;
  int thread = 0;  // that made it, in the program
  int number = 0;  // SYS_write
  std::array<std::uint64_t, 6> arguments{};
};

// Exactly one of these for each call; without, its thread waits until the program is killed.
class Answer {
 public:
  Answer(int listener, std::uint64_t id) : listener_(listener), id_(id) {}
  // The kernel carries it out.
  void Continue();
  // It returns this: a count, or an error as -errno.
  void Return(std::int64_t value);
  // It returns `number`, by which the program has this file from now on. False: the program is
  // gone.
  bool ReturnDescriptor(int ours, int number, bool close_on_exec);

 private:
  const int listener_;
  const std::uint64_t id_;
};

class CallHandler {
 public:
  virtual ~CallHandler() = default;
  virtual void Handle(const TrappedCall& call, Answer answer) = 0;
};

class CallTrap {
 public:
  explicit CallTrap(CallHandler& handler);
  ~CallTrap();
  CallTrap(const CallTrap&) = delete;
  CallTrap& operator=(const CallTrap&) = delete;

  // Before the fork.
  Status Prepare();
  // In the child: only async-signal-safe calls. 0, or an errno.
  int BeforeExec() const;
  // In the parent, once the child executes its program. Calls are handled from here on.
  Status Attach();
  // From Handle, before it waits: other calls are handled meanwhile, on other threads.
  void LetOthersReceive() NO_THREAD_SAFETY_ANALYSIS;
  // Requires: the program has ended, or every held call is let go. Waits for the threads.
  void Detach();

  // The first number of the descriptors that calls are stopped for.
  static int FirstOwn();
  // One past the last that the program may have.
  static int EndOfOwn();

 private:
  struct Threads;

  // Clang cannot follow a lock from one call to the next.
  void Serve() NO_THREAD_SAFETY_ANALYSIS;
  std::optional<TrappedCall> Receive();
  void CloseAll();

  CallHandler& handler_;
  std::vector<sock_filter> filter_;
  int ends_[2] = {-1, -1};  // the listener comes by it: ours, the child's
  int listener_ = -1;
  int stop_ = -1;  // an event: Detach
  const std::unique_ptr<Threads> threads_;
};

// Whether this machine can: tries it on a process of its own. An error says what is missing.
Status CanTrapCalls();

}  // namespace watchproof::proxy
