// SPDX-License-Identifier: Apache-2.0
// Writes into a store in which nothing else happens: no other call wakes what a write should have
// woken.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// A wake-up that is lost once in a thousand times is missed by one attempt in a thousand.
constexpr std::size_t kPuts = 7000;

WATCH_CASE(Settled, EachWriteAlone,
           {.requirement = "a watch reports every change of its keys (etcd API, Watch), by itself",
            .explain = "Watches on three streams, two of them on one connection, follow one key. "
                       "It is put thousands of times, each time once all of them have received the "
                       "put before, and nothing else is asked of the store meanwhile. Each put "
                       "must come. A store that loses a wake-up now and then delivers such a put "
                       "with the next call: its clients see nothing of it while there is load, and "
                       "in a quiet store they wait for minutes.",
            .guarantees = {"Settled", "Reliable"}}) {
  const std::string key = scenario.Key("alone");
  scenario.Put(key);
  scenario.Open({.group = "all", .range = OneKey(key)});
  scenario.Open({.group = "all", .range = OneKey(key), .stream = "other", .beside = "main"});
  scenario.Open({.group = "all", .range = Below("alone"), .stream = "direct/third"});
  scenario.Add(PacedPutsStep{.key = key, .group = "all", .count = kPuts});
}

}  // namespace
}  // namespace watchproof
