// SPDX-License-Identifier: Apache-2.0
// A frame stage that judges the responses of one watch stream one by one.
//
// DATA frames are cut where a judged response begins and ends, and nowhere else. A response is
// judged when it is known whom it is for; until then its few bytes wait.
//
// Threads: the io thread only. Ownership: as FrameStage.
#pragma once

#include <optional>
#include <utility>
#include <vector>

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
  // Once for each response, when its head is known. Unreadable ones say nothing and pass.
  virtual Verdict Judge(const WatchFacts& facts, TimePoint now) = 0;
  // A part of a response of which Judge said kTake.
  virtual void Take(Unit part, TimePoint now, FrameOutlet& out) = 0;
  // The stream ends: what was taken and not passed on must go now, or never.
  virtual void OnStreamEnd(TimePoint now, FrameOutlet& out) = 0;

 private:
  void PushPart(Unit part, TimePoint now, FrameOutlet& out);
  void Settle(Unit part, TimePoint now, FrameOutlet& out);

  std::vector<Unit> undecided_;     // parts of a response before its head is known
  bool between_ = false;            // a response has begun or ended under these eyes
  std::optional<Verdict> verdict_;  // of the response that is under way
};

}  // namespace watchproof::proxy
