// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/tamper.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

class Tamper final : public ProxyFault {
 public:
  Tamper(proxy::EffectSpec effect, TamperOptions options)
      : ProxyFault(std::move(effect)), options_(std::move(options)) {}

  bool took_effect() const override { return tampered_ > 0 && (found_ > 0 || closed_ > 0); }

 private:
  void BeforeFault(FaultPorts& ports) override {
    closed_before_ = ports.closed_streams();
    found_before_ = ports.findings();
  }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (tampered_ == 0) return;
    closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
    found_ = std::max(found_, static_cast<std::int64_t>(ports.findings() - found_before_));
  }
  void Note(const proxy::Receipt& receipt) override { tampered_ = receipt.*options_.count; }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {
        {options_.counted_as, tampered_}, {"undecided", found_}, {"streams_closed", closed_}};
    receipt.text = fmt::format(
        "{}: {}; after that, the oracle found {} problems and {} streams of the clients ended",
        options_.counted_as, tampered_, found_, closed_);
  }

  const TamperOptions options_;
  std::int64_t closed_before_ = 0;
  std::size_t found_before_ = 0;
  std::int64_t tampered_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t found_ = 0;
};

}  // namespace

Result<std::unique_ptr<Fault>> MakeTamper(const TamperOptions& options,
                                          const FaultParameters& given) {
  WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                      SpecOf(options.effect, proxy::Direction::kToClient, given));
  return std::make_unique<Tamper>(std::move(spec), options);
}

}  // namespace watchproof
