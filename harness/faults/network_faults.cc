// SPDX-License-Identifier: Apache-2.0
// The faults on the proxied path, one row each; their effects are in proxies/effects and
// proxies/http2.
#include <algorithm>

#include "harness/faults/network_fault.h"

namespace watchproof {
namespace {

using proxy::Direction;
using proxy::ParameterInfo;
using proxy::ParameterKind;
using proxy::ParameterValues;

// The least bytes that a call sends at once: HTTP/2's preface, its settings, and a request.
constexpr std::int64_t kLeastCall = 64;

Result<Duration> RoundTrip(const ParameterValues& values) {
  return 2 * std::max(Duration::zero(), values.duration("delay") - values.duration("jitter"));
}

Result<Duration> OneDelay(const ParameterValues& values) { return values.duration("delay"); }

Result<Duration> PausesOfACall(const ParameterValues& values) {
  const std::int64_t size = values.bytes("size") + values.bytes("variation");
  const Duration delay = values.duration("delay");
  const std::int64_t pauses = std::max<std::int64_t>(0, kLeastCall / size - 1);
  if (pauses > 0 && delay > Duration::zero()) return pauses * delay;
  return Fail(StatusCode::kInvalidArgument,
              "slice: pieces of {} bytes with pauses of {} ms cannot be detected from outside; "
              "expected pieces of at most {} bytes and a pause between them",
              size, Milliseconds(delay), kLeastCall / 2);
}

ParameterInfo AtLeast(std::string default_value) {
  return {.name = kAtLeast,
          .kind = ParameterKind::kBytes,
          .default_value = std::move(default_value),
          .explain = "How much the proxy must have counted for it to take effect.",
          .least = 1};
}

// Which connections or streams end.
std::vector<NetworkFault> Ends() {
  const std::vector<CountInReceipt> on_streams = {
      {"times_triggered", "times_acted"}, {"frames_swallowed"}, {"connections_unfollowed"}};
  std::vector<NetworkFault> rows = {
      {.name = "close", .counts = {{"connections_closed"}}, .evidence = StreamsEnd()},
      {.name = "half-close", .counts = {{"connections_half_closed"}}, .evidence = StreamsEnd()},
      {.name = "reset", .effect = "cut", .counts = {{"connections_cut"}}, .evidence = StreamsEnd()},
      {.name = "half-open",
       .direction_by = "gone",
       .fixed = {{"close", "yes"}, {"future", "no"}},
       .own = {{.name = "gone",
                .kind = ParameterKind::kWord,
                .default_value = "client",
                .explain = "The end that is gone.",
                .words = {"client", "target"}}},
       .counts = {{"connections_half_opened"}, {"bytes_swallowed"}},
       .evidence = OneEndIsGone()},
      {.name = "black-hole",
       .direction_by = "direction",
       .fixed = {{"close", "yes"}},
       .own = {AtLeast("1KiB"),
               {.name = "direction",
                .kind = ParameterKind::kWord,
                .default_value = "to-client",
                .explain = "The direction of the bytes that are dropped.",
                .words = {"to-client", "to-target", "both"}}},
       .counts = {{.name = "bytes_swallowed", .required_as = "bytes_swallowed_required"}},
       .evidence = CallsFail()},
      {.name = "refuse", .direction = Direction::kBoth, .counts = {}, .evidence = CallsFail()},
      {.name = "goaway", .counts = on_streams, .evidence = StreamsEnd()},
      {.name = "reset-stream", .counts = on_streams, .evidence = StreamsEnd()},
      {.name = "cut-after-event", .counts = on_streams, .evidence = StreamsEnd()},
      {.name = "cut-between-fragments", .counts = on_streams, .evidence = StreamsEnd()},
      {.name = "corrupt", .counts = {{"bytes_corrupted"}}, .evidence = OracleNotices()},
      {.name = "drop-response", .counts = {{"frames_swallowed"}}, .evidence = OracleNotices()},
  };
  for (NetworkFault& row : rows) row.ends_streams = EndsStreams::kProxied;
  return rows;
}

std::vector<NetworkFault> Holds() {
  const std::vector<CountInReceipt> frames = {
      {.name = "bytes_withheld", .required_as = "bytes_required"}, {"frames_withheld"}};
  return {
      {.name = "stall",
       .own = {AtLeast("32KiB")},
       .counts = {{.name = "bytes_withheld", .required_as = "bytes_required"}},
       .evidence = NothingArrives(GaugeUse::kInsteadIfPublished)},
      {.name = "hold-stream",
       .own = {AtLeast("1B")},
       .counts = frames,
       .evidence = NothingArrives(GaugeUse::kAlternative)},
      {.name = "hold-created",
       .own = {AtLeast("1B")},
       .counts = frames,
       .evidence = NothingArrives(GaugeUse::kNone)},
      {.name = "withhold-window",
       .direction = Direction::kToTarget,
       .own = {AtLeast("1B")},
       .counts = frames,
       .evidence = NothingArrives(GaugeUse::kAlternative)},
      {.name = "delay-watch", .counts = {{"frames_withheld"}}, .evidence = OneWatchLags()},
      {.name = "late-end",
       .defaults = {{"delay", "300ms"}},
       .counts = {{"connections_touched"}},
       .evidence = EndIsLate()},
      {.name = "late-accept",
       .direction = Direction::kBoth,
       .defaults = {{"delay", "200ms"}},
       .counts = {{"connections_touched", "connections_held", "connections_held_required"}},
       .evidence = CallIsSlow(OneDelay)},
      {.name = "latency",
       .direction = Direction::kBoth,
       .defaults = {{"delay", "10ms"}},
       .counts = {{.name = "bytes_delayed", .required_as = "bytes_delayed_required"}},
       .evidence = CallIsSlow(RoundTrip)},
      {.name = "slice",
       .direction = Direction::kBoth,
       .defaults = {{"size", "16B"}, {"delay", "1ms"}},
       .own = {AtLeast("1KiB")},
       .counts = {{.name = "bytes_sliced", .required_as = "bytes_sliced_required"}},
       .evidence = CallIsSlow(PausesOfACall)},
      {.name = "bandwidth",
       .direction = Direction::kBoth,
       .own = {AtLeast("256KiB")},
       .counts = {{.name = "bytes_throttled", .required_as = "bytes_required"}},
       .evidence = RateIsKept()},
  };
}

const FaultRegistration kNetworkFaults([] {
  std::vector<FaultKind> kinds;
  for (const auto& rows : {Ends(), Holds()}) {
    for (const NetworkFault& row : rows) kinds.push_back(MakeFaultKind(row));
  }
  return kinds;
});

}  // namespace
}  // namespace watchproof
