// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/progress.h"

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
    (watch.start > driver.head() ? streams.later : streams.started).insert(watch.ref.stream);
    if (watch.progress_notify) periodic.insert(watch.ref.stream);
  }
  for (const StreamId stream : streams.later) streams.started.erase(stream);
  for (const StreamId stream : periodic) {
    if (streams.started.contains(stream)) streams.periodic.insert(stream);
  }
  return streams;
}

void RequireProgressOfAll(Driver& driver) {
  const QuietStreams streams = QuietStreamsOf(driver);
  if (streams.started.empty() && streams.later.empty()) return;
  if (const std::string why = driver.Without(Capability::kProgressRequest); !why.empty()) {
    return driver.Leave(kRequestedName, why);
  }
  for (std::size_t i = 0; i < streams.later.size(); ++i) {
    driver.Leave(kRequestedName, "a watch of the stream starts above the head");
  }
  for (const StreamId stream : streams.started) {
    if (driver.GivesUp()) return;
    driver.RequireProgress(stream, Driver::Progress::kRequested);
  }
}

}  // namespace watchproof
