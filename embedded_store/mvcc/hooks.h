// SPDX-License-Identifier: Apache-2.0
// The points at which a defect can change what the store and its watch layer do.
//
//   class Forgetful final : public Hooks { NoticeFate OnNoticeRefused() override { ... } };
//
// Every default is the correct behaviour. The layers call a hook and follow its answer; they do not
// depend on what implements it. Hooks decide, they touch nothing and make no callbacks. Threads:
// hooks of the store are called under its lock, hooks of the watch layer on the hub's thread, those
// of the wire on the sending thread. Ownership: the caller's; hooks outlive store and hub.
#pragma once

#include "embedded_store/mvcc/key_range.h"
#include "harness/base/units.h"

namespace watchproof::store {

struct WatchSpec;  // of the watch layer

// What compaction does with a deletion exactly at the compaction floor.
enum class FloorDelete {
  kKept,     // a watch may start there
  kDropped,  // like every deletion below it
};

// What a starting store does with a deletion after compaction has removed its puts.
enum class LoneDelete { kRestored, kForgotten };

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

class Hooks {
 public:
  virtual ~Hooks() = default;
  // Hooks that change nothing.
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
  // The revision of the state that holds the previous value of a change at `mod`.
  virtual Revision OnPreviousSought(Revision mod) { return mod.previous(); }

  // The watch layer.

  // A create request arrives; the spec that the hook leaves counts as the client's request.
  virtual void OnCreate(WatchSpec& /*spec*/) {}
  // A create request has a start below 0.
  virtual NegativeStart OnNegativeStart() { return NegativeStart::kRefused; }
  // A create is refused: the id that the answer carries. A watch of that id stops being fed.
  virtual WatchId OnRefused() { return WatchId{-1}; }
  virtual CancelReach OnCancel() { return CancelReach::kNamedOnly; }
  // Events are about to be queued: the id they are sent under, if the stream has such a watch.
  virtual WatchId OnAddressed(WatchId id) { return id; }
  // Events from before its start, and progress, concern a watcher that starts in the future.
  virtual Early OnEarlyEvents() { return Early::kNothing; }
  virtual Early OnEarlyProgress() { return Early::kNothing; }
  // A watcher was given everything from its position to `last`: where it continues.
  virtual Revision OnHistoryGiven(Revision /*position*/, Revision last) { return last.next(); }
  // The queue of a stream has room again: where a watcher that waited for it continues.
  virtual Revision OnVictimServed(Revision position, Revision /*newest*/) { return position; }
  // A watcher gets a compaction notice for `floor`: the revision that the notice names.
  virtual Revision OnNotice(Revision floor) { return floor; }
  virtual AfterNotice OnNoticeSent() { return AfterNotice::kSilence; }
  // A sync step could not queue a compaction notice because the stream's queue was full.
  virtual NoticeFate OnNoticeRefused() { return NoticeFate::kTryAgain; }
  // A client asked for the progress of its stream.
  virtual ProgressTiming OnProgressRequested() { return ProgressTiming::kBehindEvents; }
  virtual EarlyRequest OnEarlyRequest() { return EarlyRequest::kDropped; }
  virtual PreviousGone OnPreviousGone() { return PreviousGone::kEndsTheWatch; }
  // A user creates a watch on `range`, or rights change while it is open: the range that the user
  // must be allowed to read for it.
  virtual KeyRange OnWatchAuthorized(const KeyRange& range) { return range; }

  // The wire.

  virtual ReplyCut OnSeveralEvents() { return ReplyCut::kNowhere; }
  virtual LastPart OnLastPart() { return LastPart::kSent; }
};

}  // namespace watchproof::store
