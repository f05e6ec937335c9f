// SPDX-License-Identifier: Apache-2.0
// A client that stops reading one of its streams, or reads it a few messages at a time.
#include <algorithm>
#include <utility>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class SlowReader final : public Fault {
 public:
  explicit SlowReader(ReaderPace pace) : pace_(std::move(pace)) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    before_ = SlowWatchers(ports);
    delay_before_ = ports.delay();
    WP_RETURN_IF_ERROR(ports.pace_reader(pace_));
    armed_ = true;
    return {};
  }
  void Observe(FaultPorts& ports) override {
    if (!armed_ || healed_) return;
    gap_ = std::max(gap_, std::min(ports.silence(), Duration(ports.now() - armed_at_)));
    delay_ = std::max(delay_, ports.delay());
    if (const auto slow = SlowWatchers(ports)) slow_ = std::max(slow_, *slow);
  }
  Status Heal(FaultPorts& ports) override {
    if (!armed_ || healed_) return {};
    Observe(ports);
    healed_ = true;
    healed_at_ = ports.now();
    return ports.pace_reader({.stream = pace_.stream});
  }
  bool felt() const override {
    if (before_) return slow_ > *before_;
    // A steady trickle has no gaps.
    return gap_ >= kLeastGap || (delay_ >= kLeastGap && delay_ > delay_before_);
  }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = felt(), .armed_at = armed_at_, .healed_at = healed_at_};
    const auto ms = [](Duration d) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    };
    receipt.measured = {{"gap_ms", ms(gap_)}, {"delay_ms", ms(delay_)}};
    if (before_) {
      receipt.measured["slow_watchers_before"] = *before_;
      receipt.measured["slow_watchers"] = slow_;
      receipt.text = fmt::format("the target's slow-watcher gauge went from {} to {}", *before_,
                                 std::max(slow_, *before_));
    } else {
      receipt.text = fmt::format(
          "nothing was read for {} ms; a watcher was given a change {} ms after it was written ({} "
          "before)",
          ms(gap_), ms(delay_), ms(delay_before_));
    }
    return receipt;
  }

 private:
  const ReaderPace pace_;
  bool armed_ = false;
  bool healed_ = false;
  Duration armed_at_{};
  Duration healed_at_{};
  std::optional<std::int64_t> before_;
  std::int64_t slow_ = 0;
  Duration gap_{};
  Duration delay_{};
  Duration delay_before_{};
};

const FaultRegistration kSlowReader{{
    .info = {.name = "slow-reader",
             .explain =
                 "A client stops reading one of its watch streams, or takes some messages of it, "
                 "pauses, and so on: one at a time is a steady trickle, many are a burst. Felt "
                 "when the target's own slow-watcher gauge rose; without that gauge, when nothing "
                 "was read for 100 ms, or a change came to a watcher 100 ms after it was written.",
             .parameters = {{"stream", "main", "which one"},
                            {"messages", "0", "that are read at a time; 0: none at all"},
                            {"every", "100ms", "how often"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const std::int64_t messages, ParseCount(given.at("messages")));
      WP_ASSIGN_OR_RETURN(const Duration every, proxy::ParseDuration(given.at("every")));
      return std::make_unique<SlowReader>(
          ReaderPace{.stream = given.at("stream"), .messages = messages, .every = every});
    },
}};

}  // namespace
}  // namespace watchproof
