// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/network_fault.h"

#include <algorithm>

#include "harness/base/check.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

std::int64_t CountOf(const proxy::Receipt& done, const std::string& name) {
  const auto* const it =
      std::find_if(std::begin(proxy::kReceiptCounts), std::end(proxy::kReceiptCounts),
                   [&name](const proxy::ReceiptCount& one) { return one.name == name; });
  WP_CHECK(it != std::end(proxy::kReceiptCounts), "a fault names counts of the proxy's receipt");
  return done.*it->count;
}

class ProxiedFault final : public Fault {
 public:
  ProxiedFault(const NetworkFault& row, proxy::EffectSpec effect, std::int64_t required,
               std::unique_ptr<Evidence> evidence)
      : counts_(row.counts),
        effect_(std::move(effect)),
        required_(required),
        evidence_(std::move(evidence)) {}
  bool took_effect() const override {
    return armed() && Counted() >= required_ && evidence_->found(done_);
  }
  void Noticed(std::size_t problems) override { evidence_->Noticed(problems); }

 private:
  Status Act(FaultPorts& ports) override {
    if (ports.proxies == nullptr) return {};
    evidence_->Before(ports);
    WP_ASSIGN_OR_RETURN(id_, ports.proxies->Arm(ports.path, effect_));
    acts_ = true;
    return {};
  }
  void Look(FaultPorts& ports) override {
    evidence_->Look(ports, armed_at());
    const auto done = ports.proxies->Peek(id_);
    if (!done.has_value()) return;
    done_ = *done;
    if (Counted() > 0 && !done_.healed_at) evidence_->Keep();
  }
  Status Undo(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(done_, ports.proxies->Heal(id_));
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    for (const CountInReceipt& count : counts_) {
      const std::int64_t counted = CountOf(done_, count.name);
      receipt.measured[count.measured_as] = counted;
      receipt.text += fmt::format("{}: {}", count.measured_as, counted);
      if (!count.required_as.empty()) {
        receipt.measured[count.required_as] = required_;
        receipt.text += fmt::format(" (at least {} required)", required_);
      }
      receipt.text += "; ";
    }
    evidence_->Describe(done_, receipt);
    if (!armed())
      receipt.text = "never armed: there is no proxy between the clients and the target";
  }

  bool armed() const { return id_ != proxy::EffectId(); }
  // What the proxy does not count it does from the start.
  std::int64_t Counted() const {
    return counts_.empty() ? required_ : CountOf(done_, counts_.front().name);
  }

  const std::vector<CountInReceipt> counts_;
  const proxy::EffectSpec effect_;
  const std::int64_t required_;
  const std::unique_ptr<Evidence> evidence_;
  proxy::EffectId id_{};
  proxy::Receipt done_;
};

bool IsOffered(const NetworkFault& row, const proxy::ParameterInfo& parameter) {
  // The evidence is about watch streams, so that no other method can be chosen.
  return parameter.name != "path" && !row.fixed.contains(parameter.name);
}

const char* WhereItActs(proxy::Direction direction) {
  switch (direction) {
    case proxy::Direction::kToClient:
      return " It acts on what the target sends.";
    case proxy::Direction::kToTarget:
      return " It acts on what clients send.";
    case proxy::Direction::kBoth:
      return " It acts in both directions.";
  }
  return "";
}

bool HasThreshold(const NetworkFault& row) {
  return std::any_of(row.own.begin(), row.own.end(),
                     [](const auto& one) { return one.name == kAtLeast; });
}

std::string Explain(const NetworkFault& row, const proxy::EffectInfo& effect) {
  std::string text = effect.explain;
  if (row.direction_by.empty()) text += WhereItActs(row.direction);
  text += " Took effect if ";
  if (!row.counts.empty()) {
    std::string count = row.counts.front().measured_as;
    std::replace(count.begin(), count.end(), '_', ' ');
    text += fmt::format("the proxy's count of {} is {}, and ", count,
                        HasThreshold(row) ? "high enough" : "above 0");
  }
  return text + row.evidence.explain + ".";
}

std::vector<proxy::ParameterInfo> ParametersOf(const NetworkFault& row,
                                               const proxy::EffectInfo& effect) {
  std::vector<proxy::ParameterInfo> parameters = row.own;
  for (proxy::ParameterInfo parameter : effect.parameters) {
    if (!IsOffered(row, parameter)) continue;
    const auto it = row.defaults.find(parameter.name);
    if (it != row.defaults.end()) parameter.default_value = it->second;
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

FaultKind MakeFaultKind(NetworkFault row) {
  const auto found = proxy::FindEffect(row.effect);
  WP_CHECK(found.has_value(), "a fault on the network names an effect");
  const proxy::EffectInfo& effect = **found;
  FaultInfo info{.name = row.name,
                 .explain = Explain(row, effect),
                 .parameters = ParametersOf(row, effect),
                 .follows_streams = effect.on_streams,
                 .self_test_only = effect.self_test_only,
                 .ends_streams = row.ends_streams};
  const auto make = [row = std::move(row), &effect](
                        const proxy::ParameterValues& values) -> Result<std::unique_ptr<Fault>> {
    proxy::EffectSpec spec{.kind = row.effect, .direction = row.direction, .parameters = row.fixed};
    for (const proxy::ParameterInfo& one : effect.parameters) {
      if (IsOffered(row, one)) spec.parameters[one.name] = values.text(one.name);
    }
    if (!row.direction_by.empty()) {
      spec.direction = static_cast<proxy::Direction>(values.word(row.direction_by));
    }
    const std::int64_t required = HasThreshold(row) ? values.bytes(kAtLeast) : 1;
    WP_ASSIGN_OR_RETURN(auto evidence, row.evidence.make(values));
    return std::make_unique<ProxiedFault>(row, std::move(spec), required, std::move(evidence));
  };
  return {.info = std::move(info), .make = make};
}

}  // namespace watchproof
