// SPDX-License-Identifier: Apache-2.0
// The standing promises, asked of the store under virtual time.
//
//   VirtualDriver driver(run);
//   AskStandingPromises(driver);
//
// A wait lets the store and its clients go on until neither has anything to do. Not thread-safe.
// Ownership: borrows the run.
#pragma once

#include "harness/explore/stepped/virtual_run.h"
#include "harness/promises/driver.h"

namespace watchproof::explore {

class VirtualDriver final : public Driver {
 public:
  explicit VirtualDriver(VirtualRun& run) : run_(run) {}

  std::vector<DrivenWatch> Watches() override;
  DrivenWatch::State StateOf(WatchRef watch) override;
  Revision head() override { return Revision(run_.head_); }
  Revision floor() override { return Revision(run_.floor_); }
  Revision oldest() override { return Revision(2); }  // a new store is at 1
  KeyRange Own() override { return KeyRange(kOpenEnd, kOpenEnd); }
  std::size_t most_streams() override { return 1; }
  std::optional<StreamId> AnyStream() override { return run_.Open(1).recorded; }
  KeyRange HistoryToWatch(const KeyRange&) override { return Own(); }

  std::string Without(Capability) override { return {}; }
  std::string WithoutReadsAt(Revision) override { return {}; }
  std::string WithoutFuture() override { return {}; }
  bool GivesUp() override { return false; }
  bool Begin(std::string_view) override { return true; }
  void Leave(std::string_view, std::string) override {}

  WatchRef Create(StreamId stream, const WatchCreate& watch) override;
  void Cancel(WatchRef watch) override;
  void PutEach(const std::set<std::string>& keys) override;
  void DeleteEach(const std::set<std::string>& keys) override;
  void Read(Revision at, Reads reads) override;
  void ListLeases() override { run_.ListLeases(); }

  void RequireProgress(StreamId stream, Progress progress) override;
  void RequireDelivery(const std::vector<WatchRef>& watches) override;
  void Await(const std::function<bool()>&) override { run_.Quiet(); }

 private:
  VirtualRun::Stream* StreamOf(StreamId id);
  ClientWatch* Find(WatchRef watch);

  VirtualRun& run_;
};

}  // namespace watchproof::explore
