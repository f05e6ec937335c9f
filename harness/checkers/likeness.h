// SPDX-License-Identifier: Apache-2.0
// Bugs of etcd by what they look like from outside: a finding of the same looks names them, so that
// its reader knows where to read on. Looks prove nothing about the cause.
//
//   return Draft{.expected = ..., .observed = ..., .like = like::kProgressOvertakes};
//
// Threads: constants.
#pragma once

#include <string_view>

namespace watchproof::like {

inline constexpr std::string_view kDeleteAtTheFloor =
    "etcd #18089 (and #19179 after a crash): the delete at exactly the compaction revision is lost";
inline constexpr std::string_view kNegativeStart =
    "etcd #20693: a watch at a negative start makes other watches skip history";
inline constexpr std::string_view kSilentAfterCompaction =
    "etcd #17529: a slow watch is told neither its events nor that they were compacted";
inline constexpr std::string_view kNoticeRepeated =
    "etcd #22294: ErrCompacted is sent again and again";
inline constexpr std::string_view kFalseNotice =
    "etcd #15271: after a snapshot was restored, a watch is told ErrCompacted without cause";
inline constexpr std::string_view kReplayed =
    "etcd #15271: after a snapshot was restored, events are sent that had been sent before";
inline constexpr std::string_view kProgressOvertakes =
    "etcd #15220: requested progress is not ordered with events that are still to come";
inline constexpr std::string_view kProgressBelowStart =
    "etcd #20221: a watch that starts in the future is told progress from before its start";
inline constexpr std::string_view kEventsBelowStart =
    "etcd #20221: a watch that starts in the future is given events from before its start";
inline constexpr std::string_view kNoProgress =
    "etcd #17507: requested progress is not told before the next event";
inline constexpr std::string_view kPreviousValueGone =
    "etcd #10681: previous values are left out, though only once they have been compacted";
inline constexpr std::string_view kWrongWatchClosed =
    "etcd #12385: a refused create ends the watch with id 0";
inline constexpr std::string_view kRevisionsReused =
    "etcd #17780: after a crash during compaction, revisions are given to other writes";
inline constexpr std::string_view kWriteLost =
    "etcd #14370: a write that was acknowledged is gone after a crash";
inline constexpr std::string_view kStaleRead =
    "etcd #20418: a linearizable read is stale while the leader changes";
inline constexpr std::string_view kOpenRangeAllowed =
    "GHSA-xg4h-6gfc-h4m8: who may read one key may watch every key from it on";

}  // namespace watchproof::like
