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
constexpr int kMostBefore = 8;
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
    seen_.closed = ports.closed_streams() - before_;
  }
  // The end of a refused stream is made by the proxy, behind the recorder of a consumer's streams.
  bool found(const Receipt& done) const override {
    return kept_.closed > 0 || done.streams_refused > 0;
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["streams_closed"] = kept_.closed;
    receipt.text += fmt::format("{} streams of the clients ended", kept_.closed);
    if (done.streams_refused == 0) return;
    receipt.measured["streams_refused"] = done.streams_refused;
    receipt.text += fmt::format(", {} were refused", done.streams_refused);
  }

 private:
  std::int64_t before_ = 0;
};

class OracleProblems final : public EndedStreams {
 public:
  void Noticed(std::size_t problems) override {
    seen_.problems = std::max(kept_.problems, static_cast<std::int64_t>(problems));
  }
  bool found(const Receipt& done) const override {
    return kept_.problems > 0 || EndedStreams::found(done);
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["undecided"] = kept_.problems;
    receipt.text += fmt::format("the oracle found {} problems, and ", kept_.problems);
    EndedStreams::Describe(done, receipt);
  }
};

class LateEnd final : public EndedStreams {
 public:
  explicit LateEnd(Duration delay) : delay_(delay) {}
  void Look(FaultPorts& ports, Duration armed_at) override {
    EndedStreams::Look(ports, armed_at);
    seen_.last_closed = ports.last_closed() - armed_at;
  }
  // An end that was held back for so long cannot have arrived sooner after the arming.
  bool found(const Receipt& done) const override {
    return done.longest_hold >= delay_ && EndedStreams::found(done) && kept_.last_closed >= delay_;
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["held_ms"] = Milliseconds(done.longest_hold);
    receipt.measured["required_ms"] = Milliseconds(delay_);
    const std::int64_t noticed = kept_.closed > 0 ? Milliseconds(kept_.last_closed) : 0;
    receipt.measured["noticed_after_ms"] = noticed;
    receipt.text += fmt::format("an end was held back for {} ms ({} required); ",
                                Milliseconds(done.longest_hold), Milliseconds(delay_));
    EndedStreams::Describe(done, receipt);
    if (kept_.closed > 0) receipt.text += fmt::format(", the last {} ms after the arming", noticed);
  }

 private:
  const Duration delay_;
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
    seen_.gap = std::max(kept_.gap, GapOf(ports, armed_at));
    const auto watchers = ports.metric(kWatchers);
    if (!watchers || !watchers_before_) return;
    seen_.fewer = std::max(kept_.fewer, static_cast<std::int64_t>(*watchers_before_ - *watchers));
  }
  bool found(const Receipt& done) const override {
    if (client_) return kept_.closed > 0 && done.bytes_swallowed > 0;
    return kept_.closed == 0 && kept_.gap >= kLeastGap && (!watchers_before_ || kept_.fewer > 0);
  }
  void Describe(const Receipt& done, FaultReceipt& receipt) const override {
    receipt.measured["watchers_fewer"] = kept_.fewer;
    receipt.measured["gap_ms"] = Milliseconds(kept_.gap);
    if (!client_) {
      receipt.text +=
          fmt::format("the target counts {} fewer watchers, nothing arrived for {} ms, ",
                      kept_.fewer, Milliseconds(kept_.gap));
    }
    EndedStreams::Describe(done, receipt);
  }

 private:
  const bool client_;
  std::optional<double> watchers_before_;
};

class Silence final : public Evidence {
 public:
  explicit Silence(GaugeUse use) : use_(use) {}
  void Before(FaultPorts& ports) override { gauge_.Begin(ports); }
  void Look(FaultPorts& ports, Duration armed_at) override {
    seen_.slow = std::max(kept_.slow, gauge_.Now(ports));
    seen_.gap = std::max(kept_.gap, GapOf(ports, armed_at));
  }
  bool found(const Receipt& /*done*/) const override {
    const bool rose = kept_.slow > gauge_.before().value_or(0);
    const bool gap = kept_.gap >= kLeastGap;
    if (use_ == GaugeUse::kNone) return gap;
    if (use_ == GaugeUse::kInsteadIfPublished && gauge_.before()) return rose;
    return rose || gap;
  }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["gap_ms"] = Milliseconds(kept_.gap);
    receipt.text += fmt::format("nothing arrived for {} ms", Milliseconds(kept_.gap));
    if (gauge_.before()) receipt.text += "; " + gauge_.Describe(kept_.slow, receipt);
  }

 private:
  const GaugeUse use_;
  SlowWatchers gauge_;
};

