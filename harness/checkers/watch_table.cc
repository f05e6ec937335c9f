// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/watch_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/checkers/phrases.h"

namespace watchproof {

std::optional<std::size_t> WatchTable::Find(StreamId stream, std::uint32_t ordinal) const {
  const auto found = by_ordinal_.find({stream.value, ordinal});
  if (found == by_ordinal_.end()) return std::nullopt;
  return found->second;
}

std::string WatchTable::Label(WatchIndex watch) const {
  const WatchState& state = states_[watch.value];
  const WatchDetails& details = details_[watch.value];
  const std::string name =
      state.created
          ? fmt::format("watch {}", state.id)
          : fmt::format("create request {} (not answered with a watch)", state.ordinal + 1);
  const std::string from = state.created || details.requested_start > 0
                               ? fmt::format(" from revision {}", state.start)
                               : std::string();
  return fmt::format("{} of stream {} on {}{}", name, state.stream.value,
                     Phrase(details.range.range), from);
}

void WatchTable::Ask(const Asked& asked, Revision floor, Revision known) {
  const WatchIndex watch(static_cast<std::uint32_t>(states_.size()));
  by_ordinal_[{asked.stream.value, asked.ordinal}] = states_.size();
  WatchState& state = states_.emplace_back();
  state.stream = asked.stream;
  state.ordinal = asked.ordinal;
  state.key = asked.request.key;
  state.range_end = asked.request.range_end;
  state.start = Revision(std::max<std::int64_t>(asked.request.start_revision, 0));
  state.options = asked.request;
  state.position = state.start;
  state.resume_at = state.start;
  WatchDetails& details = details_.emplace_back();
  details.range = {.range = KeyRange(asked.request.key, asked.request.range_end),
                   .puts = !asked.request.no_put,
                   .deletes = !asked.request.no_delete};
  details.requested_start = asked.request.start_revision;
  details.requested_id = asked.request.watch_id;
  details.floor_when_asked = floor;
  details.known_when_asked = known;
  details.asked = asked.where;
  details.latest = asked.where;
  details.previous_asked = asked.request.prev_kv;
  details.fragments_asked = asked.request.fragment;
  details.progress_asked = asked.request.progress_notify;
  const auto predecessor = predecessors_.find({asked.stream.value, asked.ordinal});
  if (predecessor == predecessors_.end()) return;
  details.continues = predecessor->second;
  details_[predecessor->second.value].continued_by = watch;
}

KeyRanges ReadableBy(const ReadRight& right) {
  KeyRanges all({KeyRange(right.key.bytes, right.end.bytes)});
  for (const ReadRight::Range& one : right.more) all.Add(KeyRange(one.key.bytes, one.end.bytes));
  return all;
}

const std::optional<Right>& WatchTable::RightOf(StreamId stream) const {
  static const std::optional<Right> kAll;
  if (rights_.empty()) return kAll;
  const auto found = rights_.find(stream.value);
  return found == rights_.end() ? kAll : found->second;
}

void WatchTable::Limit(const ReadRight& right, Where where) {
  rights_[right.stream.value] = Right{where, ReadableBy(right)};
}

std::optional<std::string> WatchTable::Resume(const Resumption& resumption, Where where) {
  const auto predecessor = Find(resumption.stream, resumption.ordinal);
  if (!predecessor || Find(resumption.next_stream, resumption.next_ordinal)) {
    return fmt::format(
        "by line {} watch {} of stream {} resumes watch {} of stream {}, but {}", where.line.value,
        resumption.next_ordinal, resumption.next_stream.value, resumption.ordinal,
        resumption.stream.value,
        predecessor ? "the first had been created before" : "the second has not been created");
  }
  const WatchIndex watch(static_cast<std::uint32_t>(*predecessor));
  predecessors_[{resumption.next_stream.value, resumption.next_ordinal}] = watch;
  return std::nullopt;
}

void WatchTable::Arrive(WatchIndex watch, Where where) {
  states_[watch.value].last_arrival = where.at;
  details_[watch.value].latest = where;
}

// etcd reads the revision for a start of 0 and for the created header in one step. Releases that
// accept a negative start differ in its meaning; here it counts as 0.
void WatchTable::Create(WatchIndex watch, const Response& response, const Ceiling& ceiling) {
  WatchState& state = states_[watch.value];
  state.created = true;
  state.id = WatchId(response.message.watch_id);
  if (details_[watch.value].requested_start <= 0) {
    state.start = Revision(response.message.header.revision).next();
  }
  state.position = state.start;
  state.resume_at = state.start;
  details_[watch.value].created = response.where;
  details_[watch.value].header_when_created = Revision(response.message.header.revision);
  if (ceiling) details_[watch.value].ceiling_when_created = *ceiling;
  details_[watch.value].received_when_created = Received(state.stream);
  // etcd checks at once whether there is history to scan.
  if (details_[watch.value].requested_start >= 0 && ceiling && state.start > *ceiling) {
    details_[watch.value].caught_up_to = CaughtUpTo{state.start.previous(), response.where};
  }
  Arrive(watch, response.where);
}

void WatchTable::Deliver(WatchIndex watch, const Response& response, const Ceiling& ceiling) {
  WatchState& state = states_[watch.value];
  state.events += response.message.events.size();
  state.last_event = std::max(state.last_event, response.highest);
  state.position = std::max(state.position, response.highest.next());
  if (response.last_part) state.resume_at = state.position;
  std::optional<CaughtUpTo>& caught_up_to = details_[watch.value].caught_up_to;
  caught_up_to.reset();
  if (response.last_part && ceiling && response.highest >= *ceiling) {
    caught_up_to = CaughtUpTo{response.highest, response.where};
  }
  Arrive(watch, response.where);
}

std::uint64_t WatchTable::Receive(StreamId stream, Revision requested) {
  Traffic& traffic = traffic_[stream.value];
  auto& compactions = traffic.compactions;
  if (requested.value > 0 && (compactions.empty() || compactions.back().first < requested)) {
    compactions.emplace_back(requested, traffic.received);
  }
  return ++traffic.received;
}

std::uint64_t WatchTable::Received(StreamId stream) const {
  const auto found = traffic_.find(stream.value);
  return found == traffic_.end() ? 0 : found->second.received;
}

std::uint64_t WatchTable::ReceivedBeforeCompaction(StreamId stream, Revision beyond) const {
  const auto found = traffic_.find(stream.value);
  if (found == traffic_.end()) return 0;
  for (const auto& [requested, received] : found->second.compactions) {
    if (requested > beyond) return received;
  }
  return found->second.received;
}

void WatchTable::Progress(WatchIndex watch, const Response& response) {
  WatchState& state = states_[watch.value];
  const Revision revision(response.message.header.revision);
  state.bookmark = std::max(state.bookmark, revision);
  state.position = std::max(state.position, revision.next());
  state.resume_at = std::max(state.resume_at, revision.next());
  ++state.progress_answers;
  details_[watch.value].caught_up_to = CaughtUpTo{state.position.previous(), response.where};
  Arrive(watch, response.where);
}

void WatchTable::End(WatchIndex watch, WatchEnd end, Where where, std::string_view text) {
  states_[watch.value].end = end;
  WatchDetails& details = details_[watch.value];
  details.ended = where;
  details.end_text = text;
  if (end != WatchEnd::kStreamClosed) Arrive(watch, where);
}

}  // namespace watchproof
