// SPDX-License-Identifier: Apache-2.0
// Known-bug signatures: patterns that match findings to bugs of etcd. A matching finding names the
// upstream issue for its reader. A match does not prove the cause; but a bug is ruled out if the
// release has fixed it, or if it needs a cluster and the target is a single server.
//
//   return Draft{.expected = ..., .observed = ..., .signature = signature::kProgressOvertakes};
//   text = KnownBugText(finding.signature, {.is_etcd = true, .version = "3.5.16"});
//
// Threads: pure functions and constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

// The properties of a target that decide which of etcd's bugs it can have.
struct BugCarrier {
  bool is_etcd = false;   // otherwise a signature is a resemblance and no more
  std::string version{};  // as the target reports it; empty: unknown
  int members = 0;        // of its cluster; 0: unknown
};

// The text that a finding with the signature shows. Empty if the target cannot have the bug: it
// needs more members, or the release never had it. A bug that the release has fixed is named
// together with the release that fixed it. An unknown signature is returned unchanged.
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
