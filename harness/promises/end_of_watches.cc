// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/probe.h"
#include "harness/promises/promise.h"
#include "harness/promises/used_streams.h"

namespace watchproof {
namespace {

// Each cancel is answered, and then nothing comes, which later writes show: a watch that is created
// before them receives them on the same stream.
const PromiseRegistration kCancel{{
    .name = "end-of-watches",
    .text = "the end of every watch by its cancel",
    .place = 900,
    .ask =
        [](Driver& driver, NewWatches&) {
          const std::set<std::string> keys = KeysToProbe(driver);
          CancelAndAwait(driver, OpenWatches(driver));
          std::vector<WatchRef> last;
          for (const UsedStream& on : UsedStreams(driver)) {
            last.push_back(CreateOn(driver, on, on.range, {}));
          }
          AwaitAnswered(driver, last);
          if (last.empty() || driver.GivesUp()) return;
          driver.PutEach(keys);
          driver.RequireDelivery(last);
        },
}};

}  // namespace
}  // namespace watchproof
