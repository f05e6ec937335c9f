// SPDX-License-Identifier: Apache-2.0
#include "harness/session/interrupt.h"

#include <signal.h>

namespace watchproof {
namespace {
volatile sig_atomic_t g_interrupted = 0;
void Remember(int) { g_interrupted = 1; }
}  // namespace

void WatchForInterrupts() {
  struct sigaction action {};
  action.sa_handler = Remember;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(number, &action, nullptr);
}

bool Interrupted() { return g_interrupted != 0; }

}  // namespace watchproof
