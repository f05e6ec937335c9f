// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/trigger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace watchproof::proxy {
namespace {

struct NamedMoment {
  const char* name;
  When when;
};
constexpr NamedMoment kMoments[] = {
    {"at-once", When::kAtOnce},        {"bytes", When::kBytes},      {"response", When::kResponse},
    {"created", When::kCreated},       {"event", When::kEvent},      {"progress", When::kProgress},
    {"compaction", When::kCompaction}, {"fragment", When::kFragment}};

}  // namespace

std::vector<ParameterInfo> TriggerParameters(std::vector<ParameterInfo> more) {
  std::vector<std::string> names;
  for (const NamedMoment& one : kMoments) names.emplace_back(one.name);
  std::vector<ParameterInfo> all = {
      {.name = "when",
       .kind = ParameterKind::kWord,
       .default_value = "at-once",
       .explain =
           "The moment: at-once (the next frame of the stream), bytes (so many further bytes "
           "from the target), or the response that is the count-th, is the count-th created "
           "one, holds the first event of a revision or a later one, is the count-th answer "
           "without events, is the first after a compaction, or is the count-th fragment of "
           "one response.",
       .words = std::move(names)},
      {"count", ParameterKind::kNumber, "1", "Counted from 1.", 1},
      {"watch", ParameterKind::kNumber, "-1", "Only responses of this watch id count; -1: of any.",
       TriggerSpec::kAnyWatch},
      {"revision", ParameterKind::kNumber, "0", "For when=event."},
      {"bytes", ParameterKind::kBytes, "0B", "For when=bytes."}};
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

TriggerSpec ReadTrigger(const ParameterValues& values, TriggerSpec::Place place) {
  return {.when = kMoments[values.word("when")].when,
          .place = place,
          .count = values.number("count"),
          .watch = values.number("watch"),
          .revision = values.number("revision"),
          .bytes = values.bytes("bytes")};
}

std::optional<std::size_t> StreamTrigger::Find(const Unit& unit) {
  if (spec_.when == When::kAtOnce) return 0;
  if (!unit.is(FrameType::kData) || unit.direction != Direction::kToClient) return std::nullopt;
  if (spec_.when == When::kBytes) return FindBytes(unit);
  for (const WatchOffset& offset : unit.offsets) {
    const WatchFacts& facts = offset.facts;
    const bool ours = spec_.watch == TriggerSpec::kAnyWatch || facts.watch_id == spec_.watch;
    if (!facts.readable || !ours || !Matches(offset)) continue;
    return spec_.place == TriggerSpec::Place::kBefore ? offset.begin : offset.end;
  }
  return std::nullopt;
}

std::optional<std::size_t> StreamTrigger::FindBytes(const Unit& unit) {
  const std::int64_t before = bytes_;
  bytes_ += unit.flow();
  if (bytes_ < spec_.bytes) return std::nullopt;
  return static_cast<std::size_t>(spec_.bytes - before);
}

bool StreamTrigger::Matches(const WatchOffset& offset) {
  using Kind = WatchOffset::Kind;
  const WatchFacts& facts = offset.facts;
  const bool before = spec_.place == TriggerSpec::Place::kBefore;
  const bool once_each = offset.kind == (before ? Kind::kHead : Kind::kEnd);
  switch (spec_.when) {
    case When::kResponse:
      return Counts(once_each);
    case When::kCreated:
      return Counts(once_each && facts.created);
    case When::kCompaction:
      return once_each && (compacted_ || facts.compact_revision != 0);
    case When::kEvent:
      return offset.kind == Kind::kEvent && facts.event_revision >= spec_.revision;
    case When::kProgress:
      return Counts(offset.kind == Kind::kEnd && facts.is_progress());
    case When::kFragment: {
      if (offset.kind != Kind::kEnd) return false;
      seen_ = facts.fragment ? seen_ + 1 : 0;
      return seen_ == spec_.count;
    }
    default:
      return false;
  }
}

void StreamTrigger::Overhear(const Unit& unit) {
  const bool answered =
      unit.direction == Direction::kToClient && unit.stream && unit.stream->path == kCompactPath;
  compacted_ |= answered;
}

}  // namespace watchproof::proxy
