// SPDX-License-Identifier: Apache-2.0
// watchers-miscounted (etcd #20065): a watch that ended with ErrCompacted is cancelled while its
// stream ends, and counted out twice.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(WatchersMiscounted, "watchers-miscounted") {
  return one.Says(" watchers, ") && one.Says(" too few") &&
         one.facts.model.calls().compaction_requested().value > 0;
}

}  // namespace watchproof
