// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/moment.h"

#include <algorithm>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<WhenStep> kWhen;
const StepRegistration<HoldStep> kHold;

using enum WhenStep::Moment;
// In the order of Moment.
constexpr std::string_view kMoments[] = {"response", "bytes", "revision", "progress", "calls"};

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

}  // namespace

void WhenStep::Fields(FieldList& field) {
  field("moment", moment, kMoments);
  // A load that never began has ended all its calls.
  Field& named = field("of", of);
  if (moment != kCalls) named.Uses(Subject::kGroup);
  field("count", count);
  field("revision", revision);
  field("us", limit);
}

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

void HoldStep::Fields(FieldList& field) { field("us", duration).Waits(); }

std::vector<HoldStep> HoldStep::Smaller() const {
  if (duration <= 1ms) return {};
  return {HoldStep{duration / 2}};
}

Status HoldStep::Run(StepContext& context) const {
  context.session().PumpUntil([] { return false; }, Within(duration));
  return {};
}

}  // namespace watchproof
