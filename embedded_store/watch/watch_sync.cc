// SPDX-License-Identifier: Apache-2.0
// The loops of the hub, one step at a time: catching up, parked replies, periodic progress.
#include <algorithm>
#include <utility>

#include "embedded_store/watch/watch_hub.h"

namespace watchproof::store {

TimePoint WatchHub::SyncStep(TimePoint now) {
  DrainCommits();
  const bool progressed = Serve(ChooseUnsynced());
  Publish();
  if (unsynced_.empty()) return kNever;
  return progressed ? now : now + limits_.sync_interval;
}

// Those that waited longest, moved to the end of the line so that nobody starves behind a watcher
// whose queue stays full.
std::vector<Watcher*> WatchHub::ChooseUnsynced() {
  std::vector<Watcher*> chosen;
  const std::size_t count = std::min(unsynced_.size(), limits_.watchers_per_step);
  chosen.reserve(count);
  while (chosen.size() < count) {
    chosen.push_back(unsynced_.front());
    unsynced_.splice(unsynced_.end(), unsynced_, unsynced_.begin());
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Watcher* a, const Watcher* b) { return a->next < b->next; });
  return chosen;
}

// Watchers with near positions share one read of the history. Returns whether anything was done.
bool WatchHub::Serve(const std::vector<Watcher*>& chosen) {
  bool progressed = false;
  auto first = chosen.begin();
  const Revision floor = store_.compacted();
  for (; first != chosen.end() && (*first)->next < floor; ++first) {
    progressed = SendNotice(**first, floor) || progressed;
  }
  while (first != chosen.end()) {
    const Revision from = (*first)->next;
    const Revision to = std::min(from.plus(limits_.revisions_per_batch - 1), revision_);
    const auto last =
        std::find_if(first, chosen.end(), [to](const Watcher* w) { return w->next > to; });
    const bool previous =
        std::any_of(first, last, [](const Watcher* w) { return w->spec.previous_values; });
    const History history =
        store_.ReadHistory(from, to, previous ? WithPrevious::kYes : WithPrevious::kNo);
    // A compaction came in between; the next step, at once, sees its floor.
    if (history.compacted) return true;
    for (; first != last; ++first) CatchUp(**first, history, to);
    progressed = true;
  }
  return progressed;
}

bool WatchHub::SendNotice(Watcher& watcher, Revision floor) {
  // Without a revision in its header, as etcd sends it.
  WatchReply notice{.watch = watcher.id, .revision = {}, .canceled = true, .compacted = floor};
  if (Offer(watcher.stream, notice)) {
    Leave(watcher);
    Enter(watcher, WatcherState::kCompacted);
    return true;
  }
  // No room: it stays unsynced, below the floor, and is offered the notice again (#17529).
  if (hooks_.OnNoticeRefused() == NoticeFate::kTryAgain) return false;
  Leave(watcher);
  watcher.next = revision_.next();
  Place(watcher);
  return true;
}

void WatchHub::CatchUp(Watcher& watcher, const History& history, Revision to) {
  std::vector<Event> events;
  for (const Event& event : history.events) {
    const Change& change = *event.change;
    if (watcher.spec.range.Contains(change.kv.key) && watcher.Wants(change)) {
      watcher.Append(event, events);
    }
  }
  watcher.next = to.next();
  if (!events.empty()) {
    const bool queued = QueueOrPark(watcher, {.watch = watcher.id,
                                              .revision = revision_,
                                              .may_fragment = watcher.spec.fragment,
                                              .events = std::move(events)});
    if (!queued) return;
  }
  if (watcher.next > revision_) {
    Leave(watcher);
    Place(watcher);
  }
}

TimePoint WatchHub::VictimStep(TimePoint now) {
  DrainCommits();
  for (auto it = victims_.begin(); it != victims_.end();) {
    Watcher& watcher = **it++;
    if (!Offer(watcher.stream, *watcher.parked)) continue;
    watcher.parked.reset();
    Leave(watcher);
    // What was committed while it was parked is history by now.
    Place(watcher);
  }
  Publish();
  return victims_.empty() ? kNever : now + limits_.victim_interval;
}

TimePoint WatchHub::ProgressStep(TimePoint now) {
  DrainCommits();
  TimePoint next = kNever;
  for (auto& [id, stream] : streams_) {
    if (now >= stream->next_progress) {
      stream->next_progress = now + limits_.progress_interval;
      for (auto& [watch, watcher] : stream->watchers) {
        if (!watcher->spec.progress_notify) continue;
        const bool idle = !std::exchange(watcher->heard, false);
        if (!idle || watcher->state != WatcherState::kSynced || watcher->spec.start > revision_) {
          continue;
        }
        WatchReply reply{.watch = watch, .revision = revision_};
        Offer(*stream, reply);
      }
    }
    next = std::min(next, stream->next_progress);
  }
  Publish();
  return next;
}

}  // namespace watchproof::store
