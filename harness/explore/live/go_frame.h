// SPDX-License-Identifier: Apache-2.0
// The part of a report's Go program that is the same for every finding: it sends, reads, prints
// and compares; the body says what.
//
//   GoFrame(body, users)       // "package main ... func main() { ... }"
//
// `users`: the body calls permit, and opens streams as asReader. Threads: pure function.
#pragma once

#include <string>
#include <string_view>

namespace watchproof::explore {

std::string GoFrame(std::string_view body, bool users);

}  // namespace watchproof::explore
