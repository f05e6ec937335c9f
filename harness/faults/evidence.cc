// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/evidence.h"

#include <algorithm>

namespace watchproof {
namespace {

using proxy::ParameterValues;
using proxy::Receipt;

// Without a fault, a call is answered in a few milliseconds.
constexpr Duration kHealthyLimit = 500ms;
constexpr Duration kDeadLimit = 250ms;
// Bytes that may have been on their way already when a limit was armed.
constexpr std::int64_t kUnderWay = 128 << 10;

template <typename Kind>
EvidenceKind Plain(std::string explain) {
  return {.explain = std::move(explain),
          .make = [](const ParameterValues&) { return std::make_unique<Kind>(); }};
}

class EndedStreams : public Evidence {
 public:
  void Before(FaultPorts& ports) override { before_ = ports.closed_streams(); }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    seen_ = ports.closed_streams() - before_;
  }
  void Keep() override { closed_ = seen_; }
  // The end of a refused stream is made by the proxy, behind the recorder of a consumer's streams.
  bool found(const Receipt& done) const override { return closed_ > 0 || done.streams_refused > 0; }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["streams_closed"] = closed_;
    receipt.text += fmt::format("{} streams of the clients ended", closed_);
    if (done.streams_refused == 0) return;
    receipt.measured["streams_refused"] = done.streams_refused;
    receipt.text += fmt::format(", {} were refused", done.streams_refused);
  }

 protected:
  std::int64_t closed_ = 0;

 private:
  std::int64_t before_ = 0;
  std::int64_t seen_ = 0;
};

class OracleProblems final : public EndedStreams {
 public:
  void Noticed(std::size_t problems) override { seen_ = static_cast<std::int64_t>(problems); }
  void Keep() override {
    EndedStreams::Keep();
    found_ = std::max(found_, seen_);
  }
  bool found(const Receipt& done) const override { return found_ > 0 || EndedStreams::found(done); }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["undecided"] = found_;
    receipt.text += fmt::format("the oracle found {} problems, and ", found_);
    EndedStreams::Describe(done, receipt);
  }

 private:
  std::int64_t seen_ = 0;
  std::int64_t found_ = 0;
};

class LateEnd final : public EndedStreams {
 public:
  explicit LateEnd(Duration delay) : delay_(delay) {}
  void Look(FaultPorts& ports, Duration armed_at) override {
    EndedStreams::Look(ports, armed_at);
    seen_ = ports.last_closed() - armed_at;
  }
  void Keep() override {
    EndedStreams::Keep();
    noticed_ = seen_;
  }
  // An end that was held back for so long cannot have arrived sooner after the arming.
  bool found(const Receipt& done) const override {
    return done.longest_hold >= delay_ && EndedStreams::found(done) && noticed_ >= delay_;
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["held_ms"] = Milliseconds(done.longest_hold);
    receipt.measured["required_ms"] = Milliseconds(delay_);
    receipt.measured["noticed_after_ms"] = closed_ > 0 ? Milliseconds(noticed_) : 0;
    receipt.text += fmt::format("an end was held back for {} ms ({} required); ",
                                Milliseconds(done.longest_hold), Milliseconds(delay_));
    EndedStreams::Describe(done, receipt);
    if (closed_ > 0) {
      receipt.text += fmt::format(", the last {} ms after the arming", Milliseconds(noticed_));
    }
  }

 private:
  const Duration delay_;
  Duration seen_{};
  Duration noticed_{};
};

class Gone final : public EndedStreams {
 public:
  explicit Gone(bool client) : client_(client) {}
  void Before(FaultPorts& ports) override {
    EndedStreams::Before(ports);
    watchers_before_ = ports.metric(kWatchers);
  }
  void Look(FaultPorts& ports, Duration armed_at) override {
    EndedStreams::Look(ports, armed_at);
    seen_gap_ = GapOf(ports, armed_at);
    const auto watchers = ports.metric(kWatchers);
    if (!watchers || !watchers_before_) return;
    seen_fewer_ = static_cast<std::int64_t>(*watchers_before_ - *watchers);
  }
  void Keep() override {
    EndedStreams::Keep();
    gap_ = std::max(gap_, seen_gap_);
    fewer_ = std::max(fewer_, seen_fewer_);
  }
  bool found(const Receipt& done) const override {
    if (client_) return closed_ > 0 && done.bytes_swallowed > 0;
    return closed_ == 0 && gap_ >= kLeastGap && (!watchers_before_ || fewer_ > 0);
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["watchers_fewer"] = fewer_;
    receipt.measured["gap_ms"] = Milliseconds(gap_);
    if (!client_) {
      receipt.text +=
          fmt::format("the target counts {} fewer watchers, nothing arrived for {} ms, ", fewer_,
                      Milliseconds(gap_));
    }
    EndedStreams::Describe(done, receipt);
  }

