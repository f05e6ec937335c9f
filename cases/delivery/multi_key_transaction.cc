// SPDX-License-Identifier: Apache-2.0
// All changes of a transaction have one revision. A client that resumes after half of it would
// never receive the rest, so a revision is never split over two responses.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Atomic, MultiKeyTransaction,
           {.requirement = "a list of events is guaranteed to encompass complete revisions (etcd "
                           "API, watch guarantees, atomic)",
            .explain = "Transactions over several keys are written under live watches, and while "
                       "other watches catch up on more history than fits into one batch. Each "
                       "revision must come whole in one response.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Atomic", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("together");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(6, 10); i > 0; --i) keys.push_back(scenario.Key(stem));
  const auto transact = [&] {
    prng.Shuffle(keys);
    const auto some =
        static_cast<std::ptrdiff_t>(prng.Between(2, static_cast<std::int64_t>(keys.size())));
    return scenario.PutTogether({keys.begin(), keys.begin() + some});
  };
  const Write first = transact();
  scenario.Watch({.group = "live", .count = 3, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("live");
  for (std::int64_t i = prng.Between(1050, 1100); i > 0; --i) transact();
  scenario.Watch(
      {.group = "late", .count = 3, .range = Prefix(stem + "/"), .start = first.revision()});
  scenario.AwaitCreated("late");
  for (std::int64_t i = prng.Between(5, 20); i > 0; --i) transact();
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof
