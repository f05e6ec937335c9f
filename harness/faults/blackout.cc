// SPDX-License-Identifier: Apache-2.0
// The power of all members of a cluster fails at once: what none of them has synced is gone, what
// was acknowledged must not be. Then they are started together, since none serves alone.
#include "harness/faults/fault.h"
#include "harness/faults/kept.h"

namespace watchproof {
namespace {

class Blackout final : public Fault {
 public:
  Blackout(proxy::Kept kept, bool stay_down, std::int64_t at_least)
      : kept_(kept), stay_down_(stay_down), at_least_(at_least) {}

  bool took_effect() const override { return started_ && writes_ >= at_least_; }

 private:
  Status Act(FaultPorts& ports) override {
    std::vector<proxy::Disk*> disks;
    for (ServerPorts& server : ports.servers) {
      WP_ASSIGN_OR_RETURN(disks.emplace_back(), DiskOf(server));
    }
    acts_ = true;
    for (const ServerPorts& server : ports.servers) WP_RETURN_IF_ERROR(server.target->Kill());
    ended_ = true;
    for (proxy::Disk* const disk : disks) {
      WP_ASSIGN_OR_RETURN(const proxy::Loss loss, disk->LosePower(kept_));
      writes_ += loss.writes;
      ++kept_.seed;
    }
    return stay_down_ ? Status() : StartAll(ports);
  }
  Status Undo(FaultPorts& ports) override { return started_ ? Status() : StartAll(ports); }

  Status StartAll(FaultPorts& ports) {
    WP_ASSIGN_OR_RETURN([[maybe_unused]] const auto all, StartTogether(ports));
    started_ = true;
    healed_at_ = ports.now();
    return {};
  }

  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"killed", ended_}, {"lost_writes", writes_}};
    receipt.text = fmt::format(
        "the power of all members failed, and {} writes that were not synced are lost (at least {} "
        "required); {}",
        writes_, at_least_, started_ ? "every member answers" : "not all are back");
  }

  proxy::Kept kept_;
  const bool stay_down_;
  const std::int64_t at_least_;
  std::int64_t writes_ = 0;
  bool ended_ = false;
  bool started_ = false;
};

const FaultRegistration kBlackout([] {
  return std::vector<FaultKind>{
      {.info = {.name = "blackout",
                .explain = "Kills every member of a cluster at once, takes back what each did to "
                           "its files and did not sync, and starts all of them. Took effect if "
                           "each has ended and answers again, and enough was lost.",
                .parameters = With({{.name = "at-least",
                                     .kind = proxy::ParameterKind::kNumber,
                                     .default_value = "0",
                                     .explain = "How many writes must be lost for it to count."},
                                    StayDownParameter()},
                                   KeptParameters()),
                .on_disk = true,
                .ends_streams = EndsStreams::kEvery,
                .parts_members = true},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Blackout>(KeptIn(given), given.yes("stay-down"),
                                           given.number("at-least"));
       }}};
});

}  // namespace
}  // namespace watchproof
