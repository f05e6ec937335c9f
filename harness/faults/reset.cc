// SPDX-License-Identifier: Apache-2.0
// The connections of the faulted road are gone from one moment to the next, with RST towards both
// sides. Felt when the proxy has cut at least one and the client's own streams say that they ended:
// a cut that nobody was connected to notice proves nothing.
#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

class Reset final : public ProxyFault {
 public:
  // What the target sends is what is counted for "after-bytes"; a reset itself hits both sides.
  Reset(bool future, std::int64_t after_bytes)
      : ProxyFault({.kind = "cut",
                    .direction = proxy::Direction::kToClient,
                    .parameters = {{"future", future ? "yes" : "no"},
                                   {"after-bytes", fmt::format("{}B", after_bytes)}}}) {}

  bool felt() const override { return cut_ > 0 && closed_ > 0; }

 private:
  void BeforeHarm(FaultPorts& ports) override { closed_before_ = ports.closed_streams(); }

  void Look(FaultPorts& ports) override {
    Peek(ports);
    // Streams may end without us. Only what ended after the cut is a witness.
    if (cut_ > 0) closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
  }

  void Note(const proxy::Receipt& receipt) override { cut_ = receipt.connections_cut; }

  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"connections_cut", cut_}, {"streams_closed", closed_}};
    receipt.text =
        fmt::format("{} connections reset; {} streams of the clients ended", cut_, closed_);
  }

  std::int64_t closed_before_ = 0;
  std::int64_t cut_ = 0;
  std::int64_t closed_ = 0;
};

const FaultRegistration kReset{{
    .info = {.name = "reset",
             .explain = "Resets the connections of the road between clients and target that exist "
                        "at that moment, once, with RST towards both sides; those that come later "
                        "are spared unless asked. Felt when at least one connection was cut and a "
                        "watch stream of the clients ended after it.",
             .parameters = {{"future", "no", "yes: also those that come later, until healed"},
                            {"after-bytes", "0B",
                             "cut when the target has sent so many more bytes; 0B is at once"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const bool future, proxy::ParseYesNo(given.at("future")));
      WP_ASSIGN_OR_RETURN(const std::int64_t bytes, proxy::ParseBytes(given.at("after-bytes")));
      return std::make_unique<Reset>(future, bytes);
    },
}};

}  // namespace
}  // namespace watchproof
