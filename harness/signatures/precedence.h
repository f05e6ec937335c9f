// SPDX-License-Identifier: Apache-2.0
// Which signature a finding gets where several fit: the first of these. A signature has more than
// one rank where it shows in several ways that are not equally certain.
//
// Threads: constants, and functions without state.
#pragma once

#include <cstddef>
#include <string_view>

namespace watchproof {

enum class Rank : std::size_t {
  // The message was meant for another watch, whatever it does to this one.
  kSentToNamesake,
  kIdOfMinusOne,
  kNoticeToNamesake,
  kNoticeRepeated,
  // After these the recording's history is not the store's.
  kRestoredAsItWas,
  kRevisionsReused,
  kDoneBeyondSpace,
  kRefusedWriteDone,
  kAppliedAgain,
  kLeftOut,
  // Why something is missing, the most specific first.
  kJoinsEndedWatch,
  kRecreatedAtTheFloor,
  kHalfRevisionAtTheFloor,
  kChangeToNamesake,
  kDeleteAtTheFloor,
  kEndedUnseen,
  kProgressForLaterWatch,
  kNegativeStart,
  kWrongWatchClosed,
  kSilentAfterCompaction,
  // It may be on its way, and only the progress came too early.
  kPassedOverByNamesake,
  kProgressOvertakes,
  kProgressBelowStart,
  kProgressHeldBack,
  kNoProgress,
  kForgottenByCancel,
  kPreviousValueGone,
  kOptionsTooLate,
  kCreatedTooLate,
  kEventsBelowStart,
  kNamesItsRequest,
  kOpenRangeAllowed,
  kOpenEndOverlooked,
  kPutOptionsUnchecked,
  kNestedRightsUnchecked,
  kLeaseKeysShown,
  kCallsUnguarded,
  kLeaderUnguarded,
  kTokenJudgedWhileDisabled,
  kNestedPutsUncounted,
  kElectedWithoutLease,
  kLockedWithoutLease,
  kWatchKeepsRight,
  kSlowStreamEnded,
  kKeptWithoutLeader,
  kWriteLost,
  kStaleRead,
  kLeaseLeftOut,
  kSortedInParts,
  // That the former watch of the id waited for the event is known, the rest is guessed.
  kFormerWatchWaited,
  kReplayed,
  kQuietWatchCompacted,
  kFalseNotice,
  kAnswersOutOfOrder,
  kOldDatabaseBack,
  kSnapshotTakenAway,
  kHashInSnapshot,
  kSnapshotAheadOfIndex,
  kRightsFromClosedDatabase,
  kSnapshotGone,
  kKeptValueDeleted,
  kHalfTransaction,
  kOlderSnapshotLast,
  kRefusesAfterSnapshot,
  kTimeWithoutEnd,
  kRevokedOnWaking,
  kRightsLeftBehind,
  kCountsLess,
  kStarvedByReads,
  kSlowedByBacklog,
  kBacklogKept,
  kGoroutineLeftBehind,
  kWatchersMiscounted,
  kCountedOutTwice,
  kLearnerForgotten,
  kVoteForgotten,
  kUnknownToItsLeader,
  kDamageServed,
  kPromotionWithoutUser,
  kNoneAddedWhileOneIsDown,
  kEndedAsUnavailable,
  kSortsByNothing,
  kGrantsNothing,
  kAddsNoRole,
  kAlarmOfNoAction,
  kEnd,
};

std::string_view NameOf(Rank rank);

// Whether a finding with this signature, or none, is taken for a consequence once the store turns
// out to have left the recording's history: then that is its signature.
bool GivesWay(std::string_view signature);

}  // namespace watchproof
