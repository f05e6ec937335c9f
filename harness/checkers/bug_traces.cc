// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/bug_traces.h"

#include <algorithm>

#include "harness/checkers/signatures.h"

namespace watchproof {

void BugTraces::Created(WatchIndex watch) {
  const WatchState& state = table_.state(watch);
  const auto [named, is_new] = named_.try_emplace({state.stream.value, state.id.value}, watch);
  if (!is_new) {
    const WatchIndex former = std::exchange(named->second, watch);
    if (AskedAgain(former, watch)) table_.details(watch).former = former;
  }
  FindForeignAnswer(watch);
}

void BugTraces::Delivered(WatchIndex watch, const Response& response) {
  FindEventsOfFormer(watch, response);
  FindEventsOfNext(watch, response);
  FindForeignEvents(watch, response);
  FindRefusedWrite(response);
}

// The former watch of the id waited for them.
void BugTraces::FindEventsOfFormer(WatchIndex watch, const Response& response) {
  WatchDetails& details = table_.details(watch);
  if (!details.former) return;
  const TrackedRange& range = table_.details(*details.former).range;
  const WatchState& former = table_.state(*details.former);
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    // The former watch had not been sent it, and was there when it was written.
    const bool waited = former.end == WatchEnd::kCancelled && changed > former.last_event &&
                        changed >= former.start && changed <= details.header_when_created;
    if (waited && Concerns(range, event)) details.former_events.insert(response.where.line);
  }
}

// The client asked for the id again once it had cancelled the watch, or chose it before and let
// the server choose now. A server that gives out its own ids again has another bug.
bool BugTraces::AskedAgain(WatchIndex former, WatchIndex next) const {
  const WatchDetails& before = table_.details(former);
  const WatchDetails& after = table_.details(next);
  const auto& freed = before.cancel_asked ? before.cancel_asked : before.release_asked;
  return freed && freed->line < after.asked.line &&
         (before.requested_id != 0 || after.requested_id != 0);
}

// Whether a watch that was asked for later and has not been answered may have the id, too.
bool BugTraces::MayHaveIdOf(WatchIndex watch, WatchIndex next) const {
  const WatchDetails& details = table_.details(next);
  return table_.state(next).stream == table_.state(watch).stream && !details.created &&
         AskedAgain(watch, next) &&
         (details.requested_id == 0 || details.requested_id == table_.state(watch).id.value);
}

// A server that frees the id with the cancel may send what the next watch gets before it has
// answered the cancel.
void BugTraces::FindEventsOfNext(WatchIndex watch, const Response& response) {
  WatchDetails& details = table_.details(watch);
  if (!details.cancel_asked) return;
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    if (Concerns(details.range, event) && changed >= table_.state(watch).start) continue;
    for (std::uint32_t i = watch.value + 1; i < table_.size(); ++i) {
      WatchDetails& next = table_.details(WatchIndex(i));
      if (!MayHaveIdOf(watch, WatchIndex(i)) || !Concerns(next.range, event)) continue;
      details.next_events.insert(response.where.line);
      next.came_early.emplace(changed, table_.state(watch).id);
    }
  }
}

// An ErrCompacted that the watch's position does not explain, but that of the former watch with
// the id, or the start of the next one.
void BugTraces::FindNoticeOfNamesake(WatchIndex watch, const Response& response) {
  const Revision floor(response.message.compact_revision);
  const WatchState& state = table_.state(watch);
  if (state.position < floor) return;
  if (const auto former = table_.details(watch).former) {
    const WatchState& before = table_.state(*former);
    const bool below = before.position < floor || table_.details(*former).requested_start < 0;
    if (below) {
      table_.details(watch).former_events.insert(response.where.line);
    }
  }
  if (!table_.details(watch).cancel_asked) return;
  for (std::uint32_t i = watch.value + 1; i < table_.size(); ++i) {
    WatchDetails& next = table_.details(WatchIndex(i));
    if (!MayHaveIdOf(watch, WatchIndex(i)) || next.requested_start == 0 ||
        next.requested_start >= floor.value) {
      continue;
    }
    table_.details(watch).next_events.insert(response.where.line);
    next.notice_came_early = table_.state(watch).id;
  }
}

