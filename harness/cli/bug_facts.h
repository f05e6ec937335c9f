// SPDX-License-Identifier: Apache-2.0
// What there is to say of a known bug, as names and texts: for `bugs` and `explain`.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/bugs/answer_key.h"

namespace watchproof {

using Facts = std::vector<std::pair<std::string, std::string>>;

// Some texts may be empty.
Facts FactsOf(const Bug& bug);
// "3.4 < 3.4.34, 3.5 < 3.5.16"
std::string RangesOf(const Bug& bug);
// Links to etcd's tracker.
std::string IssueUrls(const std::vector<int>& numbers);
std::string UrlsOf(const Bug& bug);
// As one JSON document, without the line end.
std::string BugJson(const Bug& bug, const Facts& facts);

}  // namespace watchproof
