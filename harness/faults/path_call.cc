// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/path_call.h"

#include <algorithm>

namespace watchproof {
namespace {

// Without a fault, a call is answered in a few milliseconds.
constexpr Duration kHealthyLimit = 500ms;
constexpr Duration kDeadLimit = 250ms;

std::int64_t Micros(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

class PathCall : public ProxyFault {
 protected:
  explicit PathCall(const PathCallOptions& options)
      : ProxyFault(options.effect), options_(options) {}

  bool counted_enough() const { return options_.count == nullptr || counted_ >= options_.at_least; }
  void DescribeCount(FaultReceipt& receipt) const {
    if (options_.count == nullptr) return;
    receipt.measured[options_.counted_as] = counted_;
    receipt.measured[options_.counted_as + "_required"] = options_.at_least;
    receipt.text = fmt::format("{}: {} (at least {} required); ", options_.counted_as, counted_,
                               options_.at_least);
  }

  const PathCallOptions options_;

 private:
  void Note(const proxy::Receipt& receipt) final {
    if (options_.count != nullptr) counted_ = receipt.*options_.count;
  }

  std::int64_t counted_ = 0;
};

class SlowPath final : public PathCall {
 public:
  explicit SlowPath(const PathCallOptions& options) : PathCall(options) {}

  bool took_effect() const override { return counted_enough() && Long(); }

 private:
  void BeforeFault(FaultPorts& ports) override { before_ = Ask(ports, kHealthyLimit); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (Long()) return;
    round_trip_ = std::max(round_trip_, Ask(ports, 2 * options_.required + 1s));
  }
  void Describe(FaultReceipt& receipt) const override {
    DescribeCount(receipt);
    receipt.measured["round_trip_us"] = Micros(round_trip_);
    receipt.measured["round_trip_required_us"] = Micros(options_.required);
    receipt.measured["round_trip_before_us"] = Micros(before_);
    receipt.text += fmt::format(
        "a call over the proxied path took {} us (at least {} required; {} before the fault)",
        Micros(round_trip_), Micros(options_.required), Micros(before_));
  }

  bool Long() const {
    const bool required = options_.required > Duration::zero();
    return required && round_trip_ >= options_.required && round_trip_ > before_;
  }
  // 0 if there was no answer: that is the effect of another fault.
  static Duration Ask(FaultPorts& ports, Duration limit) {
    const Duration began = ports.now();
    const bool answered = ports.call_by_proxied_path(Within(limit)).ok();
    return answered ? ports.now() - began : Duration::zero();
  }

  Duration before_{};
  Duration round_trip_{};
};

class DeadPath final : public PathCall {
 public:
  explicit DeadPath(const PathCallOptions& options) : PathCall(options) {}

  bool took_effect() const override {
    return counted_enough() && answered_before_ && unanswered_ > 0;
  }

 private:
  void BeforeFault(FaultPorts& ports) override {
    answered_before_ = ports.call_by_proxied_path(Within(kHealthyLimit)).ok();
  }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (unanswered_ == 0 && !ports.call_by_proxied_path(Within(kDeadLimit)).ok()) unanswered_ = 1;
  }
  void Describe(FaultReceipt& receipt) const override {
    DescribeCount(receipt);
    receipt.measured["answered_before"] = answered_before_;
    receipt.measured["calls_unanswered"] = unanswered_;
    receipt.text +=
        fmt::format("a call over the proxied path was {} before and {} during the fault",
                    answered_before_ ? "answered" : "not answered",
                    unanswered_ > 0 ? "not answered" : "answered");
  }

  bool answered_before_ = false;
  std::int64_t unanswered_ = 0;
};

}  // namespace

std::unique_ptr<Fault> MakeSlowPath(const PathCallOptions& options) {
  return std::make_unique<SlowPath>(options);
}
std::unique_ptr<Fault> MakeDeadPath(const PathCallOptions& options) {
  return std::make_unique<DeadPath>(options);
}

}  // namespace watchproof
