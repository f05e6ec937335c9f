// SPDX-License-Identifier: Apache-2.0
#include "harness/base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace watchproof {
namespace {
std::atomic<CrashNote> g_crash_note{nullptr};
}  // namespace

void SetCrashNote(CrashNote note) { g_crash_note = note; }

void CheckFailed(const char* file, int line, const char* condition, const char* why) {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, why);
  if (CrashNote note = g_crash_note.exchange(nullptr)) note();
  std::abort();
}

}  // namespace watchproof
