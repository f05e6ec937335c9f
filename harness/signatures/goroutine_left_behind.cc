// SPDX-License-Identifier: Apache-2.0
// goroutine-left-behind (etcd #18784): the goroutine that reads the requests of a stalled stream
// waits for room in the queue of answers, and does not notice that the stream has ended.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(GoroutineLeftBehind, "goroutine-left-behind") {
  return one.Says(" goroutines, ") &&
         one.facts.faults.WasHealed("stall", one.at(), Duration::max());
}

}  // namespace watchproof
