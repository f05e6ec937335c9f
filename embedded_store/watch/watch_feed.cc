// SPDX-License-Identifier: Apache-2.0
// From the commits to the queues of the streams, and the moving of watchers between their sets.
#include <algorithm>
#include <utility>

#include "embedded_store/watch/watch_hub.h"
#include "harness/base/check.h"

namespace watchproof::store {

std::size_t WatchHub::CommitStep() {
  const std::size_t concerned = DrainCommits();
  Publish();
  return concerned;
}

// All commits are matched before the first reply is queued, so that each watcher gets one reply for
// all of them.
std::size_t WatchHub::DrainCommits() {
  std::vector<Interest*> touched;
  for (const Commit& commit : store_.TakeCommits()) Match(commit, touched);
  std::size_t concerned = 0;
  Shared shared;
  for (Interest* interest : touched) {
    concerned += interest->synced.size();
    Feed(*interest, shared);
  }
  return concerned;
}

void WatchHub::Match(const Commit& commit, std::vector<Interest*>& touched) {
  WP_CHECK(commit.revision == revision_.next(), "commits come without gaps");
  revision_ = commit.revision;
  for (const Event& event : commit.events) {
    group_.VisitWatching(event.change->kv.key, [&](Interest& interest) {
      if (interest.synced.empty() || !interest.WantsKind(event.change->kind)) return;
      if (interest.matched.empty()) touched.push_back(&interest);
      interest.matched.push_back(ToPending(interest, event));
    });
  }
}

PendingEvent WatchHub::ToPending(const Interest& interest, const Event& event) const {
  if (!interest.previous_values) return {.change = event.change};
  return {.change = event.change,
          .previous = event.previous,
          .kept = limits_.strict_previous ? event.previous : nullptr};
}

std::size_t WatchHub::MostBytes(const Interest& interest) const {
  return interest.fragment ? limits_.fragmented_bytes : limits_.reply_bytes;
}

// Interests that are touched in a row often have the same pending events: many ranges hold one busy
// key.
void WatchHub::Feed(Interest& interest, Shared& shared) {
  std::vector<PendingEvent> matched = std::exchange(interest.matched, {});
  if (shared.most_bytes != MostBytes(interest) || !SameEvents(shared.events, matched)) {
    shared.most_bytes = MostBytes(interest);
    shared.batches = CutIntoBatches(matched, shared.most_bytes);
    shared.events = std::move(matched);
  }
  // From the end, because a watcher that finds its queue full leaves, and the last takes its slot.
  for (std::size_t slot = interest.synced.size(); slot-- > 0;) {
    Give(*interest.synced[slot], shared.batches);
  }
}

WatchId WatchHub::Addressee(const Watcher& watcher) const {
  const WatchId id = hooks_.addressee(watcher.id);
  return id == watcher.id || watcher.stream.watchers.contains(id) ? id : watcher.id;
}

void WatchHub::PayProgress(WatchStream& stream) {
  if (!ProgressIsDue(stream)) return;
  WatchReply reply{.watch = kWholeStream, .revision = revision_};
  stream.progress_pending = !Offer(stream, reply);
}

bool WatchHub::Give(Watcher& watcher, const std::vector<BatchPtr>& batches) {
  for (const BatchPtr& batch : batches) {
    // Only a watcher that starts in the future does not receive all of a batch.
    const bool early =
        batch->first() < watcher.next && hooks_.early_events == Early::kWhateverComes;
    BatchPtr expected = early ? batch : From(batch, watcher.next);
    if (!expected) continue;
    const Revision first = expected->first();
    const Revision last = expected->last();
    WatchReply reply{.watch = Addressee(watcher),
                     .revision = revision_,
                     .may_fragment = watcher.interest.fragment,
                     .batch = std::move(expected)};
    watcher.received = true;
    if (!Offer(watcher.stream, reply)) {
      watcher.next = first;
      MoveTo(watcher, WatcherState::kVictim);
      return false;
    }
    watcher.next = last.next();
  }
  if (watcher.stream.progress_pending) PayProgress(watcher.stream);
  return true;
}

bool WatchHub::Offer(WatchStream& stream, WatchReply& reply) {
  if (!stream.queue->OfferEvents(reply)) return false;
  if (!std::exchange(stream.has_updates, true)) updates_.push_back(stream.id);
  return true;
}

void WatchHub::Place(Watcher& watcher) {
  Enter(watcher, watcher.next > revision_ ? WatcherState::kSynced : WatcherState::kUnsynced);
}

void WatchHub::MoveTo(Watcher& watcher, WatcherState state) {
  Leave(watcher);
  Enter(watcher, state);
}

void WatchHub::Enter(Watcher& watcher, WatcherState state) {
  watcher.state = state;
  WatchStream& stream = watcher.stream;
  switch (state) {
    case WatcherState::kSynced:
      watcher.interest.Add(watcher);
      break;
    case WatcherState::kUnsynced:
      watcher.place = unsynced_.insert(unsynced_.end(), &watcher);
      break;
    case WatcherState::kVictim:
      if (stream.victims.empty()) {
        stream.victims_place = victim_streams_.insert(victim_streams_.end(), &stream);
      }
      watcher.place = stream.victims.insert(stream.victims.end(), &watcher);
      ++victims_;
      break;
    case WatcherState::kCompacted:
      break;
  }
}

void WatchHub::Leave(Watcher& watcher) {
  WatchStream& stream = watcher.stream;
  switch (watcher.state) {
    case WatcherState::kSynced:
      watcher.interest.Remove(watcher);
      break;
    case WatcherState::kUnsynced:
      unsynced_.erase(watcher.place);
      break;
    case WatcherState::kVictim:
      stream.victims.erase(watcher.place);
      if (stream.victims.empty()) victim_streams_.erase(stream.victims_place);
      --victims_;
      break;
    case WatcherState::kCompacted:
      break;
  }
}

}  // namespace watchproof::store
