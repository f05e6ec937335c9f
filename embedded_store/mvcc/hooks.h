// SPDX-License-Identifier: Apache-2.0
// The points at which a defect can change what the store and its watch layer do.
//
//   Hooks hooks;                                            // all of it correct
//   hooks.notice_fate = NoticeFate::kForgotten;             // a defect
//   MvccStore store(hooks);
//
// Each member is one hook, and its initial value the correct behaviour. The layers read or call it
// where the comment says, and follow its answer; they know no defect. Defects are combined by
// changing one Hooks after the other: what one does not assign stays as it was. Hooks decide, they
// touch nothing and make no callbacks. Threads: constant once a store uses them; functions are
// called under the store's lock, on the hub's thread, or on the sending thread. Ownership: the
// caller's; hooks outlive store and hub.
#pragma once

#include <functional>

#include "embedded_store/mvcc/key_range.h"
#include "harness/base/units.h"

namespace watchproof::store {

struct Commit;     // of the store
struct WatchSpec;  // of the watch layer

// What compaction does with a deletion exactly at the compaction floor.
enum class FloorDelete {
  kKept,     // a watch may start there
  kDropped,  // like every deletion below it
};

// What a starting store does with a deletion after compaction has removed its puts.
enum class LoneDelete { kRestored, kForgotten };

// When a write is answered.
enum class WriteAnswer {
  kWhenSafe,  // after the sync that keeps it
  kAtOnce,
};

// What a put that follows a delete keeps of the generation that the delete ended.
enum class Recreation { kNothing, kItsCreateRevision, kItsVersion };

// The revisions in which the keys of a lease are deleted when it ends.
enum class LeaseEnd { kInOne, kInOneEach };

// What happens to a watch with a negative start revision.
enum class NegativeStart {
  kRefused,
  // It is taken for a position, and the watchers that are served together with it count as caught
  // up at the current revision.
  kSpoilsThePass,
};

// Whether a cancel ends only the watch that it names, or also stops delivery on the next id.
enum class CancelReach { kNamedOnly, kNeighbourToo };

// What a watcher that starts in the future receives before its start.
enum class Early { kNothing, kWhateverComes };

// What happens to a watcher after its ErrCompacted was queued.
enum class AfterNotice {
  kSilence,     // it receives nothing more
  kNextNotice,  // it stays unsynced, and gets another notice in each step
};

// What happens to a watcher when the queue of its stream has no room for its ErrCompacted.
enum class NoticeFate {
  kTryAgain,   // it stays unsynced, and a later step offers the notice again
  kForgotten,  // it counts as caught up at the current revision and never learns what it missed
};

// What happens to a progress request while a watcher of the stream is behind.
enum class EarlyRequest {
  kDropped,     // the client asks again
  kRemembered,  // it is answered with the next event; until then others are ignored
};

// What happens to a watcher when the previous value of a pending event is gone, in a store that
// must not leave it out.
enum class PreviousGone { kEndsTheWatch, kLeftOut };

// Where a reply of a watch without fragments may be cut in two.
enum class ReplyCut { kNowhere, kBetweenEvents };

// What happens to the last part of a fragmented reply.
enum class LastPart { kSent, kDropped };

// When the answer to a progress request is sent.
enum class ProgressTiming {
  // Only when every watcher of the stream has caught up, through the queue of the events.
  kBehindEvents,
  kAtOnce,  // always, ahead of everything that waits
};

// Whether a watch that has ended with ErrCompacted counts as behind until it is cancelled.
enum class ProgressAfterNotice { kSent, kHeldBack };

// The id of a watch for which the client chose none.
enum class AutomaticId {
  kNext,        // above all that the stream has given out
  kLowestFree,  // also one that a cancelled watch had
};

struct Hooks {
  // Hooks that change nothing.
  static const Hooks& None() {
    static const Hooks none;
    return none;
  }

  // The store.

  // A compaction meets a deletion at its revision.
  FloorDelete delete_at_floor = FloorDelete::kKept;
  LoneDelete lone_delete = LoneDelete::kRestored;
  // A put, a deletion or a transaction was staged in the backend.
  WriteAnswer write_answer = WriteAnswer::kWhenSafe;
  // A key is put for the first time since it was deleted.
  Recreation recreation = Recreation::kNothing;
  LeaseEnd lease_end = LeaseEnd::kInOne;
  // The revision of the state that holds the previous value of a change at `mod`.
  std::function<Revision(Revision mod)> previous_sought = [](Revision mod) {
    return mod.previous();
  };
  // A commit has become safe: whether the store announces it, which wakes the watch layer. One that
  // is not announced waits until the watch layer wakes for another reason.
  std::function<bool(const Commit& commit)> is_announced = [](const Commit&) { return true; };

  // The watch layer.

  // A create request arrives; the spec that the hook leaves counts as the client's request.
  std::function<void(WatchSpec& spec)> on_create = [](WatchSpec&) {};
  // A create request has a start below 0.
  NegativeStart negative_start = NegativeStart::kRefused;
  // A create is refused: the id that the answer carries. A watch of that id stops being fed.
  WatchId refused_id{-1};
  AutomaticId automatic_id = AutomaticId::kNext;
  CancelReach cancel_reach = CancelReach::kNamedOnly;
  // Events are about to be queued: the id they are sent under, if the stream has such a watch.
  std::function<WatchId(WatchId id)> addressee = [](WatchId id) { return id; };
  // Events from before its start, and progress, concern a watcher that starts in the future.
  Early early_events = Early::kNothing;
  Early early_progress = Early::kNothing;
  // A watcher was given everything from its position to `last`: where it continues.
  std::function<Revision(Revision position, Revision last)> after_history =
      [](Revision, Revision last) { return last.next(); };
  // The queue of a stream has room again: where a watcher that waited for it continues.
  std::function<Revision(Revision position, Revision newest)> after_victim =
      [](Revision position, Revision) { return position; };
  // A watcher gets a compaction notice for `floor`: the revision that the notice names.
  std::function<Revision(Revision floor)> noticed_revision = [](Revision floor) { return floor; };
  AfterNotice after_notice = AfterNotice::kSilence;
  // A sync step could not queue a compaction notice because the stream's queue was full.
  NoticeFate notice_fate = NoticeFate::kTryAgain;
  // A client asked for the progress of its stream.
  ProgressTiming progress_timing = ProgressTiming::kBehindEvents;
  EarlyRequest early_request = EarlyRequest::kDropped;
  ProgressAfterNotice progress_after_notice = ProgressAfterNotice::kSent;
  PreviousGone previous_gone = PreviousGone::kEndsTheWatch;
  // A user creates a watch on `range`, or rights change while it is open: the range that the user
  // must be allowed to read for it.
  std::function<KeyRange(const KeyRange& range)> authorized_range = [](const KeyRange& range) {
    return range;
  };

  // The wire.

  ReplyCut reply_cut = ReplyCut::kNowhere;
  LastPart last_part = LastPart::kSent;
};

}  // namespace watchproof::store
