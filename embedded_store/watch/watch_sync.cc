// SPDX-License-Identifier: Apache-2.0
// The loops of the hub, one step at a time: catching up, victims, periodic progress.
#include <algorithm>
#include <utility>

#include "embedded_store/watch/watch_hub.h"

namespace watchproof::store {

// None of these steps takes new commits in: they serve up to the revision that has been fed, so
// that the pace of the commits is set in one place.
TimePoint WatchHub::SyncStep(TimePoint now) {
  const bool progressed = Serve(ChooseUnsynced());
  Publish();
  if (unsynced_.empty()) return kNever;
  return progressed ? now : now + limits_.sync_interval;
}

TimePoint WatchHub::VictimStep(TimePoint now) {
  Serve(ChooseVictims());
  Publish();
  if (victim_streams_.empty()) return kNever;
  // Room() also arms the queue's room_made notification.
  const bool room =
      std::any_of(victim_streams_.begin(), victim_streams_.end(),
                  [](const WatchStream* stream) { return stream->queue->Room() > 0; });
  return room ? now : now + limits_.victim_interval;
}

// The longest waiting, moved to the end of the line so that none starves behind a watcher with a
// full queue.
std::vector<Watcher*> WatchHub::ChooseUnsynced() {
  std::vector<Watcher*> chosen;
  const std::size_t count = std::min(unsynced_.size(), limits_.watchers_per_step);
  chosen.reserve(count);
  while (chosen.size() < count) {
    chosen.push_back(unsynced_.front());
    unsynced_.splice(unsynced_.end(), unsynced_, unsynced_.begin());
  }
  return chosen;
}

// As many of each stream as it has room for, the longest waiting first.
std::vector<Watcher*> WatchHub::ChooseVictims() {
  std::vector<Watcher*> chosen;
  for (std::size_t streams = victim_streams_.size();
       streams > 0 && chosen.size() < limits_.watchers_per_step; --streams) {
    WatchStream& stream = *victim_streams_.front();
    victim_streams_.splice(victim_streams_.end(), victim_streams_, victim_streams_.begin());
    const std::size_t most = limits_.watchers_per_step - chosen.size();
    const std::size_t count = std::min({stream.queue->Room(), stream.victims.size(), most});
    chosen.insert(chosen.end(), stream.victims.begin(),
                  std::next(stream.victims.begin(), static_cast<std::ptrdiff_t>(count)));
  }
  for (Watcher* watcher : chosen) {
    watcher->next = hooks_.after_victim(watcher->next, revision_);
  }
  return chosen;
}

// Watchers with near positions share one read of the history. Returns whether anything was done.
bool WatchHub::Serve(std::vector<Watcher*> chosen) {
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Watcher* a, const Watcher* b) { return a->next < b->next; });
  bool progressed = false;
  auto first = chosen.begin();
  const Revision floor = store_.compacted();
  for (; first != chosen.end() && (*first)->next < floor; ++first) {
    progressed = SendNotice(**first, floor) || progressed;
  }
  if (first != chosen.end() && (*first)->next.value < 0) return BreakPass({first, chosen.end()});
  while (first != chosen.end()) {
    const Revision from = (*first)->next;
    const Revision to = std::min(from.plus(limits_.revisions_per_batch - 1), revision_);
    const auto last =
        std::find_if(first, chosen.end(), [to](const Watcher* w) { return w->next > to; });
    const bool previous =
        std::any_of(first, last, [](const Watcher* w) { return w->interest.previous_values; });
    const History history =
        store_.ReadHistory(from, to, previous ? WithPrevious::kYes : WithPrevious::kNo);
    // A compaction came in between; the next step, at once, sees its floor.
    if (history.compacted) return true;
    for (auto it = first; it != last; ++it) CatchUp(**it, history, to);
    // What was put together was for this step only.
    for (; first != last; ++first) (*first)->interest.piece = {};
    progressed = true;
  }
  return progressed;
}

// A negative position was let in among them.
bool WatchHub::BreakPass(const std::vector<Watcher*>& chosen) {
  for (Watcher* watcher : chosen) {
    watcher->next = revision_.next();
    MoveOn(*watcher);
  }
  return true;
}

bool WatchHub::SendNotice(Watcher& watcher, Revision floor) {
  // Revision 0 in its header, as etcd sends it.
  WatchReply notice{.watch = watcher.id,
                    .revision = {},
                    .canceled = true,
                    .compacted = hooks_.noticed_revision(floor)};
  if (Offer(watcher.stream, notice)) {
    if (hooks_.after_notice == AfterNotice::kNextNotice) return false;
    MoveTo(watcher, WatcherState::kCompacted);
    return true;
  }
  // No room: it stays where it is, below the floor, and is offered the notice again (#17529).
  if (hooks_.notice_fate == NoticeFate::kTryAgain) return false;
  Leave(watcher);
  watcher.next = revision_.next();
  Place(watcher);
  return true;
}

void WatchHub::CatchUp(Watcher& watcher, const History& history, Revision to) {
  Interest& interest = watcher.interest;
  if (watcher.stream.queue->Room() == 0) {
    MoveTo(watcher, WatcherState::kVictim);
    return;
  }
  if (!PutTogether(interest, history, watcher.next, to)) {
    SendNotice(watcher, watcher.next);
    return;
  }
  const Revision position = watcher.next;
  if (!Give(watcher, interest.piece.batches)) return;
  watcher.next = hooks_.after_history(position, to);
  MoveOn(watcher);
}

// A victim with history left stays one, at the end of the line of its stream.
void WatchHub::MoveOn(Watcher& watcher) {
  const bool stays = watcher.state == WatcherState::kVictim && watcher.next <= revision_;
  Leave(watcher);
  if (stays) {
    Enter(watcher, WatcherState::kVictim);
  } else {
    Place(watcher);
  }
}

bool WatchHub::LacksPrevious(const Interest& interest, const Event& event, Revision floor) const {
  if (!limits_.strict_previous || !interest.previous_values || event.previous) return false;
  // Above the floor nothing is taken: a key without one was made by the same transaction.
  if (event.change->kv.mod > floor) return false;
  // A delete, and every put but the first of a generation, has a previous value.
  const bool had = event.change->kind == ChangeKind::kDelete || event.change->kv.version > 1;
  return had && hooks_.previous_gone == PreviousGone::kEndsTheWatch;
}

// Makes the interest's piece of history the one from `from` to `to`, unless it is that already.
// False when a previous value is gone that must not be missing.
bool WatchHub::PutTogether(Interest& interest, const History& history, Revision from,
                           Revision to) const {
  if (interest.piece.from == from && interest.piece.to == to) return true;
  std::vector<PendingEvent> events;
  for (const Event& event : history.events) {
    if (event.change->kv.mod < from || !interest.Wants(*event.change)) continue;
    if (LacksPrevious(interest, event, history.floor)) return false;
    events.push_back(ToPending(interest, event));
  }
  interest.piece = {from, to, CutIntoBatches(std::move(events), MostBytes(interest))};
  return true;
}

TimePoint WatchHub::ProgressStep(TimePoint now) {
  DrainCommits();
  TimePoint next = kNever;
  for (auto& [id, stream] : streams_) {
    if (now >= stream->next_progress) {
      stream->next_progress = now + limits_.progress_interval;
      for (auto& [watch, watcher] : stream->watchers) {
        if (!watcher->spec.progress_notify) continue;
        const bool idle = !std::exchange(watcher->received, false);
        if (!idle || stream->progress_pending || !ReceivesProgress(*watcher)) continue;
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
