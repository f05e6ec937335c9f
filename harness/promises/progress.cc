// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/progress.h"

#include <algorithm>

#include "harness/promises/probe.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

using State = DrivenWatch::State;
constexpr std::string_view kRequestedName = "progress";

// A server may drop the request while a watch is behind, but none is.
const PromiseRegistration kRequested{{
    .name = kRequestedName,
    .text = "progress on request",
    .place = 100,
    .ask = [](Driver& driver, NewWatches&) { RequireProgressOfAll(driver); },
}};

}  // namespace

QuietStreams QuietStreamsOf(Driver& driver) {
  QuietStreams streams;
  std::set<StreamId> periodic;
  for (const DrivenWatch& watch : driver.Watches()) {
    if (watch.state != State::kOpen) continue;
    const bool next = watch.start == driver.head().next();
    (next                          ? streams.next
     : watch.start > driver.head() ? streams.later
                                   : streams.started)
        .insert(watch.ref.stream);
    if (watch.progress_notify) periodic.insert(watch.ref.stream);
  }
  for (const StreamId stream : streams.later) streams.next.erase(stream);
  for (const auto* const others : {&streams.later, &streams.next}) {
    for (const StreamId stream : *others) streams.started.erase(stream);
  }
  for (const StreamId stream : periodic) {
    if (streams.started.contains(stream)) streams.periodic.insert(stream);
  }
  return streams;
}

void RequireProgressOfAll(Driver& driver) {
  const QuietStreams streams = QuietStreamsOf(driver);
  if (streams.started.empty() && streams.next.empty() && streams.later.empty()) return;
  if (const std::string why = driver.Without(Capability::kProgressRequest); !why.empty()) {
    return driver.Leave(kRequestedName, why);
  }
  const auto leave = [&driver](StreamId) {
    driver.Leave(kRequestedName, "a watch of the stream starts above the head");
  };
  const auto require = [&driver](StreamId stream) {
    if (!driver.GivesUp()) driver.RequireProgress(stream, Driver::Progress::kRequested);
  };
  std::ranges::for_each(streams.later, leave);
  std::ranges::for_each(streams.started, require);
  if (streams.next.empty()) return;
  Probe(driver);
  const std::set<StreamId> started = QuietStreamsOf(driver).started;
  for (const StreamId stream : streams.next) {
    started.contains(stream) ? require(stream) : leave(stream);
  }
}

}  // namespace watchproof
