// SPDX-License-Identifier: Apache-2.0
// The faults, their order, their moments and their overlaps are drawn from the seed. Whatever they
// are, the resumed watches must have received every event, once.
#include "cases/support/random_writer.h"
#include "cases/support/schedule.h"
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, RandomFaultSchedule,
           {.requirement = "events are ordered, unique, atomic and never dropped, and a watch can "
                           "be resumed (etcd API, watch guarantees)",
            .explain = "Two rounds of overlapping faults, drawn from the seed: slow paths, "
                       "watches that fall behind, and connections, streams and servers that end, "
                       "at moments that are drawn too. Between the rounds the history is "
                       "compacted. Every event must arrive once and in order, every revision "
                       "whole.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kDurable,
                      Capability::kProgressRequest},
            .guarantees = {"Resumable", "Reliable", "Unique", "Ordered", "Atomic"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("area");
  RandomWriter writer(scenario, stem);
  writer.Write(10, 20);
  scenario.Watch({.group = "first", .count = 20, .range = Prefix(stem + "/")});
  scenario.Watch({.group = "first", .count = 20, .range = OneKey(writer.key())});
  scenario.AwaitCreated("first");
  Schedule schedule(scenario,
                    {.group = "first", .write = [&writer](std::int64_t least, std::int64_t most) {
                       writer.Write(least, most);
                     }});
  scenario.BeginLoad(
      {.clients = 2, .calls = 100, .keys = 3, .key = stem + "/load", .direct = true});
  scenario.Add(
      WhenStep{.moment = WhenStep::Moment::kCalls, .of = "load", .count = prng.Between(1, 100)});
  schedule.Round();
  scenario.AwaitLoad();
  scenario.Compact(AtHead(-prng.Between(0, 20)));
  writer.Write(1, 5);
  // The first response after the compaction.
  scenario.Add(WhenStep{.of = schedule.group(), .count = 1});
  schedule.Round();
}

}  // namespace
}  // namespace watchproof
