// SPDX-License-Identifier: Apache-2.0
// An effect that hits a connection once, at a place or at a time: those that exist when it is
// armed, and later ones only if asked; at once, behind so many further bytes, or after a while.
//
//   class HalfClose final : public AimedEffect {
//     std::unique_ptr<Stage> Hit(ConnectionId connection) override;   // often an AimedStage
//   };
//
// Threads: the io thread only. Ownership: as Effect.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxies/effects/effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {

// The parameters that differ between aimed effects, each as this effect explains it.
struct AimExplained {
  std::string future;
  std::string after_bytes;
};
inline std::vector<ParameterInfo> AimParameters(AimExplained explained) {
  return {{.name = "future",
           .kind = ParameterKind::kYesNo,
           .default_value = "no",
           .explain = std::move(explained.future)},
          {.name = "after-bytes",
           .kind = ParameterKind::kBytes,
           .default_value = "0B",
           .explain = std::move(explained.after_bytes)},
          {.name = "after",
           .kind = ParameterKind::kDuration,
           .default_value = "0s",
           .explain = "It comes when so much time has passed since arming, or since a later "
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
  // `note` is called once, when it does.
  LastStage(Aim aim, Ending ending, std::function<void()> note)
      : AimedStage(aim), wanted_(ending), note_(std::move(note)) {}

  Ending ending() const override { return ending_; }
  bool shut() const override { return over_; }

 private:
  void HitNow() override {
    ending_ = wanted_;
    over_ = true;
    note_();
  }
  void HitInLine() override {
    Join(wanted_ == Ending::kClose ? Chunk::Close() : Chunk::Reset());
    over_ = true;
    note_();
  }
  void Behind(Chunk) override {}  // nothing comes after the end of a connection

  const Ending wanted_;
  const std::function<void()> note_;
  Ending ending_ = Ending::kNone;
  bool over_ = false;
};

class AimedEffect : public Effect {
 public:
  std::unique_ptr<Stage> MakeStage(const Placement& placement) final {
    if (placement.age == Placement::Age::kFuture && !future_) return nullptr;
    return Hit(placement.connection);
  }

 protected:
  // Requires: the effect declares AimParameters.
  explicit AimedEffect(const EffectSeed& seed)
      : Effect(seed.armed_at),
        aim_{.bytes = seed.values.bytes("after-bytes"), .after = seed.values.duration("after")},
        future_(seed.values.yes("future")) {}

  // The stage for one direction of a connection that is aimed at.
  virtual std::unique_ptr<Stage> Hit(ConnectionId connection) = 0;

  const Aim aim_;

 private:
  const bool future_;
};

}  // namespace watchproof::proxy
