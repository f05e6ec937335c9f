// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/require.h"

#include <algorithm>
#include <vector>

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<RequireStep> kRequire;

using enum RequireStep::Fact;

// In the order of Fact.
constexpr std::string_view kFacts[] = {"behind",    "partly",    "received",
                                       "silent",    "cut short", "compacted",
                                       "cancelled", "refused",   "uncreated"};

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

void RequireStep::Fields(FieldList& field) {
  field("group", group).Uses(Subject::kGroup);
  field("fact", fact, kFacts);
  field("us", limit);
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
        fmt::format("group {} was not {} at revision {}, so this attempt is not "
                    "about that",
                    group, kFacts[static_cast<std::size_t>(fact)], head));
  }
  return {};
}

}  // namespace watchproof
