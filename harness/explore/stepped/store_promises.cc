// SPDX-License-Identifier: Apache-2.0
// What only the store under virtual time can be asked, beside the standing promises: its counters,
// snapshots of it, a disk that is full, and restarts.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "embedded_store/mvcc/store_hash.h"
#include "harness/base/check.h"
#include "harness/explore/stepped/store_operations.h"
#include "harness/explore/stepped/virtual_driver.h"
#include "harness/explore/stepped/virtual_run.h"
#include "harness/promises/promise.h"

namespace watchproof::explore {
namespace {

constexpr int kTurnsAtOnce = 3000;
constexpr int kRounds = 300;
constexpr std::int64_t kLongLease = 9;
constexpr std::int64_t kAllWrites = 1 << 20;
constexpr const char* kProbe = "a/1";
constexpr const char* kOther = "a/2";
constexpr const char* kBeyond = "a0";
constexpr const char* kLast = "b";

}  // namespace

void VirtualRun::AskAtTheEnd() {
  Quiet();
  CompareCounters();
  recording_.Annotate(StageReached{Stage::kHealed});
  WriteMore();
  VirtualDriver driver(*this);
  AskStandingPromises(driver);
  RestoreSnapshot();
  SpoilSnapshot();
  RunStep(Put{.key = kProbe});
  Quiet();
  CompareCounters();
  FillUp();
  RunStep(Compact{});
  Quiet();
  RestartTwice();
  if (lost_) return;
  ReadBack();
  CompareCounters();
  recording_.Annotate(StageReached{Stage::kConverged});
  recording_.Annotate(StageReached{Stage::kEnd});
}

// Until the store and its clients have nothing more to do; a store that never gets there is stopped
// at some point.
void VirtualRun::Quiet() {
  for (std::int64_t round = 0; QuietRound() && round < kRounds + head_; ++round) continue;
}

bool VirtualRun::QuietRound() {
  recording_.Advance(1ms);
  ExpireLeases();
  while (expiry_due_ == Now()) expiry_due_ = lessor_->ExpireStep(Now());
  for (int i = 0; i < kTurnsAtOnce && store_->CompactStep(); ++i) continue;
  disk_.Sync(SIZE_MAX);
  CommitNews();
  ReceiveControl();
  for (int i = 0; i < kTurnsAtOnce && hub_->SyncStep(Now()) == Now(); ++i) continue;
  for (int i = 0; i < kTurnsAtOnce && hub_->VictimStep(Now()) == Now(); ++i) continue;
  ReceiveControl();
  std::size_t taken = 0;
  for (Stream& stream : streams_) {
    if (stream.open) taken += ReceiveFrom(stream, SIZE_MAX);
  }
  return taken > 0 || hub_->has_unsynced() || hub_->has_victims() || !disk_.idle();
}

// Whatever is watched: the promises find a history that goes on.
void VirtualRun::WriteMore() {
  for (const char* key : {kProbe, kOther, kBeyond, kLast}) RunStep(Put{.key = key});
  RunStep(Delete{.key = kProbe, .end = kBeyond});
  Quiet();
}

// So that the store's timers run.
void VirtualRun::PassInterval() {
  RunStep(Advance{script_.limits.progress_ms});
  RunStep(Turn{Loop::kProgress});
  Quiet();
}

// A watch that has just been given events gets no periodic progress beside them.
void VirtualRun::WriteBetweenNotices() {
  std::vector<std::pair<ClientWatch*, std::int64_t>> notices;
  for (Stream& stream : streams_) {
    if (!stream.open) continue;
    for (ClientWatch& watch : stream.watches) {
      watch.fed = false;
      notices.emplace_back(&watch, watch.notices);
    }
  }
  RunStep(Put{.key = kProbe});
  Quiet();
  PassInterval();
  for (const auto& [watch, before] : notices) {
    if (watch->fed) answers_.CompareNumbers("notices to a busy watch", before, watch->notices);
  }
}

void VirtualRun::ReadBack() {
  RunStep(Get{.end = "*"});
  RunStep(Get{.end = "*", .at = {Place::From::kFloor, 0}});
}

// What a lease holds, and which there are.
void VirtualRun::ListLeases() {
  const std::vector<std::int64_t> listed = lessor_->List();
  answers_.CompareTexts("the leases that were granted and have not ended to be listed",
                        ToText(reference_.Leases()), ToText(listed));
  for (const std::int64_t lease : listed) {
    answers_.Compare("a question for a lease", reference_.Find(lease, Now()),
                     lessor_->Find(lease, Now()));
  }
}

// The numbers that the store shows of its streams and watches. Requires: nothing is pending.
void VirtualRun::CompareCounters() {
  std::int64_t open = control_.open ? 1 : 0;
  std::int64_t watches = open;
  for (const Stream& stream : streams_) {
    open += stream.open ? 1 : 0;
    watches += stream.open ? stream.kept_watches : 0;
  }
  answers_.CompareNumbers("streams", open, hub_->counters().streams);
  answers_.CompareNumbers("watches", watches, hub_->counters().watchers);
  answers_.CompareNumbers("watches that are behind", 0, hub_->counters().slow_watchers);
  answers_.CompareNumbers("pending events", 0, hub_->counters().pending_events);
  answers_.CompareNumbers("calls without an answer", 0, outstanding_.size());
  answers_.CompareNumbers("changes that are kept", reference_.KeptChanges(), store_->size());
}

// Equal for members with the same history, different where it differs.
void VirtualRun::CompareHashes(const store::MvccStore& restored) {
  const auto hash = [](const store::MvccStore& of, std::int64_t to) {
    const auto reader = of.Read();
    return store::HashChanges(**reader, Revision(to)).value();
  };
  answers_.CompareNumbers("a member's hash", hash(*store_, head_), hash(restored, head_));
  if (head_ == 1) return;
  const bool same = hash(*store_, head_) == hash(*store_, head_ - 1);
  answers_.CompareNumbers("hashes that do not depend on the last change", 0, same ? 1 : 0);
}

void VirtualRun::CopyTo(VirtualDisk& disk) const {
  const auto snapshot = store_->Read();
  WP_CHECK(snapshot.has_value() && disk.Fill(**snapshot).ok(), "all of it is in memory");
}

// A store that is given a snapshot of this one answers as this one does.
void VirtualRun::RestoreSnapshot() {
  VirtualDisk copy;
  CopyTo(copy);
  store::MvccStore restored(copy, hooks_);
  const Status whole = restored.Recover();
  answers_.CompareTexts("a snapshot to be whole", ToText(Status()), ToText(whole));
  if (!whole.ok()) return;
  CompareHashes(restored);
  const std::int64_t floor = std::max<std::int64_t>(floor_, 1);
  for (const std::int64_t at : {floor - 1, floor, head_ - 1, head_, head_ + 1}) {
    const store::RangeQuery query{.range = RangeOf("*", "*"), .at = Revision(at)};
    answers_.Compare("a read of a restored store", reference_.Range(query), restored.Range(query));
  }
  answers_.CompareNumbers("changes in a snapshot", reference_.KeptChanges(), restored.size());
  store::Lessor lessor(restored, lease_limits_, Prng(1));
  const Status leases = lessor.Recover(Now());
  answers_.CompareTexts("the leases of a snapshot to be whole", ToText(Status()), ToText(leases));
  if (leases.ok()) CompareLeases(lessor);
}

// As after a restart.
void VirtualRun::CompareLeases(const store::Lessor& restored) {
  ReferenceStore expected = reference_;
  expected.Restart(store::Ticket(UINT64_MAX), Now());
  answers_.CompareTexts("a restored store to have the same leases", ToText(expected.Leases()),
                        ToText(restored.List()));
  for (const std::int64_t lease : expected.Leases()) {
    answers_.Compare("a question for a restored lease", expected.Find(lease, Now()),
                     restored.Find(lease, Now()));
  }
}

// A store with an unreadable entry does not start, whichever entry it is.
void VirtualRun::SpoilSnapshot() {
  using store::Bucket;
  using Part = VirtualDisk::Part;
  constexpr Part kParts[] = {Part::kKey, Part::kKeyLength, Part::kValue};
  constexpr Bucket kBuckets[] = {Bucket::kChange, Bucket::kLease, Bucket::kMeta};
  const Bucket bucket = kBuckets[head_ % std::ssize(kBuckets)];
  // Other keys are allowed beside those that are known.
  const auto part =
      bucket == Bucket::kMeta ? Part::kValue : kParts[values_.given % std::ssize(kParts)];
  VirtualDisk copy;
  CopyTo(copy);
  if (!copy.Spoil(bucket, part).value()) return;
  store::MvccStore restored(copy, hooks_);
  Status status = restored.Recover();
  store::Lessor lessor(restored, lease_limits_, Prng(1));
  if (status.ok()) status = lessor.Recover(Now());
  answers_.CompareTexts("an unreadable entry to be refused", Name(StatusCode::kDataLoss),
                        Name(status.code()));
}

// A disk that was full once takes nothing more; what makes room is done.
void VirtualRun::FillUp() {
  const std::int64_t room = script_.limits.room;
  if (room == 0 || !script_.limits.disk || controlled_) return;
  RunStep(Put{.key = kProbe, .bytes = room + 1});
  RunStep(Grant{});
  RunStep(Grant{});
  RunStep(Delete{.key = kProbe});
  RunStep(Txn{.then = {{.kind = TxnPart::Kind::kDelete, .key = kOther}}});
}

// What was answered outlives a restart, and what was answered after one outlives the next.
void VirtualRun::RestartTwice() {
  if (!script_.limits.disk) return;
  if (script_.limits.checkpoints) RunStep(Grant{.lease = kLongLease, .seconds = 60});
  RunStep(Advance{1000});
  RunStep(Turn{Loop::kCheckpoint});
  RunStep(Crash{.kept = kAllWrites});
  ReadBack();
  if (lost_) return;
  for (const std::int64_t lease : lessor_->List()) RunStep(KeepAlive{lease});
  RunStep(Crash{.kept = kAllWrites});
}

}  // namespace watchproof::explore
