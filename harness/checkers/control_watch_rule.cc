// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/control_watch_rule.h"

#include <algorithm>

#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

constexpr const char* kUntouched = "at the control watch, which no fault touches";

Draft NotAbove(Revision highest, const EventView& event, Where before, const Response& response) {
  return {.expected = fmt::format("a revision above {} {}", highest, kUntouched),
          .observed = fmt::format("the {} {}", Phrase(event), Since(response.where, before)),
          .evidence = {before.line},
          .where = response.where,
          .symptom = symptom::Repeated{}};
}

std::string TextOfEnd(const Response& response) {
  const Revision floor(response.message.compact_revision);
  if (floor.value > 0) return fmt::format("ErrCompacted, to revision {},", floor);
  return fmt::format("a cancellation, giving as reason {},",
                     Quoted(response.message.cancel_reason));
}

}  // namespace

void ControlWatchRule::Ask(const Asked& asked) {
  if (asked.request.no_put || asked.request.no_delete || asked.request.start_revision <= 0) return;
  range_.emplace(asked.request.key, asked.request.range_end);
  start_ = Revision(asked.request.start_revision);
  highest_ = start_.previous();
  stream_ = asked.stream;
  latest_ = asked.where;
  keys_.clear();
  given_.clear();
  ended_.reset();
}

void ControlWatchRule::Deliver(const Response& response, Findings& findings) {
  if (!range_ || response.stream != stream_) return;
  const Where before = latest_;
  const Revision highest = highest_;
  for (const EventView& event : response.message.events) {
    const Revision revision(event.kv.mod_revision);
    given_.emplace(revision, response.where);
    if (revision <= highest) {
      const bool split = revision == highest && !keys_.contains(event.kv.key);
      findings.Add(split ? Guarantee("Atomic") : Guarantee("Unique"), stream_,
                   [&] { return NotAbove(highest, event, before, response); });
    }
    if (revision > highest_) keys_.clear();
    highest_ = std::max(highest_, revision);
    if (revision == highest_) keys_.emplace(event.kv.key);
  }
  events_ += response.message.events.size();
  latest_ = response.where;
}

void ControlWatchRule::Progress(const Response& response, Findings& findings) {
  if (!range_ || response.stream != stream_) return;
  findings.Add(
      Guarantee("Bookmarkable"), stream_,
      {.expected = fmt::format("no progress {}: the driver has not requested any", kUntouched),
       .observed = fmt::format("progress {} in line {}", response.message.header.revision,
                               response.where.line.value),
       .evidence = {latest_.line},
       .where = response.where},
      Level::kShould);
}

void ControlWatchRule::End(const Response& response, Revision requested, Findings& findings) {
  if (response.stream != stream_ || (!range_ && !ended_)) return;
  // It may have been too slow, and its missing changes are compacted.
  const bool compacted = response.message.compact_revision > 0;
  const bool justified = compacted && !ended_ && highest_.next() < requested;
  if (!justified) {
    findings.Add(
        compacted ? Guarantee("CompactionSurfaced") : Guarantee("Settled"), stream_,
        {.expected = fmt::format(
             "{} {}",
             ended_ ? "nothing more after the end" : "a watch that lasts as long as the run",
             kUntouched),
         .observed = fmt::format("{} in line {}", TextOfEnd(response), response.where.line.value),
         .evidence = {ended_.value_or(latest_).line},
         .where = response.where,
         .symptom = compacted && !ended_ ? Symptom(symptom::FalseNotice{}) : Symptom(),
         .impact = impact::kEndedUnasked});
  }
  ended_ = response.where;
  range_.reset();
}

void ControlWatchRule::Close(StreamId stream) {
  if (stream == stream_) range_.reset();
}

bool ControlWatchRule::Expects(const Change& change) const {
  return change.revision >= start_ && range_->Contains(change.key);
}

void ControlWatchRule::Check(const Timeline& timeline, Findings& findings) {
  if (!range_ || given_.empty()) return;
  const Revision through = std::min(timeline.known_through(), given_.rbegin()->first);
  for (next_ = std::max(next_, timeline.first_change()); next_ < timeline.changes(); ++next_) {
    const Change& change = timeline.change(next_);
    if (change.revision > through) break;
    if (!Expects(change) || given_.contains(change.revision)) continue;
    const auto later = given_.upper_bound(change.revision);
    findings.Add(Guarantee("Reliable"), stream_,
                 {.expected = fmt::format("the {} {}", Phrase(change), kUntouched),
                  .observed = fmt::format("revision {} in line {} without it", later->first,
                                          later->second.line.value),
                  .evidence = {change.written},
                  .where = later->second,
                  .about = change.revision});
  }
  // The last one stays: it is the position of the watch.
  const auto checked = given_.upper_bound(through);
  if (checked != given_.begin()) given_.erase(given_.begin(), std::prev(checked));
}

void ControlWatchRule::Finish(const Timeline& timeline, Where latest, Findings& findings) {
  if (!range_) return;
  std::uint32_t first = std::max(next_, timeline.first_change());
  const auto missing = [&](std::uint32_t change) {
    return timeline.change(change).revision > highest_ && Expects(timeline.change(change));
  };
  while (first < timeline.changes() && !missing(first)) ++first;
  if (first == timeline.changes()) return;
  const Change& change = timeline.change(first);
  findings.Add(Guarantee("Reliable"), stream_,
               {.expected = fmt::format("the {} {}", Phrase(change), kUntouched),
                .observed = fmt::format(
                    "it never came: the last message of that watch is line {}, {} before the end",
                    latest_.line.value, Milliseconds(latest.at - latest_.at)),
                .evidence = {change.written, latest_.line},
                .at = latest.at,
                .about = change.revision,
                .impact = impact::kChangeLost,
                .by_silence = true});
}

std::optional<Revision> ControlWatchRule::Needed() const {
  if (!range_) return std::nullopt;
  return highest_.next();
}

}  // namespace watchproof
