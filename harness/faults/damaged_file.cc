// SPDX-License-Identifier: Apache-2.0
// A file of one member of a cluster is damaged: the member is killed, bits or the tail of its log,
// its database or another file change, and it is started again.
//
// Took effect when bytes have changed, and the new process answers or has ended by itself: a store
// that notices the damage refuses to start. One that starts must serve the truth, which is for the
// guarantees to find. Nothing that the cluster acknowledged may be lost, as the disks of the other
// members are whole.
#include "harness/faults/damaged_start.h"
#include "harness/faults/fault.h"
#include "proxies/disk/damage.h"

namespace watchproof {
namespace {

using proxy::ParameterInfo;
using proxy::ParameterKind;
using proxy::ParameterValues;

constexpr std::size_t kLeastMembers = 3;

struct DamagedFileOptions {
  std::int64_t member = 1;
  std::string files;
  proxy::DamageHow how{};
  std::int64_t bits = 3;
  std::uint64_t draw = 1;
  bool stay_down = false;
};

class DamagedFile final : public Fault {
 public:
  explicit DamagedFile(DamagedFileOptions options) : options_(std::move(options)) {}

  bool took_effect() const override { return damage_ && start_ && start_->decided(); }

 private:
  Status Act(FaultPorts& ports) override {
    if (ports.servers.size() < kLeastMembers) {
      return Fail(StatusCode::kUnimplemented,
                  "most disks must be whole: of {} members none is damaged", ports.servers.size());
    }
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, options_.member));
    target_ = server->target;
    const auto files = target_->data_files();
    if (!files) return Fail(StatusCode::kUnimplemented, "the files of this target are not known");
    WP_RETURN_IF_ERROR(target_->Kill());
    auto damage = proxy::DamageFile({.folder = files->folder,
                                     .classes = files->classes,
                                     .files = options_.files,
                                     .how = options_.how,
                                     .bits = options_.bits,
                                     .seed = options_.draw});
    if (!damage.has_value() && damage.error().code() != StatusCode::kNotFound) {
      return damage.error();
    }
    if (damage.has_value()) damage_ = *std::move(damage);
    if (!damage_) none_ = damage.error().message();
    acts_ = true;
    if (!damage_) {  // then it is a kill
      const auto again = StartAgain(*target_);
      return again.has_value() ? Status() : again.error();
    }
    start_.emplace(*target_, [this] { return proxy::PutBack(*damage_); });
    WP_RETURN_IF_ERROR(start_->Start());
    return options_.stay_down ? Status() : Mend(ports);
  }
  void Look(FaultPorts&) override {
    if (start_) start_->Look();
  }
  // Also where it ended after it had answered.
  Status Undo(FaultPorts& ports) override { return start_ ? Mend(ports) : Status(); }
  Status Mend(FaultPorts& ports) {
    if (start_->gave_up()) healed_at_ = ports.now();
    return start_->Mend();
  }

  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"member", options_.member}};
    if (!damage_) {
      receipt.text = none_.empty() ? "no file was damaged" : none_;
      return;
    }
    receipt.measured["damaged_bytes"] = damage_->bytes;
    receipt.text = damage_->text;
    if (start_) start_->Describe(receipt);
  }

  const DamagedFileOptions options_;
  Target* target_ = nullptr;
  std::optional<proxy::Damage> damage_;
  std::string none_;  // why there is none
  std::optional<DamagedStart> start_;
};

const FaultRegistration kDamagedFile([] {
  return std::vector<FaultKind>{
      {.info = {.name = "damaged-file",
                .explain =
                    "Kills the process of one member of a cluster of three or more, damages one of "
                    "its files, and starts it again. Of the files that `files` describes it is the "
                    "one that was written last. The member must refuse to start, or serve what the "
                    "others serve. One that has ended by itself gets its file back as it was and "
                    "is started again: at once, or when healed. Took effect if bytes have changed, "
                    "and the new process answers or has ended by itself.",
                .parameters = {MemberParameter(),
                               {.name = "files",
                                .kind = ParameterKind::kText,
                                .default_value = "log",
                                .explain = "Which files: all, the name of a class of files (log, "
                                           "database, snapshot), or names below the folder with * "
                                           "for any characters and | between alternatives."},
                               {.name = "how",
                                .kind = ParameterKind::kWord,
                                .default_value = "bits",
                                .explain = "Bits are flipped, the tail is cut off, or a sector or "
                                           "page is zero.",
                                .words = {"bits", "tail", "zero"}},
                               {.name = "bits",
                                .kind = ParameterKind::kNumber,
                                .default_value = "3",
                                .explain = "How many are flipped.",
                                .least = 1,
                                .most = 1000},
                               {.name = "draw",
                                .kind = ParameterKind::kNumber,
                                .default_value = "1",
                                .explain = "From what the damaged bytes are drawn."},
                               {.name = "stay-down",
                                .kind = ParameterKind::kYesNo,
                                .default_value = "no",
                                .explain = "Whether a member that has refused to start is started "
                                           "only when healed."}},
                .ends_streams = EndsStreams::kEvery,
                .parts_members = true},
       .make = [](const ParameterValues& given) {
         return std::make_unique<DamagedFile>(
             DamagedFileOptions{.member = given.number("member"),
                                .files = given.text("files"),
                                .how = static_cast<proxy::DamageHow>(given.word("how")),
                                .bits = given.number("bits"),
                                .draw = static_cast<std::uint64_t>(given.number("draw")),
                                .stay_down = given.yes("stay-down")});
       }}};
});

}  // namespace
}  // namespace watchproof
