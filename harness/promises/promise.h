// SPDX-License-Identifier: Apache-2.0
// Standing promises: what every script is asked at its end, whatever it did. Each is one file that
// registers itself, and works with any driver.
//
//   const PromiseRegistration kEnd{{
//       .name = "end-of-watches", .text = "the end of every watch by its cancel", .place = 900,
//       .ask = [](Driver& driver, NewWatches&) { ... },
//   }};
//   AskStandingPromises(driver);
//
// Asking makes requests and records what is due; checkers judge it from the recording. A program
// that asks them links this folder itself, because the registrations would be dropped from an
// archive. Threads: registered before main; asking as its driver.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/promises/driver.h"

namespace watchproof {

// What the promises before have made, for those behind.
struct NewWatches {
  std::vector<WatchRef> fresh;  // open watches with ids that were never used before
};

struct StandingPromise {
  std::string_view name;  // in profiles and recordings
  std::string_view text;  // for readers
  int place = 0;          // in the order of asking
  std::function<void(Driver& driver, NewWatches& made)> ask;
  bool of_cluster = false;  // asked of clusters only
};

// In the order of asking.
inline std::vector<StandingPromise>& StandingPromises() {
  static std::vector<StandingPromise> promises;
  return promises;
}

struct PromiseRegistration {
  explicit PromiseRegistration(StandingPromise promise) {
    auto& all = StandingPromises();
    const auto behind = std::ranges::upper_bound(all, promise.place, {}, &StandingPromise::place);
    all.insert(behind, std::move(promise));
  }
};

inline const StandingPromise* FindStandingPromise(std::string_view name) {
  const auto& all = StandingPromises();
  const auto found = std::ranges::find(all, name, &StandingPromise::name);
  return found == all.end() ? nullptr : &*found;
}

// The text; of one of another version, the name.
inline std::string TextOfPromise(std::string_view name) {
  const StandingPromise* const promise = FindStandingPromise(name);
  return std::string(promise == nullptr ? name : promise->text);
}

// All that the driver does not leave out, until it gives up.
inline void AskStandingPromises(Driver& driver) {
  NewWatches made;
  for (const StandingPromise& promise : StandingPromises()) {
    if (driver.GivesUp()) return;
    if (promise.of_cluster && driver.members() == 1) continue;
    if (driver.Begin(promise.name)) promise.ask(driver, made);
  }
}

}  // namespace watchproof
