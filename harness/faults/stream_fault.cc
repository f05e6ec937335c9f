// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/stream_fault.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace watchproof {
namespace {

class StreamCut final : public ProxyFault {
 public:
  explicit StreamCut(proxy::EffectSpec effect) : ProxyFault(std::move(effect)) {}

  bool took_effect() const override { return acted_ > 0 && closed_ > 0; }

 private:
  void BeforeFault(FaultPorts& ports) override { closed_before_ = ports.closed_streams(); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    // Streams may end for other reasons. Only one that ended after the cut is evidence.
    if (acted_ > 0) closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
  }
  void Note(const proxy::Receipt& receipt) override {
    acted_ = receipt.times_triggered;
    swallowed_ = receipt.frames_swallowed;
    unfollowed_ = receipt.connections_unfollowed;
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"times_acted", acted_},
                        {"frames_swallowed", swallowed_},
                        {"connections_unfollowed", unfollowed_},
                        {"streams_closed", closed_}};
    receipt.text =
        fmt::format("acted on {} streams; {} streams of the clients ended", acted_, closed_);
  }

  std::int64_t closed_before_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t acted_ = 0;
  std::int64_t swallowed_ = 0;
  std::int64_t unfollowed_ = 0;
};

class StreamHold final : public ProxyFault {
 public:
  using Evidence = StreamHoldOptions::Evidence;

  StreamHold(proxy::EffectSpec effect, std::int64_t at_least, Evidence evidence)
      : ProxyFault(std::move(effect)), at_least_(at_least), evidence_(evidence) {}

  bool took_effect() const override {
    const bool slow = evidence_ == Evidence::kGaugeOrGap && gauge_ > baseline_;
    return frames_ > 0 && withheld_ >= at_least_ && (slow || gap_ >= kLeastGap);
  }

 private:
  void BeforeFault(FaultPorts& ports) override { baseline_ = Gauge(ports); }
  void Look(FaultPorts& ports) override {
    const std::int64_t gauge = Gauge(ports);
    const Duration silence = std::min(ports.silence(), Duration(ports.now() - armed_at()));
    // Watchers may be slow for other reasons, so the proxy is asked last whether it holds anything.
    const auto receipt = Peek(ports);
    if (!receipt || frames_ == 0) return;
    gauge_ = std::max(gauge_, gauge);
    gap_ = std::max(gap_, silence);
  }
  void Note(const proxy::Receipt& receipt) override {
    frames_ = receipt.frames_withheld;
    withheld_ = receipt.bytes_withheld;
  }
  void Describe(FaultReceipt& receipt) const override {
    const auto gap = std::chrono::duration_cast<std::chrono::milliseconds>(gap_).count();
    receipt.measured = {{"frames_withheld", frames_},        {"bytes_withheld", withheld_},
                        {"bytes_required", at_least_},       {"gap_ms", gap},
                        {"slow_watchers_before", baseline_}, {"slow_watchers", gauge_}};
    receipt.text = fmt::format(
        "{} frames of {} bytes withheld (at least {} required); nothing arrived for {} ms; the "
        "target's slow-watcher gauge went from {} to {}",
        frames_, withheld_, at_least_, gap, baseline_, std::max(gauge_, baseline_));
  }

  // 0 if the target publishes no gauge: then only the gap is evidence.
  static std::int64_t Gauge(FaultPorts& ports) { return SlowWatchers(ports).value_or(0); }

  const std::int64_t at_least_;
  const Evidence evidence_;
  std::int64_t frames_ = 0;
  std::int64_t withheld_ = 0;
  std::int64_t baseline_ = 0;
  std::int64_t gauge_ = 0;
  Duration gap_{};
};

}  // namespace

std::vector<FaultParameterInfo> MomentParameters(std::vector<FaultParameterInfo> more) {
  std::vector<FaultParameterInfo> all = {
      {"when", "at-once",
       "at-once, bytes, response, created, event, progress, compaction or fragment"},
      {"count", "1", "which of them, from 1"},
      {"watch", "-1", "only responses of this watch id; -1 is any"},
      {"revision", "0", "for event: the least revision"},
      {"bytes", "0B", "for bytes: how many further ones of the stream"}};
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

Result<std::unique_ptr<Fault>> MakeStreamCut(std::string effect, const FaultParameters& given) {
  WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                      SpecOf(std::move(effect), proxy::Direction::kToClient, given));
  return std::make_unique<StreamCut>(std::move(spec));
}

Result<std::unique_ptr<Fault>> MakeStreamHold(const StreamHoldOptions& options,
                                              const FaultParameters& given) {
  FaultParameters rest = given;
  const auto own = rest.extract("at-least");
  WP_ASSIGN_OR_RETURN(const std::int64_t at_least, proxy::ParseBytes(own.mapped()));
  WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, SpecOf(options.effect, options.direction, rest));
  return std::make_unique<StreamHold>(std::move(spec), at_least, options.evidence);
}

}  // namespace watchproof
