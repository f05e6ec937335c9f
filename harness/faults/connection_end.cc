// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/connection_end.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

class ConnectionEnd final : public ProxyFault {
 public:
  ConnectionEnd(proxy::EffectSpec effect, ConnectionEndOptions options)
      : ProxyFault(std::move(effect)), options_(std::move(options)) {}

  bool took_effect() const override { return ended_ > 0 && closed_ > 0; }

 private:
  void BeforeFault(FaultPorts& ports) override { closed_before_ = ports.closed_streams(); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    // Streams may end for other reasons. Only one that ended after the connection is evidence.
    if (ended_ > 0) closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
  }
  void Note(const proxy::Receipt& receipt) override { ended_ = receipt.*options_.count; }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{options_.counted_as, ended_}, {"streams_closed", closed_}};
    receipt.text = fmt::format("{} connections {}; {} streams of the clients ended", ended_,
                               options_.done, closed_);
  }

  const ConnectionEndOptions options_;
  std::int64_t closed_before_ = 0;
  std::int64_t ended_ = 0;
  std::int64_t closed_ = 0;
};

}  // namespace

Result<std::unique_ptr<Fault>> MakeConnectionEnd(const ConnectionEndOptions& options,
                                                 const FaultParameters& given) {
  WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                      SpecOf(options.effect, proxy::Direction::kToClient, given));
  return std::make_unique<ConnectionEnd>(std::move(spec), options);
}

std::vector<FaultParameterInfo> ConnectionEndParameters() {
  return {{"future", "no", "yes: also connections that come later, until healed"},
          {"after-bytes", "0B", "after so many more bytes from the target; 0B is at once"},
          {"after", "0s", "after so much time; 0s means that only bytes count"}};
}

}  // namespace watchproof
