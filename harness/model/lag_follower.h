// SPDX-License-Identifier: Apache-2.0
// Measures lag from a recording, finished or growing, alongside the judge that reads it.
//
//   LagFollower follower;
//   Judge judge(options, &follower);
//   judge.Consume(line);  follower.Consume(line);   // every line, in order
//   const Lag lag = follower.Summary();
//
// It only observes the judge's parser, so no measurement can influence a verdict. Not thread-safe.
// Ownership: keeps no message.
#pragma once

#include "harness/history/history_parser.h"
#include "harness/model/lag.h"

namespace watchproof {

class LagFollower final : public HistoryObserver {
 public:
  // Lines that are no watch messages: calls, faults and annotations.
  void Consume(const NumberedEntry& line);
  Lag Summary() const { return meter_.Summary(); }

  void ObserveAsked(WatchIndex watch, const Asked& asked) override { meter_.Asked(watch, asked); }
  void ObserveDelivered(WatchIndex watch, const Response& response) override {
    meter_.Delivered(watch, response);
  }
  void ObserveResumption(const Resumption& resumption) override {
    meter_.Continues(resumption.next_stream, resumption.next_ordinal);
  }
  void ObserveControlEvents(const Response& response) override;
  void ObserveForgotten(Revision below) override { meter_.Forget(below); }

 private:
  LagMeter meter_;
};

}  // namespace watchproof
