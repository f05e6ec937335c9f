// SPDX-License-Identifier: Apache-2.0
// Progress is for a whole stream, so it depends on every watch of it: on those with filters that
// receive nothing, on those that were cancelled or refused, on those that a stall has left behind.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

constexpr const char* kAnswered =
    "a progress request is answered once every watch of the stream is synced (etcd API, "
    "WatchProgressRequest)";

WATCH_CASE(Bookmarkable, MixedStream,
           {.requirement = kAnswered,
            .explain = "Watches of all kinds share a stream: with filters, previous values, "
                       "fragments and ids of their own, on overlapping ranges, live and from "
                       "history, one of them cancelled. Progress is requested again and again "
                       "between writes. It must be answered, at or above what was written, and "
                       "nothing at or below it may follow.",
            .needs = {Capability::kProgressRequest, Capability::kClientChosenIds,
                      Capability::kFragment, Capability::kPreviousValues},
            .guarantees = {"Bookmarkable", "Reliable", "Filtered"}}) {
  const std::string stem = scenario.Key("mixed");
  const std::string key = stem + "/k";
  const WatchedRange range = Below(stem);
  const Write first = scenario.Put(key);
  const auto write = [&] {
    scenario.PutSome(key, {3, 9});
    scenario.Delete(key);
    scenario.PutTogether({key, stem + "/l", scenario.Key("elsewhere")});
  };
  write();
  const RevisionRef start = first;
  scenario.Watch({.group = "all", .range = range});
  scenario.Watch({.group = "all", .range = range, .start = start, .options = {.no_put = true}});
  scenario.Watch({.group = "all",
                  .range = OneKey(key),
                  .first_id = 77,
                  .options = {.prev_kv = true, .no_delete = true}});
  scenario.Watch({.group = "all",
                  .range = {key, std::string(1, '\0')},
                  .start = start,
                  .options = {.prev_kv = true, .fragment = true}});
  scenario.Watch({.group = "nothing",
                  .range = range,
                  .start = start,
                  .options = {.no_put = true, .no_delete = true}});
  scenario.Watch({.group = "quiet", .range = OneKey(scenario.Key("quiet"))});
  scenario.Open({.group = "leaves", .range = range, .start = start, .first_id = 99});
  scenario.Add(CancelStep{"leaves"});
  for (std::int64_t round = scenario.Between(2, 3); round > 0; --round) {
    scenario.Add(MustReportProgressStep{});
    scenario.Add(RequestProgressStep{});
    write();
    scenario.Add(RequestProgressStep{});
    scenario.AwaitDelivered("all");
  }
  scenario.Require("nothing", RequireStep::Fact::kSilent);
  scenario.Add(MustReportProgressStep{});
}

WATCH_CASE(Bookmarkable, CancelledWhileBehind,
           {.requirement = kAnswered,
            .explain = "A watch with much history to read is cancelled before it has received it "
                       "all. Another watch of the stream is synced, so a progress request must be "
                       "answered: a watch that is gone must not count as behind.",
            .needs = {Capability::kProgressRequest, Capability::kClientChosenIds},
            .guarantees = {"Bookmarkable", "Settled"}}) {
  const std::string key = scenario.Key("long");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {1100, 1300});
  scenario.Open({.group = "synced", .range = OneKey(scenario.Key("other"))});
  // Together they leave the client as one burst.
  scenario.Watch(
      {.group = "behind", .count = 20, .range = OneKey(key), .start = first, .first_id = 1000});
  scenario.Add(CancelStep{"behind"});
  // A busy store may have delivered everything before those cancels. Each of these comes right
  // behind its create.
  scenario.Add(ChurnStep{
      .group = "behind", .count = 20, .range = OneKey(key), .start = first, .first_id = 2000});
  scenario.Require("behind", RequireStep::Fact::kCancelled);
  scenario.Add(MustReportProgressStep{});
}

