// SPDX-License-Identifier: Apache-2.0
// Moments: what arrives on the wire, or the progress of a load, that a step may wait for.
#include <algorithm>

#include "harness/driver/executor.h"

namespace watchproof {

Status Executor::Do(const WhenStep& step) {
  environment_.PumpAll();
  const std::function<bool()> come = HasCome(step);
  // A missed moment decides nothing: the receipt of what was injected then does.
  if (!environment_.PumpUntil(come, Within(step.limit)) && !environment_.GivesUp()) {
    environment_.Annotate(MomentMissed{.moment = std::string(Name(step.moment)), .of = step.of});
  }
  return {};
}

std::function<bool()> Executor::HasCome(const WhenStep& step) {
  using enum WhenStep::Moment;
  if (step.moment == kCalls) {
    const auto load = loads_.find(step.of);
    if (load == loads_.end()) return [] { return true; };
    return [&load = *load->second, wanted = static_cast<std::size_t>(step.count)] {
      return load.done() || load.ended() >= wanted;
    };
  }
  // The count of the watch that is furthest.
  const auto furthest = [this, &step, revision = Resolve(step.revision)] {
    std::int64_t most = 0;
    for (const Member& member : groups_.at(step.of)) {
      const Environment::Arrived arrived = environment_.ArrivedAt(member.stream);
      const auto index = environment_.judge().Find(member.stream, member.ordinal);
      std::int64_t here = step.moment == kBytes ? arrived.bytes : arrived.responses;
      if (step.moment == kRevision || step.moment == kProgress) {
        if (!index) continue;
        const WatchState& watch = environment_.judge().watches()[*index];
        here = step.moment == kRevision ? std::int64_t{watch.position > revision}
                                        : static_cast<std::int64_t>(watch.progress_answers);
      }
      most = std::max(most, here);
    }
    return most;
  };
  if (step.moment == kRevision) return [furthest] { return furthest() > 0; };
  return [furthest, wanted = furthest() + step.count] { return furthest() >= wanted; };
}

}  // namespace watchproof
