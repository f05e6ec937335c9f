// SPDX-License-Identifier: Apache-2.0
// Measures lag from the lines of a recording, finished or growing.
//
//   LagFollower follower;
//   follower.Consume(line);                 // every line, in order
//   const Lag lag = follower.Summary();
//
// It stands apart from the judge, so that nothing measured can reach a verdict. Not thread-safe.
#pragma once

#include "harness/history/narrator.h"
#include "harness/model/lag.h"

namespace watchproof {

class LagFollower final : private Audience {
 public:
  void Consume(const NumberedEntry& line);
  Lag Summary() const { return meter_.Summary(); }

 private:
  void OnAsked(WatchIndex watch, const Asked& asked) override { meter_.Asked(watch, asked); }
  void OnCancelAsked(WatchIndex, Where) override {}
  void OnCreated(WatchIndex, const Response&) override {}
  void OnRefused(WatchIndex, const Response&) override {}
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override {
    meter_.Delivered(watch, *response);
  }
  void OnProgress(WatchIndex, const Response&) override {}
  void OnCompacted(WatchIndex, const Response&) override {}
  void OnCancelled(WatchIndex, const Response&) override {}
  void OnAfterwards(WatchIndex, const Response&) override {}
  void OnStray(const Response&) override {}
  void OnResumption(const Resumption& resumption) override {
    meter_.Continues(resumption.next_stream, resumption.next_ordinal);
  }
  void OnRightGiven(const RightGiven&) override {}
  void OnStreamEnded(WatchIndex, const StreamEnd&) override {}
  void OnHeader(Revision) override {}
  void OnWitnessed(const Response& response) override;
  void OnUnreadable(Where, const Status&) override {}

  LagMeter meter_;
  Narrator narrator_{*this};
};

}  // namespace watchproof
