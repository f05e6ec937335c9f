// SPDX-License-Identifier: Apache-2.0
// counted-out-twice (etcd #11882): a watch is cancelled while its stream ends, and counted out with
// the cancel and with the stream. Of a compacted watch it is another bug, mended later.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(CountedOutTwice, "counted-out-twice") {
  if (!one.Says(" watchers, ") || !one.Says(" too few")) return false;
  const WatchTable& table = one.facts.table;
  for (WatchIndex watch{}; watch.value < table.size(); ++watch.value) {
    if (table.details(watch).cancel_asked && table.state(watch).end != WatchEnd::kCancelled) {
      return true;
    }
  }
  return false;
}

}  // namespace watchproof
