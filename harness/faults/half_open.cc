// SPDX-License-Identifier: Apache-2.0
// One end of a connection is gone and the other end is not notified, as after a machine crash.
#include <algorithm>
#include <utility>

#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

constexpr std::string_view kWatchers = "etcd_debugging_mvcc_watcher_total";

class HalfOpen final : public ProxyFault {
 public:
  // `direction` is that in which the receiver is gone.
  HalfOpen(proxy::EffectSpec effect, proxy::Direction direction)
      : ProxyFault(std::move(effect)), direction_(direction) {}

  bool took_effect() const override {
    if (opened_ == 0) return false;
    if (direction_ == proxy::Direction::kToClient) return closed_ > 0 && swallowed_ > 0;
    return closed_ == 0 && gap_ >= kLeastGap && (!watchers_before_ || fewer_ > 0);
  }

 private:
  void BeforeFault(FaultPorts& ports) override {
    closed_before_ = ports.closed_streams();
    watchers_before_ = ports.metric(kWatchers);
    for (const proxy::ConnectionInfo& one : ports.proxies->Connections(ports.path)) {
      if (one.live()) there_.push_back(one.id);
    }
  }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (opened_ == 0) return;
    closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
    gap_ = std::max(gap_, std::min(ports.silence(), Duration(ports.now() - armed_at())));
    const auto watchers = ports.metric(kWatchers);
    if (!watchers || !watchers_before_) return;
    fewer_ = std::max(fewer_, static_cast<std::int64_t>(*watchers_before_ - *watchers));
  }
  void Note(const proxy::Receipt& receipt) override {
    opened_ = receipt.connections_half_opened;
    swallowed_ = receipt.bytes_swallowed;
  }
  // The end that is still open would wait for ever.
  Status AfterHeal(FaultPorts& ports) override {
    for (const proxy::ConnectionId connection : there_) {
      const auto cut = ports.proxies->Arm(ports.path, {.kind = "cut", .connection = connection});
      if (!cut.has_value()) return cut.error();
    }
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    const auto gap = std::chrono::duration_cast<std::chrono::milliseconds>(gap_).count();
    receipt.measured = {{"connections_half_opened", opened_},
                        {"bytes_swallowed", swallowed_},
                        {"streams_closed", closed_},
                        {"watchers_fewer", fewer_},
                        {"gap_ms", gap}};
    if (direction_ == proxy::Direction::kToClient) {
      receipt.text = fmt::format(
          "{} connections without their clients; {} streams of these ended, and {} more bytes of "
          "the target were dropped",
          opened_, closed_, swallowed_);
      return;
    }
    receipt.text = fmt::format(
        "{} connections without the target, which counts {} fewer watchers; {} streams of the "
        "clients ended, and nothing arrived for {} ms",
        opened_, fewer_, closed_, gap);
  }

  const proxy::Direction direction_;
  std::vector<proxy::ConnectionId> there_;
  std::int64_t closed_before_ = 0;
  std::optional<double> watchers_before_;
  std::int64_t opened_ = 0;
  std::int64_t swallowed_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t fewer_ = 0;
  Duration gap_{};
};

const FaultRegistration kHalfOpen{{
    .info = {.name = "half-open",
             .explain = "Removes one end of the existing connections without notice to the other "
                        "end; healing closes what is left of them. With the client gone it took "
                        "effect if a watch stream of the clients ended and the target continued "
                        "to send. With the target gone it took effect if the target counts fewer "
                        "watchers than before, while no stream of the clients ended and nothing "
                        "arrived for 100 ms.",
             .parameters = {{"gone", "client", "client or target"},
                            {"after", "0s", "how long after the arming"}},
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      FaultParameters rest = given;
      const std::string gone = rest.extract("gone").mapped();
      if (gone != "client" && gone != "target") {
        return Fail(StatusCode::kInvalidArgument,
                    "half-open: gone is \"{}\"; expected client or target", gone);
      }
      const auto direction =
          gone == "client" ? proxy::Direction::kToClient : proxy::Direction::kToTarget;
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, SpecOf("half-open", direction, rest));
      return std::make_unique<HalfOpen>(std::move(spec), direction);
    },
}};

}  // namespace
}  // namespace watchproof
