// SPDX-License-Identifier: Apache-2.0
// What watch streams leave behind at the server once they have ended.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/account.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

constexpr int kStreams = 20;
constexpr char kReleased[] =
    "a watch ends with its stream (etcd API, Watch), and so does what the server keeps for it";

std::string Numbered(const std::string& name, int number) {
  return name + "/" + std::to_string(number);
}

// The connection of the streams is there before, with what a server makes for the first stream.
constexpr char kBefore[] = "before";
void NoteAccount(Scenario& scenario, const std::string& key) {
  scenario.Open({.group = kBefore, .range = OneKey(key), .stream = kBefore});
  scenario.Add(CloseStep{kBefore});
  scenario.Add(AwaitUnregisteredStep{0});
  scenario.Add(NoteAccountStep{});
}

WATCH_CASE(Bounded, StalledStreams,
           {.requirement = kReleased,
            .explain = "Twenty streams with forty watches each are stalled while large values are "
                       "written, so that nothing more can be sent to them. All watches are "
                       "cancelled, and the streams are closed. The server must then have no more "
                       "goroutines, files, watchers and streams than before.",
            .needs = {Capability::kProxy, Capability::kSlowWatcherGauge,
                      Capability::kServerOfItsOwn},
            .guarantees = {"Bounded"},
            .costs = CaseInfo::Costs::kCounts}) {
  const std::string key = scenario.Key("large");
  scenario.Put(key);
  NoteAccount(scenario, key);
  for (int i = 0; i < kStreams; ++i) {
    scenario.Open({.group = Numbered("watches", i),
                   .count = 40,
                   .range = OneKey(key),
                   .stream = Numbered("stream", i),
                   .beside = kBefore});
  }
  scenario.Stall(key, {20, 30}, {4096, 8192});
  for (int i = 0; i < kStreams; ++i) {
    scenario.Add(CancelStep{Numbered("watches", i), /*at_once=*/true});
    scenario.Add(CloseStep{Numbered("stream", i)});
  }
  scenario.Heal("stall");
  scenario.Add(MustBeFreeStep{.streams = kStreams});
}

// What is sent to a server that stands still is there at once when it goes on: while it carries out
// the cancels of a stream, the stream ends.
WATCH_CASE(Bounded, CompactedWatches,
           {.requirement = kReleased,
            .explain = "Streams have watches that ended with ErrCompacted. While the server is "
                       "stopped, all watches are cancelled, and then the streams are closed. Once "
                       "it goes on it must come to have as many watchers as before, and no more "
                       "goroutines, files and streams.",
            .needs = {Capability::kCompaction, Capability::kProcess, Capability::kSlowWatcherGauge,
                      Capability::kServerOfItsOwn},
            .guarantees = {"Bounded"},
            .costs = CaseInfo::Costs::kCounts}) {
  const std::string key = scenario.Key("old");
  const Write first = scenario.Put(key);
  const Write last = scenario.PutSome(key, {5, 10}).back();
  scenario.Compact(last);
  NoteAccount(scenario, key);
  constexpr int kClosed = 200;
  const auto each = [](const auto& act) {
    for (int i = 0; i < kClosed; ++i) act(Numbered("watches", i), Numbered("stream", i));
  };
  each([&](const std::string& group, const std::string& stream) {
    scenario.Watch({.group = group,
                    .count = 10,
                    .range = OneKey(key),
                    .start = first,
                    .stream = stream,
                    .beside = kBefore});
  });
  each([&](const std::string& group, const std::string&) { scenario.AwaitCreated(group); });
  scenario.Inject("pause");
  each([&](const std::string& group, const std::string&) {
    scenario.Add(CancelStep{group, /*at_once=*/true});
  });
  scenario.Hold(50ms, 100ms);
  each([&](const std::string&, const std::string& stream) { scenario.Add(CloseStep{stream}); });
  scenario.Heal("pause");
  scenario.Add(MustBeFreeStep{.streams = kClosed});
}

}  // namespace
}  // namespace watchproof