 private:
  const bool client_;
  std::optional<double> watchers_before_;
  std::int64_t seen_fewer_ = 0;
  std::int64_t fewer_ = 0;
  Duration seen_gap_{};
  Duration gap_{};
};

class Silence final : public Evidence {
 public:
  explicit Silence(GaugeUse use) : use_(use) {}
  void Before(FaultPorts& ports) override { before_ = SlowWatchers(ports); }
  void Look(FaultPorts& ports, Duration armed_at) override {
    seen_slow_ = SlowWatchers(ports).value_or(0);
    seen_gap_ = GapOf(ports, armed_at);
  }
  void Keep() override {
    slow_ = std::max(slow_, seen_slow_);
    gap_ = std::max(gap_, seen_gap_);
  }
  bool found(const Receipt& /*done*/) const override {
    const bool rose = slow_ > before_.value_or(0);
    const bool gap = gap_ >= kLeastGap;
    if (use_ == GaugeUse::kNone) return gap;
    if (use_ == GaugeUse::kInsteadIfPublished && before_) return rose;
    return rose || gap;
  }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["gap_ms"] = Milliseconds(gap_);
    receipt.text += fmt::format("nothing arrived for {} ms", Milliseconds(gap_));
    if (!before_) return;
    receipt.measured["slow_watchers_before"] = *before_;
    receipt.measured["slow_watchers"] = slow_;
    receipt.text += fmt::format("; the target's slow-watcher gauge went from {} to {}", *before_,
                                std::max(slow_, *before_));
  }

 private:
  const GaugeUse use_;
  std::optional<std::int64_t> before_;  // none if the target publishes no gauge
  std::int64_t seen_slow_ = 0;
  std::int64_t slow_ = 0;
  Duration seen_gap_{};
  Duration gap_{};
};

class SlowCall final : public Evidence {
 public:
  explicit SlowCall(Duration required) : required_(required) {}
  void Before(FaultPorts& ports) override { before_ = Ask(ports, kHealthyLimit); }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    if (!Long()) seen_ = Ask(ports, 2 * required_ + 1s);
  }
  void Keep() override { round_trip_ = std::max(round_trip_, seen_); }
  bool found(const Receipt& /*done*/) const override { return Long(); }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["round_trip_us"] = Micros(round_trip_);
    receipt.measured["round_trip_required_us"] = Micros(required_);
    receipt.measured["round_trip_before_us"] = Micros(before_);
    receipt.text += fmt::format(
        "a call over the proxied path took {} us (at least {} required; {} before the fault)",
        Micros(round_trip_), Micros(required_), Micros(before_));
  }

 private:
  static std::int64_t Micros(Duration duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  }
  // 0 if there was no answer: that is the effect of another fault.
  static Duration Ask(FaultPorts& ports, Duration limit) {
    const Duration began = ports.now();
    const bool answered = ports.call_by_proxied_path(Within(limit)).ok();
    return answered ? ports.now() - began : Duration::zero();
  }
  bool Long() const {
    const bool required = required_ > Duration::zero();
    return required && round_trip_ >= required_ && round_trip_ > before_;
  }

  const Duration required_;
  Duration before_{};
  Duration seen_{};
  Duration round_trip_{};
};

class FailedCall final : public Evidence {
 public:
  void Before(FaultPorts& ports) override {
    answered_before_ = ports.call_by_proxied_path(Within(kHealthyLimit)).ok();
  }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    if (!failed_) seen_ = !ports.call_by_proxied_path(Within(kDeadLimit)).ok();
  }
  void Keep() override { failed_ = seen_; }
  bool found(const Receipt& /*done*/) const override { return answered_before_ && failed_; }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["answered_before"] = answered_before_;
    receipt.measured["calls_unanswered"] = failed_;
    receipt.text += fmt::format(
        "a call over the proxied path was {} before and {} during the fault",
        answered_before_ ? "answered" : "not answered", failed_ ? "not answered" : "answered");
  }

 private:
  bool answered_before_ = false;
  bool seen_ = false;
  bool failed_ = false;
};

