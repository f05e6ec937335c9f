// SPDX-License-Identifier: Apache-2.0
// The faults that an attempt has injected so far, by the plan's names, and their receipts.
//
//   ArmedFaults faults(session, spec);
//   WP_RETURN_IF_ERROR(faults.Inject("stall", {}, /*optional=*/false));
//   faults.AwaitEffect("stall", 3s);
//   WP_RETURN_IF_ERROR(faults.Heal("stall"));
//   faults.receipts();
//
// Not thread-safe: the case thread. Ownership: refers to the session and the specification.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/faults/fault.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/result.h"
#include "harness/session/session.h"
#include "harness/session/verdict.h"

namespace watchproof {

class ArmedFaults {
 public:
  ArmedFaults(AttemptSession& session, const AttemptSpec& spec) : session_(session), spec_(spec) {}

  // At least one of the optional faults of one kind must take effect.
  Status Inject(const std::string& name, FaultParameters parameters, bool optional);
  // Waits until the fault took effect; false: the time is over. True at once without a proxy, and
  // where no faults are to be injected: the receipt says so.
  bool AwaitEffect(const std::string& name, Duration limit);
  Status Heal(const std::string& name);
  // Idempotent. Returns what went wrong.
  std::vector<std::string> HealAll();
  // Lets every fault look for evidence again.
  void Observe();

  std::vector<ReceiptRecord> receipts() const;
  // What they need and there is not, so that they could not take effect.
  Undone undone() const;
  // Whether one that is not healed acts on a process of the target, or between its members: the
  // target need not answer then.
  bool DisturbServer() const;
  // Whether any fault is not healed.
  bool Disturb() const;
  // Whether one besides that which is healed just now acts on a disk, or between members.
  bool HinderStart() const;

 private:
  struct Armed {
    std::unique_ptr<Fault> fault;
    bool optional = false;
    bool healed = false;
    std::size_t problems_before = 0;  // of the judge, when it was armed
  };
  // Lets it look for evidence in everything that has been recorded.
  void Show(Armed& armed);
  void Record(const std::string& name, const std::string& phase);
  bool IsOptional(const std::string& name) const;

  AttemptSession& session_;
  const AttemptSpec& spec_;
  std::map<std::string, Armed> faults_;
};

}  // namespace watchproof