// Two creates waited together, and this one got what was meant for the other: its answer, which
// names the future start of the other, or an event of the other's range.
template <typename Meant>
void BugTraces::FindCrossed(WatchIndex watch, Meant meant) {
  WatchDetails& mine = table_.details(watch);
  for (const WatchIndex other : table_.On(table_.state(watch).stream)) {
    WatchDetails& theirs = table_.details(other);
    const bool together = theirs.asked.line < mine.created->line &&
                          (!theirs.created || theirs.created->line > mine.asked.line);
    if (other != watch && together && meant(theirs)) mine.crossed = theirs.crossed = true;
  }
}
void BugTraces::FindForeignAnswer(WatchIndex watch) {
  WatchDetails& mine = table_.details(watch);
  const std::int64_t header = mine.header_when_created.value;
  const bool own = header == mine.requested_start;
  mine.names_its_request = own && header > 0 && mine.header_when_created != mine.known_when_asked;
  if (own) return;
  FindCrossed(watch, [header](const WatchDetails& theirs) {
    return theirs.requested_start == header && theirs.known_when_asked < Revision(header);
  });
}
void BugTraces::FindForeignEvents(WatchIndex watch, const Response& response) {
  const WatchDetails& mine = table_.details(watch);
  const Line line = response.where.line;
  if (mine.former_events.contains(line) || mine.next_events.contains(line)) return;
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    const bool foreign = !mine.range.range.Contains(event.kv.key);
    // A watch from now on, and what had been written before it was asked for.
    const bool early = mine.requested_start == 0 && changed <= mine.known_when_asked;
    if (!foreign && !early) continue;
    FindCrossed(watch, [&](const WatchDetails& theirs) {
      const bool history =
          theirs.requested_start > 0 && changed >= Revision(theirs.requested_start);
      return Concerns(theirs.range, event) && (foreign || history);
    });
  }
}

// Revisions that are given out again after a crash inside a compaction (etcd #17780): the store
// stands below a compaction that had been asked for before the crash.
void BugTraces::FindRewind(const RecordedCall& call) {
  if (call.method == Method::kCompact) compactions_.emplace_back(call.began, call.named);
  const bool back = call.revision < call.before.revision ||
                    (call.method == Method::kPut && call.revision == call.before.revision);
  const bool answered = call.outcome == CallOutcome::kAnswered && call.revision.value > 0;
  if (rewind_ || !answered || call.serializable || !back) return;
  const Line crash = faults_.LatestCrash(call.began);
  for (const auto& [began, revision] : compactions_) {
    if (began > crash || revision < call.revision.value) continue;
    const bool made = call.method == Method::kPut;
    rewind_ =
        Rewind{crash, made ? call.revision.previous() : call.revision, signature::kRevisionsReused};
    return;
  }
}
void BugTraces::CallStarted(const RecordedCall& call) {
  TxnRequestView txn;
  if (call.method != Method::kTxn || !Parse(call.request.view(), txn).ok()) return;
  const auto past = [](const OperationView& operation) {
    RangeRequestView range;
    return operation.kind == Method::kRange && Parse(operation.body, range).ok() &&
           range.revision > 0;
  };
  if (!std::ranges::any_of(txn.success, past) && !std::ranges::any_of(txn.failure, past)) return;
  Reader& reader = readers_.emplace_back(Reader{.call = call, .ways = {}});
  auto ways = PossibleEffects(call.method, reader.call.request.view());
  if (ways.has_value()) reader.ways = *std::move(ways);
}

void BugTraces::EndReader(const RecordedCall& call) {
  const auto reader = std::ranges::find_if(
      readers_, [&call](const Reader& one) { return one.call.began == call.began; });
  if (reader == readers_.end()) return;
  reader->refused = call.code == StatusCode::kOutOfRange && call.floor.value > 0;
  if (reader->refused) return Conclude(*reader);
  readers_.erase(reader);
}

// A write that the member refused which was asked, and that others did (etcd #18667).
void BugTraces::FindRefusedWrite(const Response& response) {
  for (Reader& reader : readers_) {
    for (const EventView& event : response.message.events) {
      const auto wrote = [&event](const Operation& one) {
        return !one.deletes && event.type == 0 && one.key == event.kv.key &&
               one.value == event.kv.value;
      };
      const bool done = std::ranges::any_of(
          reader.ways, [&](const auto& way) { return std::ranges::any_of(way, wrote); });
      if (done) reader.seen = Revision(event.kv.mod_revision);
    }
    Conclude(reader);
  }
}

void BugTraces::Conclude(const Reader& reader) {
  if (rewind_ || !reader.refused || !reader.seen) return;
  rewind_ = Rewind{reader.call.began, reader.seen->previous(), signature::kRefusedWriteDone};
}

}  // namespace watchproof
