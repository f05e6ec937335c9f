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
  bool took_effect() const override {
    if (gauge_.before()) return slow_ > *gauge_.before();
    // A steady trickle has no gaps.
    return gap_ >= kLeastGap || (delay_ >= kLeastGap && delay_ > delay_before_);
  }

 private:
  Status Act(FaultPorts& ports) override {
    gauge_.Begin(ports);
    delay_before_ = ports.delay();
    WP_RETURN_IF_ERROR(ports.pace_reader(pace_));
    acts_ = true;
    return {};
  }
  void Look(FaultPorts& ports) override {
    gap_ = std::max(gap_, GapOf(ports, armed_at()));
    delay_ = std::max(delay_, ports.delay());
    slow_ = std::max(slow_, gauge_.Now(ports));
  }
  Status Undo(FaultPorts& ports) override { return ports.pace_reader({.stream = pace_.stream}); }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"gap_ms", Milliseconds(gap_)}, {"delay_ms", Milliseconds(delay_)}};
    if (gauge_.before()) {
      receipt.text = gauge_.Describe(slow_, receipt);
    } else {
      receipt.text = fmt::format(
          "nothing was read for {} ms; a watcher was given a change {} ms after it was written ({} "
          "before)",
          Milliseconds(gap_), Milliseconds(delay_), Milliseconds(delay_before_));
    }
  }

  const ReaderPace pace_;
  SlowWatchers gauge_;
  std::int64_t slow_ = 0;  // at most
  Duration gap_{};
  Duration delay_{};
  Duration delay_before_{};
};

const FaultRegistration kSlowReader([] {
  using proxy::ParameterKind;
  return std::vector<FaultKind>{
      {.info = {.name = "slow-reader",
                .explain = "A client stops reading one of its watch streams, or reads a few "
                           "messages, pauses, and so on: one message at a time is a steady "
                           "trickle, many are a burst. Took effect if the target's own "
                           "slow-watcher gauge rose; without that gauge, if nothing was read for "
                           "100 ms, or a change arrived 100 ms after it was written.",
                .parameters = {{.name = "stream",
                                .kind = ParameterKind::kText,
                                .default_value = "main",
                                .explain = "Which watch stream."},
                               {.name = "messages",
                                .kind = ParameterKind::kNumber,
                                .default_value = "0",
                                .explain = "How many are read at a time; 0: none."},
                               {.name = "every",
                                .default_value = "100ms",
                                .explain = "Time between two reads."}}},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<SlowReader>(ReaderPace{.stream = given.text("stream"),
                                                        .messages = given.number("messages"),
                                                        .every = given.duration("every")});
       }}};
});

}  // namespace
}  // namespace watchproof
