// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/progress.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

constexpr std::string_view kPeriodicName = "periodic-progress";

const PromiseRegistration kPeriodic{{
    .name = kPeriodicName,
    .text = "progress by itself to quiet watches that asked for it",
    .place = 400,
    .ask =
        [](Driver& driver, NewWatches&) {
          const std::set<StreamId> streams = QuietStreamsOf(driver).periodic;
          const std::string why =
              streams.empty() ? "" : driver.Without(Capability::kProgressNotices);
          if (!why.empty()) return driver.Leave(kPeriodicName, why);
          for (const StreamId stream : streams) {
            driver.RequireProgress(stream, Driver::Progress::kPeriodic);
          }
        },
}};

}  // namespace
}  // namespace watchproof
