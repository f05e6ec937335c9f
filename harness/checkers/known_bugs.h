// SPDX-License-Identifier: Apache-2.0
// Known-bug signatures: bugs of etcd by what they look like from outside. A finding of the same
// looks names them, so that its reader knows where to read on. Looks prove nothing about the cause,
// but a release that has fixed a bug, or a server alone that needs others for it, rules it out.
//
//   return Draft{.expected = ..., .observed = ..., .like = like::kProgressOvertakes};
//   record.like = KnownBugText(finding.like, {.is_etcd = true, .version = "3.5.16"});
//
// Threads: pure functions and constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

// What decides which of etcd's bugs a target can have.
struct BugCarrier {
  bool is_etcd = false;   // otherwise a signature is a resemblance and no more
  std::string version{};  // as the target tells; empty: unknown
  int members = 0;        // of its cluster; 0: unknown
};

// What a finding of that signature says to its reader. Empty where that bug cannot be: it needs
// more members, or the release never had it. One that this release has fixed is named with the
// release that did. An unknown signature is returned as it is.
std::string KnownBugText(std::string_view signature, const BugCarrier& target);

// The names of all signatures.
std::vector<std::string_view> AllSignatures();

}  // namespace watchproof

namespace watchproof::signature {

inline constexpr std::string_view kDeleteAtTheFloor = "delete-at-the-floor";
inline constexpr std::string_view kNegativeStart = "negative-start";
inline constexpr std::string_view kSilentAfterCompaction = "silent-after-compaction";
inline constexpr std::string_view kNoticeRepeated = "notice-repeated";
inline constexpr std::string_view kFalseNotice = "false-notice";
inline constexpr std::string_view kReplayed = "replayed";
inline constexpr std::string_view kProgressOvertakes = "progress-overtakes";
inline constexpr std::string_view kProgressBelowStart = "progress-below-start";
inline constexpr std::string_view kEventsBelowStart = "events-below-start";
inline constexpr std::string_view kNoProgress = "no-progress";
inline constexpr std::string_view kPreviousValueGone = "previous-value-gone";
inline constexpr std::string_view kWrongWatchClosed = "wrong-watch-closed";
inline constexpr std::string_view kRevisionsReused = "revisions-reused";
inline constexpr std::string_view kWriteLost = "write-lost";
inline constexpr std::string_view kStaleRead = "stale-read";
inline constexpr std::string_view kOpenRangeAllowed = "open-range-allowed";
inline constexpr std::string_view kAnswersOutOfOrder = "answers-out-of-order";

}  // namespace watchproof::signature