class KeptRate final : public Evidence {
 public:
  KeptRate(std::int64_t rate, std::int64_t at_least) : rate_(rate), at_least_(at_least) {}
  void Before(FaultPorts& ports) override { before_ = ports.bytes_arrived(); }
  void Look(FaultPorts& ports, Duration armed_at) override {
    if (Enough()) return;
    seen_taken_ = ports.now() - armed_at;
    const std::vector<std::int64_t> now = ports.bytes_arrived();
    for (std::size_t i = 0; i < now.size(); ++i) {
      seen_arrived_ = std::max(seen_arrived_, now[i] - (i < before_.size() ? before_[i] : 0));
    }
  }
  void Keep() override {
    arrived_ = seen_arrived_;
    taken_ = seen_taken_;
  }
  bool found(const Receipt& /*done*/) const override { return Enough(); }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["bytes_arrived"] = arrived_;
    receipt.measured["taken_ms"] = Milliseconds(taken_);
    receipt.text += fmt::format(
        "the busiest stream received {} bytes in {} ms, {} the limit of {} bytes a second",
        arrived_, Milliseconds(taken_), Kept() ? "within" : "above", rate_);
  }

 private:
  bool Kept() const {
    const std::int64_t limited = std::max<std::int64_t>(0, arrived_ - kUnderWay);
    return taken_ >= Duration(limited * Duration(1s).count() / rate_);
  }
  bool Enough() const { return arrived_ >= at_least_ && Kept(); }

  const std::int64_t rate_;
  const std::int64_t at_least_;
  std::vector<std::int64_t> before_;  // by stream
  std::int64_t seen_arrived_ = 0;     // on the busiest stream
  std::int64_t arrived_ = 0;
  Duration seen_taken_{};
  Duration taken_{};
};

class Spread final : public Evidence {
 public:
  explicit Spread(Duration required) : required_(required) {}
  void Before(FaultPorts& ports) override { before_ = ports.spread(); }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override { seen_ = ports.spread(); }
  void Keep() override { spread_ = std::max(spread_, seen_); }
  bool found(const Receipt& /*done*/) const override {
    return spread_ >= required_ && spread_ > before_;
  }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["spread_ms"] = Milliseconds(spread_);
    receipt.measured["spread_before_ms"] = Milliseconds(before_);
    receipt.measured["spread_required_ms"] = Milliseconds(required_);
    receipt.text += fmt::format(
        "the slowest watcher of a stream waited {} ms longer than the fastest ({} before, at least "
        "{} required)",
        Milliseconds(spread_), Milliseconds(before_), Milliseconds(required_));
  }

 private:
  const Duration required_;
  Duration before_{};
  Duration seen_{};
  Duration spread_{};
};

}  // namespace

EvidenceKind StreamsEnd() {
  return Plain<EndedStreams>("a watch stream of the clients ended, or was refused by a GOAWAY");
}

EvidenceKind OracleNotices() {
  return Plain<OracleProblems>(
      "the oracle found or missed something, or a watch stream of the clients ended");
}

EvidenceKind NothingArrives(GaugeUse gauge) {
  std::string explain = "nothing arrived for 100 ms";
  if (gauge == GaugeUse::kAlternative) explain += ", or the target's slow-watcher gauge rose";
  if (gauge == GaugeUse::kInsteadIfPublished) {
    explain = "the target's slow-watcher gauge rose; without that gauge, " + explain;
  }
  return {.explain = std::move(explain),
          .make = [gauge](const ParameterValues&) { return std::make_unique<Silence>(gauge); }};
}

EvidenceKind CallIsSlow(Result<Duration> (*required)(const ParameterValues&)) {
  return {.explain =
              "a call over the proxied path, on a new connection, took at least as long as that "
              "delays it",
          .make = [required](const ParameterValues& values) -> Result<std::unique_ptr<Evidence>> {
            WP_ASSIGN_OR_RETURN(const Duration time, required(values));
            return std::make_unique<SlowCall>(time);
          }};
}

EvidenceKind CallsFail() {
  return Plain<FailedCall>(
      "a call over the proxied path, on a new connection, was answered before but not during the "
      "fault");
}

EvidenceKind RateIsKept() {
  return {.explain = "the busiest watch stream received as many, within the limit",
          .make = [](const ParameterValues& values) {
            return std::make_unique<KeptRate>(values.bytes("rate"), values.bytes("at-least"));
          }};
}

EvidenceKind OneWatchLags() {
  return {.explain =
              "the slowest watch of a stream waited longer than the fastest one, by at least "
              "half the delay",
          .make = [](const ParameterValues& values) {
            return std::make_unique<Spread>(values.duration("delay") / 2);
          }};
}

EvidenceKind EndIsLate() {
  return {.explain =
              "an end was held back for the delay and a watch stream of the clients ended no "
              "sooner",
          .make = [](const ParameterValues& values) {
            return std::make_unique<LateEnd>(values.duration("delay"));
          }};
}

EvidenceKind OneEndIsGone() {
  return {.explain =
              "with the client gone, a watch stream of the clients ended and the target "
              "continued to send; with the target gone, it counts fewer watchers than "
              "before, while no stream of the clients ended and nothing arrived for 100 ms",
          .make = [](const ParameterValues& values) {
            return std::make_unique<Gone>(values.word("gone") == 0);
          }};
}

}  // namespace watchproof
