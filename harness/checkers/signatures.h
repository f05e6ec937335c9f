// SPDX-License-Identifier: Apache-2.0
// Signatures: what findings look like that a known bug causes. Which bug that is, and which
// releases have it, stands in the answer key, fixtures/bugs, under the same names.
//
//   return Draft{.expected = ..., .observed = ..., .signature = signature::kProgressOvertakes};
//
// Threads: constants.
#pragma once

#include <string_view>

namespace watchproof::signature {

inline constexpr std::string_view kDeleteAtTheFloor = "delete-at-the-floor";
inline constexpr std::string_view kHalfRevisionAtTheFloor = "half-revision-at-the-floor";
inline constexpr std::string_view kNegativeStart = "negative-start";
inline constexpr std::string_view kIdOfMinusOne = "id-of-minus-one";
inline constexpr std::string_view kSilentAfterCompaction = "silent-after-compaction";
inline constexpr std::string_view kNoticeRepeated = "notice-repeated";
inline constexpr std::string_view kFalseNotice = "false-notice";
inline constexpr std::string_view kReplayed = "replayed";
inline constexpr std::string_view kProgressOvertakes = "progress-overtakes";
inline constexpr std::string_view kProgressBelowStart = "progress-below-start";
inline constexpr std::string_view kEventsBelowStart = "events-below-start";
inline constexpr std::string_view kNoProgress = "no-progress";
inline constexpr std::string_view kProgressHeldBack = "progress-held-back";
inline constexpr std::string_view kEventsOfFormer = "events-of-former-watch";
inline constexpr std::string_view kPreviousValueGone = "previous-value-gone";
inline constexpr std::string_view kWrongWatchClosed = "wrong-watch-closed";
inline constexpr std::string_view kRevisionsReused = "revisions-reused";
inline constexpr std::string_view kWriteLost = "write-lost";
inline constexpr std::string_view kStaleRead = "stale-read";
inline constexpr std::string_view kOpenRangeAllowed = "open-range-allowed";
inline constexpr std::string_view kAnswersOutOfOrder = "answers-out-of-order";
inline constexpr std::string_view kLeaseLeftOut = "lease-left-out";
inline constexpr std::string_view kForgottenByCancel = "forgotten-by-cancel";
inline constexpr std::string_view kCreatedTooLate = "created-too-late";
inline constexpr std::string_view kOptionsTooLate = "options-too-late";
inline constexpr std::string_view kProgressForLaterWatch = "progress-for-a-later-watch";
inline constexpr std::string_view kRefusedWriteDone = "refused-write-done";
inline constexpr std::string_view kNamesItsRequest = "created-revision-of-request";
inline constexpr std::string_view kJoinsEndedWatch = "joins-ended-watch";
inline constexpr std::string_view kSlowStreamEnded = "slow-stream-ended";
inline constexpr std::string_view kKeptWithoutLeader = "kept-without-leader";

}  // namespace watchproof::signature
