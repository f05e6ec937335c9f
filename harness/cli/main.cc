// SPDX-License-Identifier: Apache-2.0
#include <absl/synchronization/mutex.h>

#include "harness/cli/cli.h"

int main(int argc, char** argv) {
  // The locks inside gRPC. Debian builds them with a search for cycles at every lock that is taken,
  // which costs a store under load a twentieth of its time and has never been about our locks.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return watchproof::Main(argc, argv);
}
