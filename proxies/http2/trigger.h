// SPDX-License-Identifier: Apache-2.0
// The moment in a stream at which an effect begins: at once, after so many bytes, or at something
// in the messages of a watch stream.
//
//   StreamTrigger trigger(spec);
//   if (auto at = trigger.Find(unit)) ...   // so many bytes of the payload come before
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proxies/effects/parameters.h"
#include "proxies/http2/unit.h"

namespace watchproof::proxy {

enum class When {
  kAtOnce,      // with the next frame of the stream
  kBytes,       // when so many further bytes of DATA have come from the target
  kResponse,    // the n-th response of a watcher, or of any
  kCreated,     // the n-th that says "created"
  kEvent,       // the first event of a revision, or of a later one
  kCompaction,  // the first response that reports a compaction, or follows a request for one
  kProgress,    // the n-th answer without events
  kFragment,    // the n-th fragment of a response of which more follows
};

struct TriggerSpec {
  enum class Place { kBefore, kAfter };  // of what it waits for

  When when = When::kAtOnce;
  Place place = Place::kAfter;
  std::int64_t count = 1;
  std::int64_t watch = kAnyWatch;
  std::int64_t revision = 0;
  std::int64_t bytes = 0;

  static constexpr std::int64_t kAnyWatch = -1;
};

// For effects that leave the choice open; followed by `more`.
std::vector<ParameterInfo> TriggerParameters(std::vector<ParameterInfo> more = {});
TriggerSpec ReadTrigger(const ParameterValues& values, TriggerSpec::Place place);

class StreamTrigger {
 public:
  explicit StreamTrigger(const TriggerSpec& spec) : spec_(spec) {}

  // How much of the unit's payload comes before the moment, if the moment is in this unit. Each
  // unit of the stream is shown once, in order, and none after the moment has come.
  std::optional<std::size_t> Find(const Unit& unit);
  // Any unit of the connection: compactions are asked for on streams of their own.
  void Overhear(const Unit& unit);

 private:
  std::optional<std::size_t> FindBytes(const Unit& unit);
  bool Matches(const WatchOffset& offset);
  bool Counts(bool matches) { return matches && ++seen_ == spec_.count; }

  const TriggerSpec spec_;
  std::int64_t seen_ = 0;
  std::int64_t bytes_ = 0;
  bool compacted_ = false;
};

}  // namespace watchproof::proxy
