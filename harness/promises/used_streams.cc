// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/used_streams.h"

#include <algorithm>

namespace watchproof {
namespace {

using State = DrivenWatch::State;

}  // namespace

std::vector<UsedStream> UsedStreams(Driver& driver) {
  std::vector<UsedStream> streams;
  for (const DrivenWatch& watch : driver.Watches()) {
    if (watch.state == State::kAsked) continue;
    if (streams.empty() || streams.back().stream != watch.ref.stream) {
      streams.push_back({.stream = watch.ref.stream, .range = {}, .in_use = {}, .free = {}});
    }
    UsedStream& on = streams.back();
    on.range = watch.range;
    const std::int64_t id = watch.id.value;
    if (watch.state == State::kCancelled && id > 0 && !on.in_use.contains(id)) on.free.insert(id);
    if (watch.state == State::kOpen || watch.state == State::kCompacted) {
      on.in_use.insert(id);
      on.free.erase(id);
    }
  }
  if (streams.empty()) {
    const std::optional<StreamId> any = driver.AnyStream();
    if (any) streams.push_back({.stream = *any, .range = driver.Own(), .in_use = {}, .free = {}});
  }
  const std::size_t most = driver.most_streams();
  if (streams.size() > most) {
    streams.erase(streams.begin(), streams.end() - static_cast<std::ptrdiff_t>(most));
  }
  return streams;
}

WatchRef CreateOn(Driver& driver, const UsedStream& on, const KeyRange& range, WatchCreate watch) {
  watch.key = range.first();
  watch.range_end = range.single() ? "" : range.open_ended() ? kOpenEnd : range.end();
  return driver.Create(on.stream, watch);
}

void AwaitAnswered(Driver& driver, const std::vector<WatchRef>& watches,
                   const std::vector<WatchRef>& below_floor) {
  driver.Await([&] {
    const auto answered = [&](WatchRef watch) { return driver.StateOf(watch) != State::kAsked; };
    const auto ended = [&](WatchRef watch) {
      return answered(watch) && driver.StateOf(watch) != State::kOpen;
    };
    return std::ranges::all_of(watches, answered) && std::ranges::all_of(below_floor, ended);
  });
}

void CancelAndAwait(Driver& driver, const std::vector<WatchRef>& watches) {
  std::vector<WatchRef> cancelled;
  for (const WatchRef watch : watches) {
    if (driver.StateOf(watch) != State::kOpen) continue;
    driver.Cancel(watch);
    cancelled.push_back(watch);
  }
  driver.Await([&] {
    return std::ranges::none_of(
        cancelled, [&](WatchRef watch) { return driver.StateOf(watch) == State::kOpen; });
  });
}

}  // namespace watchproof
