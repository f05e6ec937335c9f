// SPDX-License-Identifier: Apache-2.0
// The standing promises, asked at the end of one script of many on a real server: others write,
// compact and restart it meanwhile.
//
//   SharedDriver driver(script);
//   AskStandingPromises(driver);
//
// Not thread-safe: the thread of the script. Ownership: borrows the script.
#pragma once

#include "harness/drive/shared/live_script.h"
#include "harness/promises/driver.h"

namespace watchproof::explore {

// As the judge of a recording knows it.
DrivenWatch DrivenIn(const WatchState& watch);

class SharedDriver final : public Driver {
 public:
  explicit SharedDriver(LiveScript& script) : script_(script) {}

  std::vector<DrivenWatch> Watches() override;
  DrivenWatch::State StateOf(WatchRef watch) override;
  Revision head() override { return script_.server_.head(); }
  Revision floor() override { return script_.server_.floor(); }
  Revision oldest() override { return Revision(script_.base_ + 1); }
  KeyRange Own() override;
  std::size_t most_streams() override { return 1; }
  int members() override { return script_.server_.members(); }
  void AskMember(int member, Revision at) override;
  void AskStatus(int member) override;
  std::optional<StreamId> AnyStream() override;
  KeyRange HistoryToWatch(const KeyRange&) override { return Own(); }

  std::string Without(Capability capability) override;
  std::string WithoutReadsAt(Revision) override { return {}; }
  std::string WithoutFuture() override { return {}; }
  bool GivesUp() override { return script_.server_.Gone(); }
  bool Begin(std::string_view promise) override;
  void Leave(std::string_view, std::string) override {}

  WatchRef Create(StreamId stream, const WatchCreate& watch) override;
  void Cancel(WatchRef watch) override;
  void PutEach(const std::set<std::string>& keys) override;
  void DeleteEach(const std::set<std::string>& keys) override;
  void Read(Revision at, Reads reads) override;
  void ListLeases() override { script_.ListLeases(); }

  void RequireProgress(StreamId stream, Progress progress) override;
  void RequireDelivery(const std::vector<WatchRef>& watches) override;
  void Await(const std::function<bool()>& done) override;

 private:
  LiveScript::Stream* StreamOf(StreamId id);

  LiveScript& script_;
  const Judge* judge_ = nullptr;  // while something is awaited
};

}  // namespace watchproof::explore
