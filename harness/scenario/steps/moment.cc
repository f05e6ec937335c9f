// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/moment.h"

#include <algorithm>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<WhenStep, HoldStep, RequireStep> kMomentSteps;

using enum WhenStep::Moment;
using enum RequireStep::Fact;

// Returns a test whether the moment has come. Counts start at this call.
std::function<bool()> HasCome(StepContext& context, const WhenStep& step) {
  if (step.moment == kCalls) {
    const auto load = context.loads().find(step.of);
    if (load == context.loads().end()) return [] { return true; };
    return [&load = *load->second, wanted = static_cast<std::size_t>(step.count)] {
      return load.done() || load.ended() >= wanted;
    };
  }
  // The count of the watch that is furthest.
  const auto furthest = [&context, &step, revision = context.Resolve(step.revision)] {
    std::int64_t most = 0;
    for (const StepContext::Member& member : context.groups().at(step.of)) {
      const StreamTraffic::Arrived arrived = context.session().traffic().ArrivedAt(member.stream);
      std::int64_t here = step.moment == kBytes ? arrived.bytes : arrived.responses;
      if (step.moment == kRevision || step.moment == kProgress) {
        const WatchState* const watch = context.WatchOf(member);
        if (watch == nullptr) continue;
        here = step.moment == kRevision ? std::int64_t{watch->position > revision}
                                        : static_cast<std::int64_t>(watch->progress_answers);
      }
      most = std::max(most, here);
    }
    return most;
  };
  if (step.moment == kRevision) return [furthest] { return furthest() > 0; };
  return [furthest, wanted = furthest() + step.count] { return furthest() >= wanted; };
}

bool Holds(const RequireStep& step, const std::vector<WatchState>& watches, Revision head) {
  const auto all = [&](auto fact) { return std::all_of(watches.begin(), watches.end(), fact); };
  const auto any = [&](auto fact) { return std::any_of(watches.begin(), watches.end(), fact); };
  const auto behind = [](const WatchState& watch) {
    return watch.end == WatchEnd::kOpen && !watch.complete;
  };
  const auto received = [](const WatchState& watch) { return watch.events > 0; };
  const auto ended = [](WatchEnd end) {
    return [end](const WatchState& watch) { return watch.end == end; };
  };
  switch (step.fact) {
    case kBehind:
      return all(behind);
    case kPartly:
      return all(behind) && any(received);
    case kReceived:
      return all(received);
    case kSilent:
      return !any(received);
    case kCutShort:
      return any([&](const WatchState& watch) {
        return received(watch) && watch.end == WatchEnd::kCompacted;
      });
    case kCompacted:
      return all(ended(WatchEnd::kCompacted));
    case kCancelled:
      return all(ended(WatchEnd::kCancelled)) &&
             any([&](const WatchState& watch) { return watch.position <= head; });
    case kRefused:
      return all(ended(WatchEnd::kRefused));
    case kUncreated:
      return !any([](const WatchState& watch) { return watch.created; });
  }
  return false;
}

}  // namespace

Status WhenStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  session.PumpAll();
  const std::function<bool()> come = HasCome(context, *this);
  // A missed moment decides nothing: the receipt of what was injected then does.
  if (!session.PumpUntil(come, Within(limit)) && !session.GivesUp()) {
    const std::string_view name = kMoments[static_cast<std::size_t>(moment)];
    session.Annotate(MomentMissed{.moment = std::string(name), .of = of});
  }
  return {};
}

std::vector<HoldStep> HoldStep::Smaller() const {
  if (duration <= 1ms) return {};
  return {HoldStep{duration / 2}};
}

Status HoldStep::Run(StepContext& context) const {
  // It is a time of the scenario, and no limit.
  context.session().PumpUntil([] { return false; }, Deadline(duration));
  return {};
}

Status RequireStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Revision head = context.head();
  const auto holds = [&] {
    std::vector<WatchState> watches;
    for (const StepContext::Member& member : context.groups().at(group)) {
      const WatchState* const watch = context.WatchOf(member);
      if (watch != nullptr) watches.push_back(*watch);
    }
    return !watches.empty() && Holds(*this, watches, head);
  };
  if (!session.PumpUntil(holds, Within(limit)) && !session.GivesUp()) {
    context.Inconclusive(
        fmt::format("the case requires group {} to be '{}', which did not hold at revision {}, so "
                    "this attempt is not about that",
                    group, kFacts[static_cast<std::size_t>(fact)], head));
  }
  return {};
}

}  // namespace watchproof
