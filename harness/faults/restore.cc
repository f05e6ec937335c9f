// SPDX-License-Identifier: Apache-2.0
// The store is lost and restored, on every member, from a snapshot that was saved before: what was
// written since is gone. Clients that have seen it must learn that, which etcd promises with a
// raised revision and everything below it compacted.
#include "harness/faults/fault.h"
#include "harness/targets/probe_snapshot.h"

namespace watchproof {
namespace {

constexpr Duration kLimit = 20s;

class Restoration final : public Fault {
 public:
  explicit Restoration(std::int64_t bump) : bump_(bump) {}

  // Until it is healed the snapshot is all that there is of it.
  bool took_effect() const override { return restored_ ? agree_ && lost_ > 0 : acts_; }

 private:
  Status Act(FaultPorts& ports) override {
    Target& first = *ports.servers.front().target;
    if (const auto program = first.WhatRestores(bump_); !program.has_value()) {
      missing_ = program.error().message();
      return {};
    }
    snapshot_ = first.data_files()->folder / "saved.db";
    WP_ASSIGN_OR_RETURN(const ServerStatus saved, first.Ask(Within(kLimit)));
    saved_ = saved.revision;
    WP_RETURN_IF_ERROR(SaveSnapshot(
        {.endpoint = first.endpoint(), .deadline = Within(kLimit), .token = first.token()},
        snapshot_));
    acts_ = true;
    return {};
  }
  Status Undo(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(const ServerStatus before,
                        ports.servers.front().target->Ask(Within(kLimit)));
    lost_ = before.revision - saved_;
    for (const ServerPorts& server : ports.servers) WP_RETURN_IF_ERROR(server.target->Kill());
    for (const ServerPorts& server : ports.servers) {
      WP_RETURN_IF_ERROR(server.target->BeginFrom(snapshot_, bump_));
    }
    WP_ASSIGN_OR_RETURN(const std::vector<ServerStatus> members, StartTogether(ports));
    restored_ = true;
    agree_ = std::ranges::all_of(members, [&members](const ServerStatus& one) {
      return one.revision == members.front().revision;
    });
    healed_at_ = ports.now();
    // What it must be, and not what the store says. Without a raised revision clients do not learn
    // of it: to them this is the history that it was.
    if (bump_ > 0) ports.restored(saved_, saved_ + bump_);
    return {};
  }

  void Describe(FaultReceipt& receipt) const override {
    receipt.lacks_here = missing_;
    receipt.measured = {{"saved", saved_}, {"restored", restored_}, {"lost_revisions", lost_}};
    receipt.text = fmt::format("a snapshot of revision {} was {}", saved_, How());
  }
  std::string How() const {
    if (!restored_) return "saved, and not restored on every member";
    return fmt::format("restored on every member, {}; {} revisions are lost",
                       agree_ ? "and all are at one revision" : "but they are not at one revision",
                       lost_);
  }

  const std::int64_t bump_;
  std::string missing_;
  std::filesystem::path snapshot_;
  std::int64_t saved_ = 0;  // the revision of the snapshot
  std::int64_t lost_ = 0;   // revisions since
  bool restored_ = false;
  bool agree_ = false;
};

const FaultRegistration kRestore([] {
  return std::vector<FaultKind>{
      {.info = {.name = "restore",
                .explain = "Saves a snapshot of the first member. When it is healed, every member "
                           "is killed and begins with that snapshot, so that what was written in "
                           "between is gone. Took effect if that was anything, and all answer at "
                           "one revision. Needs etcdutl of the release, beside the binary or "
                           "fetched. No leases and no "
                           "writes may be under way.",
                .parameters = {{.name = "bump",
                                .kind = proxy::ParameterKind::kNumber,
                                .default_value = "1000000000",
                                .explain = "By how much the revision is raised, with everything "
                                           "before it compacted; 0: neither."}},
                .ends_streams = EndsStreams::kEvery,
                .parts_members = true},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Restoration>(given.number("bump"));
       }}};
});

}  // namespace
}  // namespace watchproof
