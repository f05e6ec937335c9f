// SPDX-License-Identifier: Apache-2.0
// Effects that hit a connection once, at a place or at a time: those that exist when they are
// armed, and later ones only if asked; at once, behind so many further bytes, or after a while.
//
//   .parameters = AimParameters(), .make = AimedEffectOf<EndAfter>     // an AimedStage
//
// Threads: the io thread only. Ownership: as Effect.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {

inline std::vector<ParameterInfo> AimParameters() {
  return {{"future", ParameterKind::kYesNo, "no",
           "Whether connections that come later are hit as well, until healed."},
          {"after-bytes", ParameterKind::kBytes, "0B",
           "It comes when so many further bytes have passed in the direction of the "
           "effect (counted for each direction alone); 0B without 'after' means at "
           "once, before whatever was still waiting."},
          {"after", ParameterKind::kDuration, "0s",
           "It comes when so much time has passed since arming, or since a later "
           "connection was accepted, whatever has passed until then; 0s means that "
           "only bytes count."}};
}

// Lets everything pass until the place or the moment has come, whichever is first.
class AimedStage : public Line {
 public:
  // Requires: the effect declares AimParameters.
  explicit AimedStage(const StageSeed& seed)
      : AimedStage(seed.values.duration("after"), seed.values.bytes("after-bytes")) {}
  // Both 0: at once.
  explicit AimedStage(Duration after, std::int64_t bytes = 0) : left_(bytes), after_(after) {}

  void Observe(TimePoint now, std::int64_t /*unread*/) final {
    if (hit_) return;
    const bool place_only = after_ == Duration::zero() && left_ > 0;
    if (!due_) due_ = place_only ? kNever : now + after_;
    if (*due_ > now) return;
    hit_ = true;
    HitNow();
  }
  void Push(Chunk chunk, TimePoint /*now*/) final {
    if (hit_) return Behind(std::move(chunk));
    const bool here = left_ > 0 && chunk.kind == Chunk::Kind::kBytes && chunk.size() >= left_;
    if (!here) {
      if (left_ > 0) left_ -= chunk.size();
      return Join(std::move(chunk));
    }
    Chunk beyond{.bytes = chunk.bytes.substr(static_cast<std::size_t>(left_))};
    chunk.bytes.resize(static_cast<std::size_t>(left_));
    Join(std::move(chunk));  // its cost is given back when the rest of it is written
    hit_ = true;
    HitInLine();
    if (beyond.size() > 0) Behind(std::move(beyond));
  }
  TimePoint wake_at() const override { return hit_ ? kNever : due_.value_or(kNever); }

 protected:
  // The moment has come: whatever is still in line comes after it.
  virtual void HitNow() = 0;
  // The last byte before it was joined to the line.
  virtual void HitInLine() = 0;
  // What the source sends later on.
  virtual void Behind(Chunk chunk) = 0;

 private:
  std::int64_t left_;
  const Duration after_;
  std::optional<TimePoint> due_;
  bool hit_ = false;
};

// Ends the connection: on the spot when the moment has come, in line when the place has. `kCount`
// is the count of connections that end so.
template <Ending kWanted, ConnectionTally::Count kCount>
class LastStage final : public AimedStage {
 public:
  explicit LastStage(const StageSeed& seed) : AimedStage(seed), tally_(seed.tally) {}

  Ending ending() const override { return ending_; }
  bool shut() const override { return over_; }

 private:
  void HitNow() override {
    ending_ = kWanted;
    over_ = true;
    tally_.AddOnce(kCount);
  }
  void HitInLine() override {
    Join(kWanted == Ending::kClose ? Chunk::Close() : Chunk::Reset());
    over_ = true;
    tally_.AddOnce(kCount);
  }
  void Behind(Chunk) override {}  // nothing comes after the end of a connection

  ConnectionTally tally_;
  Ending ending_ = Ending::kNone;
  bool over_ = false;
};

// Requires: the effect declares AimParameters.
template <typename StageType>
std::unique_ptr<Effect> AimedEffectOf(const EffectSeed& seed) {
  return MakePipeEffect(seed, [](const StageSeed& at) { return std::make_unique<StageType>(at); },
                        {.future = seed.values.yes("future")});
}

}  // namespace watchproof::proxy
