// SPDX-License-Identifier: Apache-2.0
// What a broken promise does to a Kubernetes cache, where one guarantee can be broken in ways that
// differ in that. A finding without one says what its guarantee does.
//
//   return Draft{.expected = ..., .observed = ..., .impact = impact::kNoticeFalse};
//
// Threads: constants.
#pragma once

#include <string_view>

namespace watchproof::impact {

// Reliable.
inline constexpr std::string_view kChangeLost =
    "A Kubernetes cache holds an object as it was before a change that it was not given, and has "
    "no reason to list it anew.";
inline constexpr std::string_view kChangeInvented =
    "A Kubernetes cache holds an object as it was never written, and has no reason to list it "
    "anew.";
inline constexpr std::string_view kChangeRepeated =
    "A Kubernetes cache applies an old change once more: an object goes back in time, or one that "
    "was deleted comes back.";

// CompactionSurfaced.
inline constexpr std::string_view kNoticeMissing =
    "Only ErrCompacted tells a Kubernetes cache to start over. Without it, it serves what it has "
    "as if that were up to date.";
inline constexpr std::string_view kNoticeFalse =
    "A Kubernetes cache lists everything anew for nothing; all caches at once are a load that the "
    "store may not bear.";
inline constexpr std::string_view kNoticeRepeated =
    "A Kubernetes API server is sent the end of the same watch over and over, and the stream "
    "carries little else.";
inline constexpr std::string_view kNoticeNumber =
    "A Kubernetes cache that starts again at the revision it was told is refused once more, or "
    "skips what lies before it.";

// Settled.
inline constexpr std::string_view kCreateUnanswered =
    "A Kubernetes cache waits for its watch to begin, and serves what it has as if that were up "
    "to date.";
inline constexpr std::string_view kCancelUnanswered =
    "A Kubernetes API server keeps a watch that its client has given up, and the memory and "
    "traffic of it.";
inline constexpr std::string_view kEndedUnasked =
    "A Kubernetes cache opens its watch again each time, and is behind the store in between.";
inline constexpr std::string_view kAnsweredUnasked =
    "A Kubernetes API server takes the message for one about another watch, or gives up the "
    "stream with all its watches.";

// Bookmarkable.
inline constexpr std::string_view kBookmarkTooHigh =
    "A Kubernetes cache notes the bookmark as its place. Resumed from there it skips what was "
    "still to come.";
inline constexpr std::string_view kBookmarkTooLow =
    "A Kubernetes cache notes the bookmark as its place. Resumed from there it is given again "
    "what it knows, or is refused as compacted.";
inline constexpr std::string_view kBookmarkMissing =
    "A Kubernetes cache cannot tell that it is up to date: reads of the latest state wait, and "
    "after a break it resumes from a place that may be compacted.";

}  // namespace watchproof::impact
