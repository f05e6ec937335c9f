// SPDX-License-Identifier: Apache-2.0
// A frame stage that judges the responses of one watch stream one by one.
//
// DATA frames are cut where a judged response begins and ends, and nowhere else. A response is
// judged when its watch id has been read; until then its few bytes wait. Two responses are never
// mixed: while one is on its way, in part, no other one may go.
//
// Threads: the io thread only. Ownership: as FrameStage.
#pragma once

#include <optional>
#include <vector>

#include "proxies/http2/held_units.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {

class MessageStage : public AimedFrameStage {
 public:
  using AimedFrameStage::AimedFrameStage;

  void Push(Unit unit, TimePoint now, FrameOutlet& out) final;
  // Overriders call this one last.
  void Release(TimePoint now, FrameOutlet& out) override;

 protected:
  enum class Verdict { kPass, kTake };
  // Once for each response, when its head has been read. Unreadable ones have no content and pass.
  virtual Verdict Judge(const WatchFacts& facts, TimePoint now) = 0;
  // A part of a response for which Judge returned kTake.
  virtual void Take(Unit part, TimePoint now, FrameOutlet& out) = 0;
  // The wire is between two responses: what was taken may go.
  virtual void OnBoundary(TimePoint /*now*/, FrameOutlet& /*out*/) {}
  // The stream ends: what was taken and not passed on must go now, or never.
  virtual void OnStreamEnd(TimePoint now, FrameOutlet& out) = 0;

  // True while the wire is in the middle of a response.
  bool midway() const { return midway_; }
  // Everything that goes on the wire.
  void Emit(Unit part, FrameOutlet& out);
  // The response that is arriving passes from here on, whatever was judged.
  void LetArrivingPass() { verdict_ = Verdict::kPass; }

 private:
  void PushData(Unit unit, TimePoint now, FrameOutlet& out);
  void PushPart(Unit part, TimePoint now, FrameOutlet& out);
  void Settle(Unit part, TimePoint now, FrameOutlet& out);

  std::vector<Unit> undecided_;  // parts of a response before its head is known
  bool between_ = false;         // this stage has seen a response begin or end
  bool midway_ = false;
  std::optional<Verdict> verdict_;  // of the response that is under way
};

// A stage that holds what it takes, for as long as the derived class decides.
class HoldingStage : public MessageStage {
 public:
  explicit HoldingStage(const StageSeed& seed) : MessageStage(seed), held_(seed.tally) {}

  void Tick(TimePoint now, FrameOutlet& out) final;
  TimePoint wake_at() const final;
  void Release(TimePoint now, FrameOutlet& out) final;

 protected:
  // The time at which the oldest held response is due, given when it came.
  virtual TimePoint DueAt(TimePoint since) const = 0;

 private:
  void Take(Unit part, TimePoint now, FrameOutlet& out) final;
  void OnBoundary(TimePoint now, FrameOutlet& out) final { Tick(now, out); }
  void OnStreamEnd(TimePoint now, FrameOutlet& out) final;
  // All of it, or as much of it as has come.
  void LetGoOldest(TimePoint now, FrameOutlet& out);

  HeldUnits held_;
};

}  // namespace watchproof::proxy
