// SPDX-License-Identifier: Apache-2.0
// The target defragments its backend, and may answer no calls meanwhile.
#include <algorithm>
#include <future>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class Defragment final : public Fault {
 public:
  Defragment(std::int64_t member, std::int64_t at_least, bool background)
      : member_(member), at_least_(at_least), background_(background) {}
  bool took_effect() const override {
    if (at_least_ == 0 && !background_) return true;
    return done_ && (at_least_ == 0 || freed_ >= at_least_);
  }

 private:
  Status Act(FaultPorts& ports) override {
    if (!ports.defragment) {
      return Fail(StatusCode::kUnimplemented, "defragment: others use this target too");
    }
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
    before_ = Size(ports, *server);
    // Another fault may end the target meanwhile, or has done so: then it would be waited for.
    cut_off_ = std::ranges::any_of(ports.servers, &AtCrashPoint);
    if (cut_off_) return {};
    answer_ = std::async(std::launch::async, ports.defragment(member_));
    acts_ = background_;
    return background_ ? Status() : Take(ports);
  }
  void Look(FaultPorts& ports) override {
    if (!answer_.valid() || answer_.wait_for(0s) != std::future_status::ready) return;
    refusal_ = Take(ports);
  }
  Status Undo(FaultPorts& ports) override { return answer_.valid() ? Take(ports) : refusal_; }
  // Blocks until there is an answer.
  Status Take(FaultPorts& ports) {
    const Status answer = answer_.get();
    healed_at_ = ports.now();  // there is nothing to undo
    cut_off_ = IsNoAnswer(answer.code());
    if (cut_off_) return {};
    WP_RETURN_IF_ERROR(AsRefusal(answer));
    done_ = true;
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
    const auto after = Size(ports, *server);
    if (before_ && after) freed_ = *before_ - *after;
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    const Duration took = std::max(Duration(0), healed_at_ - armed_at());
    receipt.measured = {{"member", member_},
                        {"bytes_freed", freed_},
                        {"bytes_required", at_least_},
                        {"milliseconds", took / 1ms}};
    if (!done_) {
      receipt.text = cut_off_ ? "the target ended before it answered" : "it was not answered";
      return;
    }
    receipt.text = fmt::format(
        "the backend size that the target publishes fell by {} bytes (at least {} required)",
        freed_, at_least_);
    if (background_) receipt.text += fmt::format("; it took {} ms", took / 1ms);
  }
  static std::optional<std::int64_t> Size(FaultPorts& ports, ServerPorts& server) {
    constexpr std::string_view kSize = "etcd_mvcc_db_total_size_in_bytes";
    const bool first = &server == &ports.servers.front();
    const auto size = first ? ports.metric(kSize) : server.target->Metric(kSize);
    if (!size) return std::nullopt;
    return static_cast<std::int64_t>(*size);
  }

  const std::int64_t member_;
  const std::int64_t at_least_;
  const bool background_;
  std::future<Status> answer_;
  Status refusal_;
  bool done_ = false;
  bool cut_off_ = false;
  std::optional<std::int64_t> before_;
  std::int64_t freed_ = 0;
};

const FaultRegistration kDefragment([] {
  return std::vector<FaultKind>{
      {.info = {.name = "defragment",
                .explain = "The target, or one member of it, defragments its backend. Took effect "
                           "if the size that it publishes fell by enough, which needs an earlier "
                           "compaction. Never used on a target that others use, too.",
                .parameters = {MemberParameter("member", "1"),
                               {.name = "at-least",
                                .kind = proxy::ParameterKind::kBytes,
                                .default_value = "64KiB",
                                .explain = "Bytes that must have been freed for it to count; 0: it "
                                           "counts in any case."},
                               {.name = "background",
                                .kind = proxy::ParameterKind::kYesNo,
                                .default_value = "no",
                                .explain = "Whether the run goes on meanwhile, until the fault is "
                                           "healed."}}},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Defragment>(given.number("member"), given.bytes("at-least"),
                                             given.yes("background"));
       }}};
});

}  // namespace
}  // namespace watchproof
