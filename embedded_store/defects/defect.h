// SPDX-License-Identifier: Apache-2.0
// Deliberate bugs of the embedded store: what each does, and the guarantees that must catch it.
//
//   for (const DefectInfo& info : KnownDefects()) ...
//   StoreServer::Start({.defects = {"compaction-notice-lost"}});
//
// A defect is one file: a class that overrides one hook, and a DefectRegistration at its end. An
// executable that offers defects links this folder itself, because the registrations would be
// dropped from an archive. Threads: registration happens before main; afterwards all is read-only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/hook_registry.h"
#include "embedded_store/mvcc/hooks.h"

namespace watchproof::store {

struct DefectInfo {
  std::string name;
  std::string explain;                  // a paragraph in plain language
  std::string upstream_issue;           // "#17529"
  std::vector<std::string> guarantees;  // that must catch it, such as "CompactionSurfaced"
};

// Sorted by name.
std::vector<DefectInfo> KnownDefects();

class DefectRegistration {
 public:
  DefectRegistration(DefectInfo info, WrapHooks wrap);
};

// Forwards every hook to the next hooks; the base of defects, so that several can be switched on
// together.
class PassOn : public Hooks {
 public:
  explicit PassOn(std::unique_ptr<Hooks> next) : next_(std::move(next)) {}
  FloorDelete OnDeleteAtFloor() override { return next_->OnDeleteAtFloor(); }
  LoneDelete OnLoneDelete() override { return next_->OnLoneDelete(); }
  Recreation OnRecreation() override { return next_->OnRecreation(); }
  LeaseEnd OnLeaseEnd() override { return next_->OnLeaseEnd(); }
  Revision OnPreviousSought(Revision mod) override { return next_->OnPreviousSought(mod); }
  void OnCreate(WatchSpec& spec) override { next_->OnCreate(spec); }
  NegativeStart OnNegativeStart() override { return next_->OnNegativeStart(); }
  WatchId OnRefused() override { return next_->OnRefused(); }
  CancelReach OnCancel() override { return next_->OnCancel(); }
  WatchId OnAddressed(WatchId id) override { return next_->OnAddressed(id); }
  Early OnEarlyEvents() override { return next_->OnEarlyEvents(); }
  Early OnEarlyProgress() override { return next_->OnEarlyProgress(); }
  Revision OnHistoryGiven(Revision position, Revision last) override {
    return next_->OnHistoryGiven(position, last);
  }
  Revision OnVictimServed(Revision position, Revision newest) override {
    return next_->OnVictimServed(position, newest);
  }
  Revision OnNotice(Revision floor) override { return next_->OnNotice(floor); }
  AfterNotice OnNoticeSent() override { return next_->OnNoticeSent(); }
  EarlyRequest OnEarlyRequest() override { return next_->OnEarlyRequest(); }
  PreviousGone OnPreviousGone() override { return next_->OnPreviousGone(); }
  ReplyCut OnSeveralEvents() override { return next_->OnSeveralEvents(); }
  LastPart OnLastPart() override { return next_->OnLastPart(); }
  NoticeFate OnNoticeRefused() override { return next_->OnNoticeRefused(); }
  ProgressTiming OnProgressRequested() override { return next_->OnProgressRequested(); }
  KeyRange OnWatchAuthorized(const KeyRange& range) override {
    return next_->OnWatchAuthorized(range);
  }

 private:
  std::unique_ptr<Hooks> next_;
};

template <typename T>
std::unique_ptr<Hooks> Wrap(std::unique_ptr<Hooks> next) {
  return std::make_unique<T>(std::move(next));
}

}  // namespace watchproof::store
