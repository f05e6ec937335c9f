// SPDX-License-Identifier: Apache-2.0
// Phrases for findings, so that all findings use the same wording.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/deadline.h"
#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"

namespace watchproof {

// In double quotes, unprintable bytes as \xNN, long texts cut: "k/4".
std::string Quoted(std::string_view bytes);
// "k", ["a", "b"), every key, every key from "a".
std::string Phrase(const KeyRange& range);
std::string Phrase(const KeyRanges& ranges);
// 1.3 ms
std::string Milliseconds(Duration duration);
// put of "k/4" at revision 3
std::string Phrase(const EventView& event);
std::string Phrase(const Change& change);
// in line 212, 1.3 ms after line 211
std::string Since(Where now, Where before);

// What several guarantees may do to a Kubernetes cache.
namespace impact {
inline constexpr std::string_view kAnsweredUnasked =
    "A Kubernetes API server applies the message to the wrong watch, or drops the stream with all "
    "its watches.";
inline constexpr std::string_view kEndedUnasked =
    "A Kubernetes cache re-creates its watch each time, and lags behind the store in between.";
inline constexpr std::string_view kChangeLost =
    "A Kubernetes cache holds an object as it was before a change that it did not receive, and "
    "has no reason to list it anew.";
}  // namespace impact

// Parts of a promise, for findings that break no more than this.
namespace clause {
inline constexpr std::string_view kLasts = "W-20";
inline constexpr std::string_view kOnlyAnswers = "W-21";
inline constexpr std::string_view kDisabled = "A-18";  // what holds while authentication is
}  // namespace clause

}  // namespace watchproof
