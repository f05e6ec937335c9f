// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/reference_judge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/check.h"

namespace watchproof {
namespace {

bool Same(const KeyValueView& kv, const KeyMetadata& metadata, bool metadata_known) {
  if (kv.key != metadata.key || kv.value != metadata.value || kv.lease != metadata.lease)
    return false;
  if (kv.mod_revision != metadata.mod_revision) return false;
  return !metadata_known ||
         (kv.version == metadata.version && kv.create_revision == metadata.create_revision);
}

// Whether some key could have this metadata.
bool Possible(const KeyValueView& kv) {
  if (kv.create_revision < 1 || kv.version < 1) return false;
  if (kv.version == 1) return kv.create_revision == kv.mod_revision;
  return kv.version <= kv.mod_revision - kv.create_revision + 1 &&
         kv.create_revision < kv.mod_revision;
}

}  // namespace

void ReferenceJudge::Wrong(const ReferenceWatch& watch, std::uint64_t line,
                           const std::string& what) {
  result_.wrongs.push_back(
      fmt::format("stream {} create {}, line {}: {}", watch.stream, watch.ordinal, line, what));
}

ReferenceResult ReferenceJudge::Rule(const std::vector<NumberedEntry>& lines) {
  result_ = {};
  everything_.clear();
  generations_.clear();
  auto truth = Replay(lines);
  WP_CHECK(truth.has_value(), "the recording was admitted, and its writes are unchanged");
  truth_ = *std::move(truth);
  ReferenceStreams observed = Listen(lines, truth_.converged);
  result_.wrongs = std::move(observed.wrongs);
  faults_ = std::move(observed.faults);
  for (const ReferenceWatch& watch : observed.watches) {
    JudgeWatch(watch);
    CheckResumption(watch, observed.watches);
  }
  CheckSizes(observed.watches);
  CheckGenerations();
  return std::exchange(result_, {});
}

const ReferenceJudge::ExpectedChange& ReferenceJudge::Everything(const ReferenceWatch& watch) {
  const WatchCreateView& asked = watch.asked;
  const Wanted wanted{std::string(asked.key), std::string(asked.range_end), asked.no_put,
                      asked.no_delete};
  const auto known = everything_.find(wanted);
  if (known != everything_.end()) return known->second;
  const std::string_view from = asked.key.empty() ? std::string_view("\0", 1) : asked.key;
  ExpectedChange& expected = everything_[wanted];
  for (const ReferenceChange& change : truth_.log) {
    const bool inside = InRange(change.kv.key, from, asked.range_end);
    const bool hidden = change.deleted ? asked.no_delete : asked.no_put;
    if (inside && !hidden) expected.push_back(&change);
  }
  return expected;
}

ReferenceJudge::ExpectedChange ReferenceJudge::ExpectedOn(const ReferenceWatch& watch) {
  ExpectedChange expected;
  for (const ReferenceChange* change : Everything(watch)) {
    if (change->revision >= StartOf(watch)) expected.push_back(change);
  }
  return expected;
}

// Whether its start had been compacted before it was requested.
bool ReferenceJudge::BelowFloorAtOnce(const ReferenceWatch& watch) const {
  return watch.asked.start_revision > 0 &&
         watch.asked.start_revision < truth_.FloorDoneAt(watch.asked_line);
}

void ReferenceJudge::JudgeWatch(const ReferenceWatch& watch) {
  CheckHeaders(watch);
  if (!watch.answer || watch.end == ReferenceEnd::kRefused) return CheckEnd(watch, {});
  const ExpectedChange expected = ExpectedOn(watch);
  CheckShape(watch);
  CheckContent(watch, expected);
  CheckTurns(watch, expected);
  CheckParts(watch, expected);
  CheckProgress(watch, expected);
  CheckNotice(watch);
  CheckEnd(watch, expected);
}

// A header names the store's revision at the time the message was made.
void ReferenceJudge::CheckHeaders(const ReferenceWatch& watch) {
  const auto check = [&](const ReferenceMessage& message) {
    const WatchResponseView& view = message.view;
    const std::int64_t revision = view.header.revision;
    const std::int64_t most = truth_.MostAt(message.line);
    const std::int64_t all = truth_.MostAt(UINT64_MAX);
    if (revision > most && (most < all || revision > truth_.MostReadAfter(message.line))) {
      Wrong(watch, message.line, "a revision that did not exist yet");
    } else if (revision > most) {
      result_.foreign = true;
    }
    // Ends of watches may leave it out.
    if (revision < (view.canceled ? 0 : 1)) Wrong(watch, message.line, "no revision");
    for (const EventView& event : view.events) {
      if (event.kv.mod_revision > revision) {
        Wrong(watch, message.line, "a revision below that of an event");
      }
    }
  };
  if (watch.answer) check(*watch.answer);
  for (const ReferenceMessage& message : watch.given) check(message);
}

void ReferenceJudge::CheckShape(const ReferenceWatch& watch) {
  for (const ReferenceMessage& message : watch.given) {
    const WatchResponseView& view = message.view;
    if (!view.fragment) continue;
    if (!watch.asked.fragment) Wrong(watch, message.line, "a part that was not asked for");
    if (view.events.empty()) Wrong(watch, message.line, "a part without events");
  }
}

bool ReferenceJudge::Differs(const ReferenceWatch& watch, const ReferenceMessage& message,
                             const EventView& event, const ReferenceChange& change) const {
  if (event.type != (change.deleted ? 1 : 0)) return true;
  if (!Same(event.kv, change.kv, change.metadata_known)) return true;
  if (!change.deleted && !change.metadata_known && !Possible(event.kv)) return true;
  const bool asked = watch.asked.prev_kv;
  // A key of unknown past: its version says whether it has one.
  const bool existed = change.past_known ? change.previous.has_value() : event.kv.version > 1;
  if (!event.has_previous) {
    // etcd looks it up when it sends, one revision below the event's, where it may have been
    // compacted (#10681). A strict target ends the watch instead.
    const bool gone = change.revision <= truth_.FloorAskedAt(message.line);
    return asked && existed && (options_.strict_previous || !gone);
  }
  if (!asked || !existed) return true;
  const KeyValueView& previous = event.previous;
  if (change.past_known) return !Same(previous, *change.previous, change.previous_metadata_known);
  return previous.key != event.kv.key || previous.mod_revision > truth_.base ||
         previous.version != event.kv.version - 1 ||
         previous.create_revision != event.kv.create_revision || !Possible(previous);
}

// For keys from before the recording: the number of earlier puts and the create revision, as one
// event shows them. All events must agree.
void ReferenceJudge::Remember(const EventView& event, const ReferenceChange& change) {
  const auto add = [&](const KeyValueView& reported, const KeyMetadata& counted) {
    generations_[{counted.key, counted.create_revision}].emplace(reported.version - counted.version,
                                                                 reported.create_revision);
  };
  if (!change.deleted && !change.metadata_known) add(event.kv, change.kv);
  if (event.has_previous && change.previous && !change.previous_metadata_known) {
    add(event.previous, *change.previous);
  }
}

void ReferenceJudge::CheckGenerations() {
  for (const auto& [lineage, reported] : generations_) {
    const auto [puts, made] = *reported.begin();
    const bool possible = puts == 0 ? made == lineage.second
                                    : puts > 0 && made >= 1 && made + puts - 1 <= truth_.base;
    if (reported.size() == 1 && possible) continue;
    result_.wrongs.push_back(fmt::format("the metadata of {} contradicts itself", lineage.first));
  }
}

// The received events must be the first of the expected changes, revision by revision, each whole
// and in one response. No key changes twice in a revision.
void ReferenceJudge::CheckContent(const ReferenceWatch& watch, const ExpectedChange& expected) {
  std::vector<std::pair<std::size_t, const EventView*>> given;  // message, event
  std::vector<std::size_t> response_of(watch.given.size());
  for (std::size_t i = 0, response = 0; i < watch.given.size(); ++i) {
    const WatchResponseView& view = watch.given[i].view;
    response_of[i] = response;
    if (!view.fragment) ++response;
    for (const EventView& event : view.events) given.emplace_back(i, &event);
  }
  const bool unfinished = !watch.given.empty() && watch.given.back().view.fragment;
  std::size_t at = 0;
  for (std::size_t i = 0; i < given.size();) {
    const std::uint64_t line = watch.given[given[i].first].line;
    if (at == expected.size()) return Wrong(watch, line, "an event that was not expected");
    const std::int64_t revision = expected[at]->revision;
    std::map<std::string_view, const ReferenceChange*> run;
    for (; at < expected.size() && expected[at]->revision == revision; ++at) {
      run[expected[at]->kv.key] = expected[at];
    }
    const std::size_t response = response_of[given[i].first];
    for (; i < given.size() && !run.empty(); ++i) {
      const auto& [message, event] = given[i];
      const auto change = run.find(event->kv.key);
      if (event->kv.mod_revision != revision || change == run.end()) {
        return Wrong(watch, line,
                     fmt::format("not the next expected change, which has revision {}", revision));
      }
      Remember(*event, *change->second);
      if (Differs(watch, watch.given[message], *event, *change->second)) {
        return Wrong(watch, line, fmt::format("an event of revision {} is altered", revision));
      }
      if (response_of[message] != response) {
        return Wrong(watch, line, fmt::format("revision {} in two responses", revision));
      }
      run.erase(change);
    }
    if (!run.empty() && !(unfinished && watch.end == ReferenceEnd::kCut)) {
      return Wrong(watch, line, fmt::format("revision {} is not whole", revision));
    }
  }
}

// Neighbours of one revision come in the order in which they were made, unless both were deleted.
void ReferenceJudge::CheckTurns(const ReferenceWatch& watch, const ExpectedChange& expected) {
  const auto place = [&](const EventView& event) {
    return std::find_if(expected.begin(), expected.end(), [&](const ReferenceChange* change) {
      return change->revision == event.kv.mod_revision && change->kv.key == event.kv.key;
    });
  };
  for (const ReferenceMessage& message : watch.given) {
    for (std::size_t i = 1; i < message.view.events.size(); ++i) {
      if (message.view.events[i].kv.mod_revision != message.view.events[i - 1].kv.mod_revision) {
        continue;
      }
      const auto before = place(message.view.events[i - 1]);
      const auto after = place(message.view.events[i]);
      if (before == expected.end() || after == expected.end() || after > before) continue;
      if ((*before)->deleted && (*after)->deleted) continue;
      Wrong(watch, message.line, "not in the order of the transaction");
    }
  }
}

void ReferenceJudge::CheckParts(const ReferenceWatch& watch, const ExpectedChange& expected) {
  std::size_t given = 0;
  for (std::size_t i = 0; i < watch.given.size(); ++i) {
    const WatchResponseView& part = watch.given[i].view;
    given += part.events.size();
    if (!part.fragment) continue;
    if (i + 1 == watch.given.size()) {
      // A cut loses the last part, if any changes were left for it.
      const bool taken = watch.end == ReferenceEnd::kCut && given < expected.size();
      const bool left_alone = watch.end == ReferenceEnd::kOpen && watch.continued_by;
      if (!taken && !left_alone) Wrong(watch, watch.given[i].line, "the last part never came");
      continue;
    }
    const WatchResponseView& next = watch.given[i + 1].view;
    if (next.events.empty()) Wrong(watch, watch.given[i + 1].line, "between two parts");
    if (next.header.revision != part.header.revision) {
      Wrong(watch, watch.given[i + 1].line, "parts with different headers");
    }
  }
}

// Progress R: all up to R was delivered before, nothing at or below it comes after, and progress
// does not go backwards.
void ReferenceJudge::CheckProgress(const ReferenceWatch& watch, const ExpectedChange& expected) {
  for (std::size_t i = 0; i < watch.given.size(); ++i) {
    const WatchResponseView& view = watch.given[i].view;
    if (!IsProgress(view)) continue;
    const std::uint64_t line = watch.given[i].line;
    const std::int64_t revision = view.header.revision;
    if (revision + 1 < StartOf(watch)) Wrong(watch, line, "progress below the start");
    if (view.watch_id >= 0 && !watch.asked.progress_notify && !watch.given[i].progress_asked) {
      Wrong(watch, line, "progress that was not requested");
    }
    std::set<std::pair<std::int64_t, std::string_view>> before;
    for (std::size_t j = 0; j < watch.given.size(); ++j) {
      const WatchResponseView& other = watch.given[j].view;
      if (j < i && IsProgress(other) && other.header.revision > revision) {
        Wrong(watch, line, "progress goes backwards");
      }
      for (const EventView& event : other.events) {
        if (j < i) before.emplace(event.kv.mod_revision, event.kv.key);
        if (j < i && event.kv.mod_revision > revision) {
          Wrong(watch, line, "progress below an event that was delivered");
        }
        if (j > i && event.kv.mod_revision <= revision) {
          Wrong(watch, watch.given[j].line, "an event at or below progress");
        }
      }
    }
    // A watch that has fallen below the floor gets ErrCompacted.
    const std::int64_t floor = truth_.FloorDoneAt(line);
    for (const ReferenceChange* change : expected) {
      if (change->revision > revision) break;
      if (change->revision < floor) continue;
      if (!before.contains({change->revision, change->kv.key})) {
        return Wrong(watch, line, "progress beyond an event that was not delivered");
      }
    }
  }
}

// A size that was too large for one message stays too large.
void ReferenceJudge::CheckSizes(const std::vector<ReferenceWatch>& all) {
  std::vector<std::pair<std::uint64_t, std::size_t>> shown;  // from that line on, so many bytes
  for (const ReferenceWatch& watch : all) {
    const ReferenceMessage* part = nullptr;
    for (const ReferenceMessage& message : watch.given) {
      if (message.view.events.empty()) continue;
      if (part != nullptr) shown.emplace_back(message.line, part->bytes + message.bytes);
      part = message.view.fragment ? &message : nullptr;
    }
  }
  for (const ReferenceWatch& watch : all) {
    for (const ReferenceMessage& message : watch.given) {
      if (!watch.asked.fragment || message.view.events.size() < 2) continue;
      const bool large = std::any_of(shown.begin(), shown.end(), [&](const auto& too_large) {
        return too_large.first <= message.line && message.bytes > too_large.second;
      });
      if (large) Wrong(watch, message.line, "larger than a response that was split before");
    }
  }
}

// Whether a message showed that the watch had received all, at a time when nothing later can have
// been written, and nothing in its range was written between that and the floor.
bool ReferenceJudge::CaughtUp(const ReferenceWatch& watch, std::int64_t floor) {
  std::int64_t through = -1;  // -1: it was not
  std::uint64_t since = watch.answer->line;
  if (watch.asked.start_revision >= 0 && StartOf(watch) > truth_.CeilingAt(since)) {
    through = StartOf(watch) - 1;
  }
  for (std::size_t i = 0; i + 1 < watch.given.size(); ++i) {
    const WatchResponseView& view = watch.given[i].view;
    if (IsProgress(view)) {
      through = PositionAfter(watch, i + 1) - 1;
    } else if (!view.events.empty()) {
      std::int64_t highest = 0;
      for (const EventView& event : view.events) {
        highest = std::max(highest, event.kv.mod_revision);
      }
      through = -1;
      if (!view.fragment && highest >= truth_.CeilingAt(watch.given[i].line)) through = highest;
    }
    since = watch.given[i].line;
  }
  if (through < 0 || truth_.KnownAt(watch.given.back().line) < floor - 1) return false;
  const bool parted = std::any_of(faults_.begin(), faults_.end(), [&](const ReferenceFault& fault) {
    return fault.unsaid || (fault.parts_members && fault.healed > since);
  });
  const ExpectedChange expected = ExpectedOn(watch);
  return !parted &&
         std::none_of(expected.begin(), expected.end(), [&](const ReferenceChange* change) {
           return change->revision > through && change->revision < floor;
         });
}

void ReferenceJudge::CheckNotice(const ReferenceWatch& watch) {
  if (watch.end != ReferenceEnd::kNotice) return;
  const ReferenceMessage& notice = watch.given.back();
  const std::int64_t position = PositionAfter(watch, watch.given.size());
  const std::int64_t floor = truth_.FloorAskedAt(notice.line);
  const std::int64_t reported = notice.view.compact_revision;
  if (options_.permit_compacted_at_the_floor && position == floor && reported == floor) return;
  if (position >= floor) return Wrong(watch, notice.line, "ErrCompacted at or above the floor");
  if (CaughtUp(watch, floor)) return Wrong(watch, notice.line, "ErrCompacted though caught up");
  if (reported <= position || reported > floor) {
    return Wrong(watch, notice.line, "a compact revision of no use");
  }
  const bool asked = std::any_of(truth_.compactions.begin(), truth_.compactions.end(),
                                 [&](const ReferenceCompaction& c) {
                                   return c.revision == reported && c.begun < notice.line;
                                 });
  if (!asked) Wrong(watch, notice.line, "a compact revision that was not requested");
}

void ReferenceJudge::CheckEnd(const ReferenceWatch& watch, const ExpectedChange& expected) {
  const bool left_alone = watch.continued_by.has_value();
  if (watch.end == ReferenceEnd::kRefused) {
    if (!watch.refused_rightly) Wrong(watch, watch.answer->line, "a refusal for no reason");
    return;
  }
  if (BelowFloorAtOnce(watch)) {
    for (const ReferenceMessage& message : watch.given) {
      if (!message.view.events.empty()) Wrong(watch, message.line, "an event instead of a notice");
    }
  }
  if (watch.end != ReferenceEnd::kOpen || left_alone) return;
  if (!watch.answer) return Wrong(watch, watch.asked_line, "no answer to the create");
  if (watch.cancels_open > 0) return Wrong(watch, watch.cancels.back(), "no answer to the cancel");
  if (BelowFloorAtOnce(watch)) return Wrong(watch, watch.asked_line, "no ErrCompacted");
  std::size_t given = 0;
  for (const ReferenceMessage& message : watch.given) given += message.view.events.size();
  if (given < expected.size()) Wrong(watch, watch.asked_line, "expected changes are missing");
}

// The client must request the next revision; otherwise the target is not judged.
void ReferenceJudge::CheckResumption(const ReferenceWatch& watch,
                                     const std::vector<ReferenceWatch>& all) {
  if (!watch.continues) return;
  const ReferenceWatch& before = all[*watch.continues];
  if (!before.answer && before.asked.start_revision <= 0) return;
  const bool after_notice = before.end == ReferenceEnd::kNotice &&
                            watch.asked.start_revision == before.given.back().view.compact_revision;
  if (watch.asked.start_revision != ResumeAt(before) && !after_notice) result_.misresumed = true;
}

}  // namespace watchproof
