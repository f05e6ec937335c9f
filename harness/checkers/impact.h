// SPDX-License-Identifier: Apache-2.0
// The impact of a finding on a Kubernetes cache, for guarantees that can be broken in several ways
// with different impacts. A finding without its own impact shows that of its guarantee.
//
//   return Draft{.expected = ..., .observed = ..., .impact = impact::kNoticeFalse};
//
// Threads: constants.
#pragma once

#include <string_view>

namespace watchproof::impact {

// Reliable.
inline constexpr std::string_view kChangeLost =
    "A Kubernetes cache holds an object as it was before a change that it did not receive, and "
    "has no reason to list it anew.";
inline constexpr std::string_view kChangeInvented =
    "A Kubernetes cache holds a state of an object that was never written, and has no reason to "
    "list it anew.";
inline constexpr std::string_view kChangeRepeated =
    "A Kubernetes cache applies an old change again: an object returns to an older state, or a "
    "deleted object reappears.";

// CompactionSurfaced.
inline constexpr std::string_view kNoticeMissing =
    "A Kubernetes cache starts over only when it receives ErrCompacted. Without it, the cache "
    "serves outdated objects as if they were current.";
inline constexpr std::string_view kNoticeFalse =
    "A Kubernetes cache lists everything anew without need; all caches at once may overload the "
    "store.";
inline constexpr std::string_view kNoticeRepeated =
    "A Kubernetes API server receives the end of the same watch again and again, and these "
    "messages delay the other watches of the stream.";
inline constexpr std::string_view kNoticeNumber =
    "A Kubernetes cache that restarts at the reported revision is refused again, or skips the "
    "changes before that revision.";

// Settled.
inline constexpr std::string_view kCreateUnanswered =
    "A Kubernetes cache waits for its watch to begin, and serves outdated objects as if they were "
    "current.";
inline constexpr std::string_view kCancelUnanswered =
    "A Kubernetes API server keeps a watch that its client has cancelled, with its memory and "
    "traffic.";
inline constexpr std::string_view kEndedUnasked =
    "A Kubernetes cache re-creates its watch each time, and lags behind the store in between.";
inline constexpr std::string_view kAnsweredUnasked =
    "A Kubernetes API server applies the message to the wrong watch, or drops the stream with all "
    "its watches.";

// Bookmarkable.
inline constexpr std::string_view kBookmarkTooHigh =
    "A Kubernetes cache resumes from the bookmark, and so skips the changes that were still to "
    "come.";
inline constexpr std::string_view kBookmarkTooLow =
    "A Kubernetes cache resumes from the bookmark, and so receives changes again that it already "
    "has, or is refused as compacted.";
inline constexpr std::string_view kBookmarkMissing =
    "A Kubernetes cache cannot detect that it is up to date: reads of the latest state wait, and "
    "after a disconnection it resumes from a revision that may be compacted.";

}  // namespace watchproof::impact
