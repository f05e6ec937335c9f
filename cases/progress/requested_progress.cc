// SPDX-License-Identifier: Apache-2.0
// Progress that a client requests: when it must be answered, and what the answer covers.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// A client with keys that never change learns the store's revision only from progress. Without it
// the client falls below the compaction floor, and its next reconnect has to read everything anew.
WATCH_CASE(Bookmarkable, RequestedProgress,
           {.requirement = "a progress request is answered once every watch of the stream is "
                           "caught up (etcd API, WatchProgressRequest)",
            .explain = "A watch on an idle key starts in the past, so that it has history to "
                       "read, and progress is requested at once, then again and again. One of the "
                       "requests must be answered. Servers that keep the first request until the "
                       "next event answer none, because no event comes (etcd #17507).",
            .needs = {Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"},
            .upstream = {17507}}) {
  const Write first = scenario.Put(scenario.Key("busy"));
  for (std::int64_t i = scenario.Between(20, 60); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Watch({.group = "quiet", .range = OneKey(scenario.Key("quiet")), .start = first});
  scenario.Add(RequestProgressStep{});
  scenario.AwaitCreated("quiet");
  scenario.Add(AwaitSyncPassesStep{2});
  scenario.Add(MustReportProgressStep{});
}

WATCH_CASE(Bookmarkable, OtherStreamAsks,
           {.requirement = "a progress request is for the watches of its own stream (etcd API, "
                           "WatchProgressRequest)",
            .explain = "Two streams share one connection, each with watches of the same ids. One "
                       "asks for progress again and again while keys of both are written, and "
                       "the answers are awaited. The other stream must receive its events, and "
                       "no progress that it did not ask for, until it asks itself.",
            .needs = {Capability::kProgressRequest, Capability::kClientChosenIds},
            .guarantees = {"Bookmarkable", "Isolated", "Reliable"}}) {
  const std::vector<std::string> streams = {"asking", "other"};
  std::vector<std::string> keys;
  for (const std::string& stream : streams) {
    keys.push_back(scenario.Key(stream));
    scenario.Put(keys.back());
    scenario.Open({.group = stream,
                   .count = 3,
                   .range = OneKey(keys.back()),
                   .first_id = 1,
                   .stream = stream,
                   .beside = stream == streams.front() ? "" : streams.front()});
  }
  for (std::int64_t round = scenario.Between(4, 8); round > 0; --round) {
    for (std::int64_t i = scenario.Between(1, 4); i > 0; --i) scenario.Put(scenario.Pick(keys));
    scenario.Add(AwaitProgressStep{"asking"});
  }
  for (const std::string& key : keys) scenario.Put(key);
  for (const std::string& stream : streams) scenario.AwaitDelivered(stream);
  scenario.Require("other", RequireStep::Fact::kReceived);
  scenario.Add(MustReportProgressStep{.stream = "other"});
}

// A progress response means that every event up to its revision was delivered. A client stores that
// revision and resumes from it, so progress that overtakes events makes the client lose them at its
// next reconnect.
WATCH_CASE(
    Bookmarkable, ProgressDuringCatchUp,
    {.requirement = "progress notifications guarantee that earlier events were delivered "
                    "(etcd API, Bookmarkable)",
     .explain = "A watcher with history to read is created and progress is requested at once, a "
                "few times over. The answer may come late or not at all, but never before the "
                "events that it covers. Servers that send the answer outside of the event queue "
                "answer at once (etcd #15220).",
     .needs = {Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"},
     .upstream = {15220, 15248}}) {
  std::vector<std::string> keys;
  const std::string stem = scenario.Key("history");
  for (std::int64_t i = scenario.Between(3, 9); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.Put(scenario.Pick(keys));
  for (std::int64_t i = scenario.Between(30, 60); i > 0; --i) scenario.Put(scenario.Pick(keys));

  // Once is not enough on a busy machine: the target's catch-up loop, which runs every 100 ms, may
  // run between a create and the progress request after it.
  for (const char* reader : {"first", "second", "third", "fourth"}) {
    scenario.Watch({.group = reader, .range = Below(stem), .start = first});
    scenario.Add(RequestProgressStep{});
    scenario.AwaitDelivered(reader);
  }
  // Without any answer the attempt proves nothing.
  scenario.Add(AwaitProgressStep{});
}

// A stalled client requests progress and then creates a watch of the past. The answer to the create
// may overtake what is queued; the answer to the progress request must then not come after it as if
// it covered the new watch, too: a client that resumes the new watch from there loses its history.
constexpr int kFatPuts = 60;
constexpr std::size_t kFatBytes = 16 * 1024;

WATCH_CASE(Bookmarkable, CreateBehindQueuedProgress,
           {.requirement = "progress notifications guarantee that earlier events were delivered "
                           "(etcd API, Bookmarkable)",
            .explain = "A client stands still while events are queued for it. It requests "
                       "progress, and then creates a second watch, with a start in the past, on "
                       "the same stream. Whatever the order of the answers, no event of the second "
                       "watch may follow a progress answer that covers it.",
            .needs = {Capability::kProxy, Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"}}) {
  const std::string key = scenario.Key("busy");
  const Write first = scenario.Put(key);
  scenario.Watch({.group = "live", .range = OneKey(key)});
  // The queue of another stream fills up, and so shows that the stall took effect; that of the
  // first has room left, without which some releases answer no progress request.
  scenario.Watch({.group = "beside", .count = 100, .range = OneKey(key), .stream = "beside"});
  scenario.AwaitCreated("live", "beside");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  for (int i = 0; i < kFatPuts; ++i) scenario.Put(key, {kFatBytes, kFatBytes});
  scenario.AwaitEffect("stall");
  scenario.Add(RequestProgressStep{});
  scenario.Hold(0ms, 30ms);
  scenario.Watch({.group = "late", .range = OneKey(key), .start = first});
  scenario.Add(AwaitRegisteredStep{102});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("late");
  // Without any answer the attempt proves nothing.
  scenario.Add(AwaitProgressStep{});
}

// One watch of a stream ends with ErrCompacted. The other watches of the stream go on, and so must
// the progress that a client requests: without it, a client with a quiet watch can never know that
// it has seen everything. Releases that answer only if every watch of the stream is synced count
// the ended one, too, until the client cancels it, which Go's client does and others do not.
WATCH_CASE(
    Bookmarkable, AfterCompactedWatch,
    {.requirement = "a progress request is answered once every watch of the stream is synced "
                    "(etcd API, WatchProgressRequest)",
     .explain = "A watch below the compaction floor ends with ErrCompacted. Another watch of "
                "the same stream is live. A progress request must be answered.",
     .needs = {Capability::kCompaction, Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"}}) {
  const std::string key = scenario.Key("k");
  std::vector<Write> writes;
  for (int i = 0; i < 6; ++i) writes.push_back(scenario.Put(key));
  scenario.Compact(writes[3]);
  scenario.Watch({.group = "compacted", .range = OneKey(key), .start = writes[0]});
  scenario.Watch({.group = "live", .range = OneKey(key)});
  scenario.AwaitCreated("compacted", "live");
  scenario.Put(key);
  scenario.AwaitDelivered("live", "compacted");
  scenario.Add(MustReportProgressStep{.stream = "main"});
}

// A watch may start at a revision that does not exist yet. Until then it must receive nothing. A
// progress response below its start would make a client resume there and receive events that it
// never asked for.
constexpr std::int64_t kAhead = 10;
constexpr int kWrites = 12;

WATCH_CASE(
    Bookmarkable, FutureStart,
    {.requirement =
         "a watch delivers nothing from before its start revision (etcd API, WatchCreateRequest)",
     .explain = "A watch starts ten revisions above the head and progress is requested at once; "
                "then twelve writes follow. The watch must receive the last three, and no "
                "progress below its start. Servers that take a future watch for caught up report "
                "the current revision (etcd #20221).",
     .needs = {Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"},
     .upstream = {20221}}) {
  const std::string key = scenario.Key("future");
  scenario.PutSome(key, {1, 9});

  scenario.Open({.group = "future", .range = OneKey(key), .start = AtHead(kAhead)});
  scenario.Add(RequestProgressStep{});
  // The server handles the requests of a stream in order: once this create is answered, the
  // progress request has been handled.
  scenario.Open({.group = "behind it", .range = OneKey(scenario.Key("other"))});
  for (int i = 0; i < kWrites; ++i) scenario.Put(key);
  scenario.AwaitDelivered("future");
  // The start has been reached, so now there must be an answer. Without one the attempt proves
  // nothing.
  scenario.Add(AwaitProgressStep{});
}

}  // namespace
}  // namespace watchproof
