// SPDX-License-Identifier: Apache-2.0
// A fault that is one effect on the proxied path.
//
//   class Reset final : public ProxyFault {
//     Reset(...) : ProxyFault({.kind = "cut", ...}) {}
//     void BeforeFault(FaultPorts& ports) override;       // the evidence's state without the fault
//     void Look(FaultPorts& ports) override;              // looks for evidence, and calls Peek
//     void Note(const proxy::Receipt& receipt) override;  // what the proxy reports that it did
//     void Describe(FaultReceipt& receipt) const override;
//   };
//
// Without a proxy between the clients and the target the fault is never armed, and its receipt
// says so. Not thread-safe. Ownership: as Fault.
#pragma once

#include <optional>

#include "harness/faults/fault.h"

namespace watchproof {

// The parameters are the effect's own, under the same names. A mistake in them is reported here,
// before a target is started.
Result<proxy::EffectSpec> SpecOf(std::string kind, proxy::Direction direction,
                                 const FaultParameters& given);

class ProxyFault : public Fault {
 public:
  Status Arm(FaultPorts& ports) final;
  void Observe(FaultPorts& ports) final;
  Status Heal(FaultPorts& ports) final;
  FaultReceipt receipt() const final;

 protected:
  explicit ProxyFault(proxy::EffectSpec effect) : effect_(std::move(effect)) {}

  // Called once, when there is a proxy and the effect is not armed yet.
  virtual void BeforeFault(FaultPorts& /*ports*/) {}
  // Looks for evidence; called only while the fault is armed and not healed.
  virtual void Look(FaultPorts& ports) = 0;
  // Called with each receipt, the one of the healed effect last.
  virtual void Note(const proxy::Receipt& receipt) = 0;
  // Cleans up what healing the effect leaves behind. Called once, when the effect is gone.
  virtual Status AfterHeal(FaultPorts& /*ports*/) { return {}; }
  // Fills in what was measured, and the sentence for a fault that was armed.
  virtual void Describe(FaultReceipt& receipt) const = 0;

  // The proxy's current receipt; passes it to Note.
  std::optional<proxy::Receipt> Peek(FaultPorts& ports);
  Duration armed_at() const { return armed_at_; }

 private:
  const proxy::EffectSpec effect_;
  proxy::EffectId id_{};
  bool armed_ = false;
  bool healed_ = false;
  Duration armed_at_{};
  Duration healed_at_{};
};

}  // namespace watchproof
