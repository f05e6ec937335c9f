// SPDX-License-Identifier: Apache-2.0
// The control watch is judged, too: on a store that only the recording changes, a change that it
// left out although it was given a later one is lost, and nothing comes twice.
//
//   ControlWatch control;
//   control.Ask(asked);  control.Deliver(response, findings);  // as it is recorded
//   control.Check(model.timeline(), findings);            // before the timeline forgets, and last
//
// Keeps the revisions that it was given and that are not checked yet. Not thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/checkers/findings.h"
#include "harness/checkers/phrases.h"
#include "harness/history/narrator.h"
#include "harness/model/timeline.h"

namespace watchproof {

class ControlWatch {
 public:
  // Only the first one: a second one takes over where nothing is known.
  void Ask(const Asked& asked) {
    if (asked.request.no_put || asked.request.no_delete || asked.request.start_revision <= 0)
      return;
    if (range_) given_.clear();
    if (range_) return void(range_.reset());
    range_.emplace(asked.request.key, asked.request.range_end);
    start_ = Revision(asked.request.start_revision);
    stream_ = asked.stream;
  }

  // All of a revision comes in one response, so that nothing at or below what came before may
  // follow.
  void Deliver(const Response& response, Findings& findings) {
    if (!range_ || response.stream != stream_) return;
    const Where before = latest_;
    const Revision highest = highest_;
    for (const EventView& event : response.message.events) {
      const Revision revision(event.kv.mod_revision);
      given_.emplace(revision, response.where);
      if (revision <= highest) {
        const bool split = revision == highest && !keys_.contains(event.kv.key);
        findings.Add(split ? Guarantee::kAtomic : Guarantee::kUnique, stream_,
                     [&] { return NotAbove(highest, event, before, response); });
      }
      if (revision > highest_) keys_.clear();
      highest_ = std::max(highest_, revision);
      if (revision == highest_) keys_.emplace(event.kv.key);
    }
    latest_ = response.where;
  }

  // What it was given beyond what is known is looked at later.
  void Check(const Timeline& timeline, Findings& findings) {
    if (!range_ || given_.empty()) return;
    const Revision through = std::min(timeline.known_through(), given_.rbegin()->first);
    for (next_ = std::max(next_, timeline.first_change()); next_ < timeline.changes(); ++next_) {
      const Change& change = timeline.change(next_);
      if (change.revision > through) break;
      if (change.revision < start_ || !range_->Contains(change.key)) continue;
      if (!given_.contains(change.revision)) Report(change, findings);
    }
    // The last one stays, as it says how far the watch has come.
    const auto checked = given_.upper_bound(through);
    if (checked != given_.begin()) given_.erase(given_.begin(), std::prev(checked));
  }

 private:
  static Draft NotAbove(Revision highest, const EventView& event, Where before,
                        const Response& response) {
    return {.expected = fmt::format(
                "a revision above {} at the control watch, which no fault touches", highest),
            .observed = fmt::format("the {} {}", Phrase(event), Since(response.where, before)),
            .evidence = {before.line, response.where.line},
            .at = response.where.at};
  }

  void Report(const Change& change, Findings& findings) const {
    const auto later = given_.upper_bound(change.revision);
    findings.Add(Guarantee::kReliable, stream_, [&] {
      return Draft{.expected = fmt::format("the {} at the control watch, which no fault touches",
                                           Phrase(change)),
                   .observed = fmt::format("revision {} in line {} without it", later->first,
                                           later->second.line.value),
                   .evidence = {change.written, later->second.line},
                   .at = later->second.at};
    });
  }

  std::optional<KeyRange> range_;
  Revision start_{};
  Revision highest_{};
  std::set<std::string, std::less<>> keys_;  // given at the highest revision
  Where latest_{};
  StreamId stream_{};
  std::map<Revision, Where> given_;
  std::uint32_t next_ = 0;  // change to check
};

}  // namespace watchproof