WATCH_CASE(Bookmarkable, AfterStall,
           {.requirement = kAnswered,
            .explain = "A stream is stalled until its queue is full and its watches are behind. "
                       "When the stall is over and everything has been delivered, a progress "
                       "request must be answered, at or above the last event.",
            .needs = {Capability::kProxy, Capability::kProgressRequest},
            .guarantees = {"Bookmarkable", "Reliable"}}) {
  const std::string key = scenario.Key("busy");
  scenario.Put(key);
  scenario.Open({.group = "behind", .count = 300, .range = OneKey(key)});
  scenario.Stall(key, {20, 30}, {1000, 4000});
  scenario.Require("behind", RequireStep::Fact::kBehind);
  scenario.Add(RequestProgressStep{});
  scenario.Heal("stall");
  scenario.AwaitDelivered("behind");
  scenario.Add(MustReportProgressStep{});
}

WATCH_CASE(Bookmarkable, EverythingFilteredOut,
           {.requirement = kAnswered,
            .explain = "A watch with both filters receives no event, live or from history. Its "
                       "keys are written. It must receive nothing, and progress must follow the "
                       "store all the same.",
            .needs = {Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"}}) {
  const std::string key = scenario.Key("hidden");
  const Write first = scenario.Put(key);
  const WatchOptions both{.no_put = true, .no_delete = true};
  scenario.Watch({.group = "live", .range = OneKey(key), .options = both});
  scenario.PutSome(key, {5, 20});
  scenario.Delete(key);
  scenario.Watch({.group = "late", .range = OneKey(key), .start = first, .options = both});
  scenario.AwaitCreated("live", "late");
  for (std::int64_t i = scenario.Between(2, 5); i > 0; --i) {
    scenario.Put(key);
    scenario.Add(MustReportProgressStep{});
  }
  for (const char* group : {"live", "late"}) scenario.Require(group, RequireStep::Fact::kSilent);
}

WATCH_CASE(Bookmarkable, AfterRefusedCreate,
           {.requirement = kAnswered,
            .explain = "Creates are refused on a stream, for an id that is in use and for a range "
                       "that holds no key. The open watches are synced, so a progress "
                       "request must be answered.",
            .needs = {Capability::kProgressRequest, Capability::kClientChosenIds},
            .guarantees = {"Bookmarkable", "Settled"}}) {
  const std::string key = scenario.Key("kept");
  scenario.Put(key);
  scenario.Open({.group = "open", .range = OneKey(key), .first_id = 5});
  for (std::int64_t i = scenario.Between(1, 4); i > 0; --i) {
    scenario.Watch({.group = "in use", .range = OneKey(key), .first_id = 5});
    scenario.Watch({.group = "empty", .range = {key + "z", key}});
  }
  for (const char* group : {"in use", "empty"}) {
    scenario.AwaitCreated(group);
    scenario.Require(group, RequireStep::Fact::kRefused);
  }
  scenario.Add(MustReportProgressStep{});
  scenario.Put(key);
  scenario.AwaitDelivered("open");
  scenario.Add(MustReportProgressStep{});
}

WATCH_CASE(Bookmarkable, NoticesBetweenEvents,
           {.requirement = "a watch with progress_notify receives progress periodically, and "
                           "everything up to it has been delivered (etcd API, Bookmarkable)",
            .explain = "Watches with progress_notify, one of them with a filter, one that reads "
                       "history, get events and notices in turn, while clients write. No event "
                       "may follow a notice that covers it, and notices must come.",
            .needs = {Capability::kProgressNotices},
            .guarantees = {"Bookmarkable", "Reliable", "Filtered"}}) {
  const std::string stem = scenario.Key("noticed");
  const Write first = scenario.Put(stem + "/0");
  const auto watch = [&](const RevisionRef& start, bool no_put) {
    scenario.Watch({.group = "noticed",
                    .range = Below(stem),
                    .start = start,
                    .options = {.progress_notify = true, .no_put = no_put}});
  };
  watch(FromNow(), false);
  watch(FromNow(), true);
  watch(first, false);
  scenario.AwaitCreated("noticed");
  scenario.BeginLoad({.clients = 2, .calls = 150, .keys = 3, .key = stem});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("noticed");
  scenario.Add(MustReportProgressStep{.asked = false});
  scenario.Put(stem + "/0");
  scenario.AwaitDelivered("noticed");
  scenario.Add(MustReportProgressStep{.asked = false});
}

}  // namespace
}  // namespace watchproof
