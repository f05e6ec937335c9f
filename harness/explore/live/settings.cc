// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/settings.h"

#include <vector>

namespace watchproof::explore {
namespace {

using Choices = std::vector<std::int64_t>;

// One in two is as by default. A process that is killed loses nothing that it did not flush, and
// takes a seventh more scripts.
Server OfOne(Prng& prng) {
  if (prng.Chance(0.5)) return {};
  Server settings{.progress_ms = prng.Pick(Choices{0, 100, 1000}),
                  .unsynced = prng.Chance(0.75),
                  .disk = prng.Chance(0.3)};
  if (prng.Chance(0.3)) settings.snapshot_count = prng.Pick(Choices{10, 200});
  return settings;
}

// Most logs are so short that a member that was cut off for a moment is sent a snapshot.
Server OfMany(Prng& prng) {
  Server settings{.progress_ms = prng.Pick(Choices{0, 0, 100, 1000}),
                  .unsynced = prng.Chance(0.75)};
  if (prng.Chance(0.7)) {
    settings.snapshot_count = prng.Pick(Choices{10, 50, 200});
    settings.catch_up_entries = prng.Pick(Choices{1, 5, 20});
  }
  return settings;
}

}  // namespace

Server DrawSettings(int members, Prng prng) {
  Server settings = members > 1 ? OfMany(prng) : OfOne(prng);
  if (prng.Chance(0.3)) settings.compaction_batch = prng.Pick(Choices{1, 10});
  return settings;
}

}  // namespace watchproof::explore
