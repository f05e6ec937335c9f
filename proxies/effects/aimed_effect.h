// SPDX-License-Identifier: Apache-2.0
// Effects that hit a connection once, at a place or at a time: those that exist when they are
// armed, and later ones only if asked; at once, behind so many further bytes, or after a while.
//
//   .parameters = AimParameters(),
//   .make = [](const EffectSeed& seed) {
//     return MakeAimedEffect(seed, [](const StageSeed& at, const Aim& aim) {
//       return std::make_unique<EndAfter>(at, aim);   // often an AimedStage
//     });
//   }
//
// Threads: the io thread only. Ownership: as Effect.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"
#include "proxies/effects/line.h"

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

struct Aim {
  std::int64_t bytes = 0;
  Duration after{};  // both 0: at once
};

// Lets everything pass until the place or the moment has come, whichever is first.
class AimedStage : public Line {
 public:
  explicit AimedStage(Aim aim) : left_(aim.bytes), after_(aim.after) {}

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

// Ends the connection: on the spot when the moment has come, in line when the place has.
class LastStage final : public AimedStage {
 public:
  // `count` is the count of connections that end so.
  LastStage(const StageSeed& seed, Aim aim, Ending ending, ConnectionTally::Count count)
      : AimedStage(aim), wanted_(ending), count_(count), tally_(seed.tally) {}

  Ending ending() const override { return ending_; }
  bool shut() const override { return over_; }

 private:
  void HitNow() override {
    ending_ = wanted_;
    over_ = true;
    tally_.AddOnce(count_);
  }
  void HitInLine() override {
    Join(wanted_ == Ending::kClose ? Chunk::Close() : Chunk::Reset());
    over_ = true;
    tally_.AddOnce(count_);
  }
  void Behind(Chunk) override {}  // nothing comes after the end of a connection

  const Ending wanted_;
  const ConnectionTally::Count count_;
  ConnectionTally tally_;
  Ending ending_ = Ending::kNone;
  bool over_ = false;
};

// Requires: the effect declares AimParameters.
inline std::unique_ptr<Effect> MakeAimedEffect(
    const EffectSeed& seed,
    std::function<std::unique_ptr<Stage>(const StageSeed&, const Aim&)> make_stage) {
  const Aim aim{.bytes = seed.values.bytes("after-bytes"), .after = seed.values.duration("after")};
  return MakePipeEffect(seed,
                        [aim, make_stage = std::move(make_stage)](const StageSeed& at) {
                          return make_stage(at, aim);
                        },
                        {.future = seed.values.yes("future")});
}

}  // namespace watchproof::proxy
