// SPDX-License-Identifier: Apache-2.0
// The points at which someone outside may bend what the store and its watch layer do.
//
//   class Forgetful final : public Hooks { NoticeFate OnNoticeRefused() override { ... } };
//
// Every default is the correct behaviour. The layers call a hook and do what it says; who stands
// behind it is not their business. Hooks decide, they touch nothing and call nothing back. Threads:
// hooks of the store are called by whoever holds its lock, hooks of the watch layer on the hub's
// thread, those of the wire by whoever sends. Ownership: the caller's, longer-lived than store and
// hub.
#pragma once

#include "embedded_store/mvcc/key_range.h"
#include "harness/base/units.h"

namespace watchproof::store {

struct WatchSpec;  // of the watch layer

// What becomes of a deletion that lies exactly at the compaction floor.
enum class FloorDelete {
  kKept,     // a watch may start there
  kDropped,  // like every deletion below it
};

// What becomes of a deletion that a store finds alone when it comes back: compaction has taken the
// puts before it.
enum class LoneDelete { kRestored, kForgotten };

// What a put that follows a delete takes over from the life that the delete ended.
enum class Recreation { kNothing, kItsCreateRevision, kItsVersion };

// In which revisions the keys of a lease go when it ends.
enum class LeaseEnd { kInOne, kInOneEach };

// What happens to a watch with a negative start revision.
enum class NegativeStart {
  kRefused,
  // It is taken for a position, and the watchers that are served together with it count as caught
  // up at the current revision.
  kSpoilsThePass,
};

// Whether a cancel ends the watch it names only, or silences the one with the next id too.
enum class CancelReach { kNamedOnly, kNeighbourToo };

// What a watcher that starts in the future hears before.
enum class Early { kNothing, kWhateverComes };

// What becomes of a watcher whose ErrCompacted is on its way.
enum class AfterNotice {
  kSilence,     // it hears nothing any more
  kNextNotice,  // it stays among those that are behind, and is told again in each step
};

// What becomes of a watcher whose ErrCompacted found no room in the queue of its stream.
enum class NoticeFate {
  kTryAgain,   // it stays behind, and the notice is offered again in a later step
  kForgotten,  // it counts as caught up at the current revision and never learns what it missed
};

// What becomes of a progress request while a watcher of the stream is behind.
enum class EarlyRequest {
  kDropped,     // the client asks again
  kRemembered,  // it is answered with the next event; until then no other is looked at
};

// What becomes of a watcher that is owed an event whose previous value is gone, where that must not
// be missing.
enum class PreviousGone { kEndsTheWatch, kLeftOut };

// Where a reply that the client does not take in fragments may be cut in two.
enum class ReplyCut { kNowhere, kBetweenEvents };

// What becomes of the last part of a fragmented reply.
enum class LastPart { kSent, kDropped };

// Which way the answer to a progress request takes.
enum class ProgressTiming {
  kBehindEvents,  // only when every watcher of the stream has caught up, through the queue of the
                  // events
  kAtOnce,        // always, past everything that waits
};

class Hooks {
 public:
  virtual ~Hooks() = default;
  // For those who want nothing bent.
  static Hooks& None() {
    static Hooks none;
    return none;
  }

  // The store.

  // A compaction meets a deletion at its revision.
  virtual FloorDelete OnDeleteAtFloor() { return FloorDelete::kKept; }
  virtual LoneDelete OnLoneDelete() { return LoneDelete::kRestored; }
  // A key is put for the first time since it was deleted.
  virtual Recreation OnRecreation() { return Recreation::kNothing; }
  virtual LeaseEnd OnLeaseEnd() { return LeaseEnd::kInOne; }
  // The revision whose state holds the previous value of a change at `mod`.
  virtual Revision OnPreviousSought(Revision mod) { return mod.previous(); }

  // The watch layer.

  // A create request arrives; what is left in it is what the client counts as having asked for.
  virtual void OnCreate(WatchSpec& /*spec*/) {}
  // A create request has a start below 0.
  virtual NegativeStart OnNegativeStart() { return NegativeStart::kRefused; }
  // A create is refused: the id that the answer carries. A watch of that id is silenced.
  virtual WatchId OnRefused() { return WatchId{-1}; }
  virtual CancelReach OnCancel() { return CancelReach::kNamedOnly; }
  // Events are about to be queued: the id they are sent under, if the stream has a watch of it.
  virtual WatchId OnAddressed(WatchId id) { return id; }
  // Events from before its start, and progress, concern a watcher that starts in the future.
  virtual Early OnEarlyEvents() { return Early::kNothing; }
  virtual Early OnEarlyProgress() { return Early::kNothing; }
  // A watcher was given everything from its position to `last`: where it goes on.
  virtual Revision OnHistoryGiven(Revision /*position*/, Revision last) { return last.next(); }
  // The queue of a stream has room again: from where a watcher that waited for it goes on.
  virtual Revision OnVictimServed(Revision position, Revision /*newest*/) { return position; }
  // A watcher is told that the store was compacted to `floor`: the revision that it is told.
  virtual Revision OnNotice(Revision floor) { return floor; }
  virtual AfterNotice OnNoticeSent() { return AfterNotice::kSilence; }
  // A sync step could not queue a compaction notice because the stream's queue was full.
  virtual NoticeFate OnNoticeRefused() { return NoticeFate::kTryAgain; }
  // A client asked for the progress of its stream.
  virtual ProgressTiming OnProgressRequested() { return ProgressTiming::kBehindEvents; }
  virtual EarlyRequest OnEarlyRequest() { return EarlyRequest::kDropped; }
  virtual PreviousGone OnPreviousGone() { return PreviousGone::kEndsTheWatch; }
  // A user wants to watch `range`, or goes on watching it after rights have changed: the range that
  // the user must be allowed to read for it.
  virtual KeyRange OnWatchAuthorized(const KeyRange& range) { return range; }

  // The wire.

  virtual ReplyCut OnSeveralEvents() { return ReplyCut::kNowhere; }
  virtual LastPart OnLastPart() { return LastPart::kSent; }
};

}  // namespace watchproof::store
