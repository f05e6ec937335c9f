// SPDX-License-Identifier: Apache-2.0
// A member of a cluster is started with data that a fault has damaged: it must serve what the
// others serve, or end by itself and say why; then it gets back what it had, and is started once
// more.
//
//   DamagedStart start(target, [&] { return proxy::PutBack(damage); });
//   WP_RETURN_IF_ERROR(start.Start());       // it answers, or has given up
//   if (start.gave_up()) WP_RETURN_IF_ERROR(start.Mend());
//   start.Describe(receipt);
//
// Threads: one. Ownership: borrows the target.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/faults/fault.h"

namespace watchproof {

class DamagedStart {
 public:
  // From here on the target may give up. Requires: its process has ended. What puts its data back
  // is called while the process has ended, too.
  DamagedStart(Target& target, std::function<Status()> put_back);

  // Either it answers, or it has ended by itself: anything else is an error.
  Status Start();
  // It may also end after it has answered.
  void Look();
  bool gave_up() const { return !refusal_.empty(); }
  bool decided() const { return after_ || gave_up(); }
  // No-op unless it gave up and was not mended yet.
  Status Mend();
  // The same, and from here on it may not give up, as it serves.
  Status Settle();
  // After "; the member ...": what became of it.
  void Describe(FaultReceipt& receipt) const;

 private:
  Target& target_;
  const std::function<Status()> put_back_;
  std::string refusal_;  // how it ended by itself, and its last words
  std::optional<ServerStatus> after_;
  std::optional<ServerStatus> mended_;
};

}  // namespace watchproof
