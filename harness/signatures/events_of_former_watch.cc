// SPDX-License-Identifier: Apache-2.0
// events-of-former-watch: a message came to a watch that was meant for another, which had its id
// before or has it next, where the client asked for the id again.
#include "harness/signatures/signature.h"

namespace watchproof {

constexpr std::string_view kEventsOfFormer = "events-of-former-watch";

WP_SIGNATURE(SentToNamesake, kEventsOfFormer) { return one.RestsOn(&WatchTraces::next_events); }

WP_SIGNATURE(NoticeToNamesake, kEventsOfFormer) {
  const auto* const silence = one.As<symptom::Silence>();
  const bool late = (silence != nullptr && silence->whole) || one.As<symptom::Delay>() != nullptr;
  return late && one.traces.of(*one.watch).notice_came_early == one.facts.state(*one.watch).id;
}

WP_SIGNATURE(ChangeToNamesake, kEventsOfFormer) {
  const auto& lost = one.draft.lost;
  if (!lost) return false;
  const auto& early = one.traces.of(lost->watch).came_early;
  const auto found = early.find(lost->change.revision);
  return found != early.end() && found->second == one.facts.state(lost->watch).id;
}

WP_SIGNATURE(FormerWatchWaited, kEventsOfFormer) {
  return one.RestsOn(&WatchTraces::former_events);
}

}  // namespace watchproof