class SlowCall final : public Evidence {
 public:
  explicit SlowCall(Duration required) : required_(required) {}
  // The fastest of some: a busy machine only adds to what the path takes.
  void Before(FaultPorts& ports) override {
    for (int i = 0; i < kMostBefore && (i == 0 || before_ >= required_); ++i) {
      const Duration took = Ask(ports, kHealthyLimit);
      const bool answered = took > Duration::zero();
      if (i == 0 || (answered && took < before_)) before_ = took;
    }
  }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    if (!Long()) seen_.round_trip = std::max(kept_.round_trip, Ask(ports, 2 * required_ + 1s));
  }
  bool found(const Receipt& /*done*/) const override { return Long(); }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["round_trip_us"] = Micros(kept_.round_trip);
    receipt.measured["round_trip_required_us"] = Micros(required_);
    receipt.measured["round_trip_before_us"] = Micros(before_);
    receipt.text += fmt::format(
        "a call over the proxied path took {} us (at least {} required; {} before the fault)",
        Micros(kept_.round_trip), Micros(required_), Micros(before_));
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
    return required && kept_.round_trip >= required_ && kept_.round_trip > before_;
  }

  const Duration required_;
  Duration before_{};
};

class FailedCall final : public Evidence {
 public:
  void Before(FaultPorts& ports) override {
    answered_before_ = ports.call_by_proxied_path(Within(kHealthyLimit)).ok();
  }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    if (!kept_.failed) seen_.failed = !ports.call_by_proxied_path(Within(kDeadLimit)).ok();
  }
  bool found(const Receipt& /*done*/) const override { return answered_before_ && kept_.failed; }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["answered_before"] = answered_before_;
    receipt.measured["calls_unanswered"] = kept_.failed;
    receipt.text += fmt::format(
        "a call over the proxied path was {} before and {} during the fault",
        answered_before_ ? "answered" : "not answered", kept_.failed ? "not answered" : "answered");
  }

 private:
  bool answered_before_ = false;
};

class KeptRate final : public Evidence {
 public:
  KeptRate(std::int64_t rate, std::int64_t at_least) : rate_(rate), at_least_(at_least) {}
  void Before(FaultPorts& ports) override { before_ = ports.bytes_arrived(); }
  void Look(FaultPorts& ports, Duration armed_at) override {
    if (Enough()) return;
    seen_.taken = ports.now() - armed_at;
    const std::vector<std::int64_t> now = ports.bytes_arrived();
    for (std::size_t i = 0; i < now.size(); ++i) {
      seen_.arrived = std::max(seen_.arrived, now[i] - (i < before_.size() ? before_[i] : 0));
    }
  }
  bool found(const Receipt& /*done*/) const override { return Enough(); }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["bytes_arrived"] = kept_.arrived;
    receipt.measured["taken_ms"] = Milliseconds(kept_.taken);
    receipt.text += fmt::format(
        "the busiest stream received {} bytes in {} ms, {} the limit of {} bytes a second",
        kept_.arrived, Milliseconds(kept_.taken), Kept() ? "within" : "above", rate_);
  }

 private:
  bool Kept() const {
    const std::int64_t limited = std::max<std::int64_t>(0, kept_.arrived - kUnderWay);
    return kept_.taken >= Duration(limited * Duration(1s).count() / rate_);
  }
  bool Enough() const { return kept_.arrived >= at_least_ && Kept(); }

  const std::int64_t rate_;
  const std::int64_t at_least_;
  std::vector<std::int64_t> before_;  // by stream
};

class Spread final : public Evidence {
 public:
  explicit Spread(Duration required) : required_(required) {}
  void Before(FaultPorts& ports) override { before_ = ports.spread(); }
  void Look(FaultPorts& ports, Duration /*armed_at*/) override {
    seen_.spread = std::max(kept_.spread, ports.spread());
  }
  bool found(const Receipt& /*done*/) const override {
    return kept_.spread >= required_ && kept_.spread > before_;
  }
  void Describe(const Receipt& /*done*/, FaultReceipt& receipt) const override {
    receipt.measured["spread_ms"] = Milliseconds(kept_.spread);
    receipt.measured["spread_before_ms"] = Milliseconds(before_);
    receipt.measured["spread_required_ms"] = Milliseconds(required_);
    receipt.text += fmt::format(
        "the slowest watcher of a stream waited {} ms longer than the fastest ({} before, at least "
        "{} required)",
        Milliseconds(kept_.spread), Milliseconds(before_), Milliseconds(required_));
  }

 private:
  const Duration required_;
  Duration before_{};
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
