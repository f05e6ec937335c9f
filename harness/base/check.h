// SPDX-License-Identifier: Apache-2.0
// WP_CHECK(condition, "why"): a failure is a bug in this repository. Prints, runs the crash note,
// aborts; active in every build.
//
// Threads: any.
#pragma once

namespace watchproof {

// Called once before the abort, for example to print the tail of a recording. Must not wait or
// lock. The one that was set last counts.
using CrashNote = void (*)();
void SetCrashNote(CrashNote note);

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const char* why);

}  // namespace watchproof

#define WP_CHECK(condition, why)                                                        \
  do {                                                                                  \
    if (!(condition)) ::watchproof::CheckFailed(__FILE__, __LINE__, #condition, (why)); \
  } while (false)
