// SPDX-License-Identifier: Apache-2.0
#include "harness/signatures/bug_traces.h"

#include <algorithm>
#include <cstdlib>
#include <ranges>

namespace watchproof {
namespace {

// Whether one of them deletes the key, by a range without an end.
bool DeleteToTheEnd(const std::vector<Operation>& operations, std::string_view key) {
  return std::ranges::any_of(operations, [key](const Operation& one) {
    const KeyRange range(one.key, one.range_end);
    return one.deletes && range.open_ended() && range.Contains(key);
  });
}

}  // namespace

void BugTraces::OnAsked(WatchIndex watch, const Asked& asked) {
  const WatchDetails& details = table_.details(watch);
  const StreamId stream = table_.state(watch).stream;
  WatchTraces& traces = traces_.emplace_back();
  traces.received_when_asked = table_.Received(stream);
  traces.stream_at_when_asked = stream_at_[stream.value];
  traces.everywhere_when_asked = EverywhereBy(asked.where.at);
  if (facts_.options.members > 1) reached_when_asked_[watch.value] = reached_by_;
  if (details.requested_start < 0) negative_.push_back(watch);
  if (details.requested_id == kWholeStream) ++sharing_[stream.value];
  const auto progress = progress_.find(stream.value);
  if (progress != progress_.end()) traces.progress_asked_before = progress->second.requests;
}

// A member may lack for so long what another one has, without a fault.
constexpr Duration kOnTheWay = 1s;

void BugTraces::NoteReached(Duration at, Revision revision) {
  if (reached_.empty() || revision > reached_.back().second) reached_.emplace_back(at, revision);
  while (reached_.size() > 1 && reached_[1].first + kOnTheWay <= at) reached_.pop_front();
}

void BugTraces::NoteMember(std::uint64_t member, Revision revision) {
  if (facts_.options.members == 1 || member == 0) return;
  Revision& reached = reached_by_[member];
  reached = std::max(reached, revision);
}

Revision BugTraces::EverywhereBy(Duration at) const {
  const auto later =
      std::ranges::find_if(reached_, [at](const auto& one) { return one.first + kOnTheWay > at; });
  return later == reached_.begin() ? Revision() : std::prev(later)->second;
}

void BugTraces::OnRefused(WatchIndex watch, const Response&) {
  reached_when_asked_.erase(watch.value);
  if (table_.details(watch).requested_id == kWholeStream) {
    --sharing_[table_.state(watch).stream.value];
  }
}

bool BugTraces::SharesIdOfStream(StreamId stream) const {
  const auto found = sharing_.find(stream.value);
  return found != sharing_.end() && found->second > 0;
}

void BugTraces::OnMessage(const Response& response) {
  const HeaderView& header = response.message.header;
  Revision& at = stream_at_[response.stream.value];
  at = std::max(at, Revision(header.revision));
  NoteMember(header.member_id, Revision(header.revision));
  const bool of_stream = response.message.watch_id == kWholeStream;
  if (!of_stream || !SharesIdOfStream(response.stream)) return;
  means_either_.insert(response.where.line);
  if (response.message.compact_revision > 0) {
    notices_for_either_.emplace(response.stream.value, response.where.line);
  }
}

bool BugTraces::NoticeForEither(StreamId stream, Line first, Line last) const {
  const auto [begin, end] = notices_for_either_.equal_range(stream.value);
  return std::any_of(begin, end, [first, last](const auto& notice) {
    return first < notice.second && notice.second < last;
  });
}

void BugTraces::OnProgressAsked(StreamId stream, Where) {
  ++progress_[stream.value].requests;
  for (const WatchIndex watch : table_.On(stream)) {
    const WatchDetails& details = table_.details(watch);
    const WatchEnd end = table_.state(watch).end;
    const bool open = end == WatchEnd::kOpen && !details.caught_up_to;
    // Until it is cancelled it counts, too.
    const bool ended = end == WatchEnd::kCompacted && !details.release_asked;
    if (open || ended) traces_[watch.value].progress_asked_behind = true;
  }
}

bool BugTraces::ForEarlierRequest(WatchIndex watch, const Response& progress) const {
  const auto asked = progress_.find(table_.state(watch).stream.value);
  return progress.message.watch_id < 0 && asked != progress_.end() &&
         asked->second.answers <= of(watch).progress_asked_before &&
         Revision(progress.message.header.revision) <= table_.details(watch).header_when_created;
}

// Only answers to requests pass by events: periodic progress waits in line with them. One that
// names a revision which no write can have made is wrong in itself.
Passing BugTraces::PassingOf(WatchIndex watch, const Response& response) const {
  const StreamId stream = table_.state(watch).stream;
  const bool of_stream = response.message.watch_id == kWholeStream;
  if (of_stream && SharesIdOfStream(stream)) return Passing::kSharedId;
  if (!of_stream || !table_.ProgressAsked(stream)) return Passing::kInLine;
  const std::optional<Revision> ceiling = facts_.model.Ceiling();
  if (ceiling && Revision(response.message.header.revision) > *ceiling) return Passing::kInLine;
  return ForEarlierRequest(watch, response) ? Passing::kEarlierRequest : Passing::kRequest;
}

void BugTraces::OnProgress(WatchIndex watch, const Response& response) {
  OnMessage(response);
  WatchTraces& traces = traces_[watch.value];
  traces.passing = PassingOf(watch, response);
  if (response.message.watch_id >= 0 && !traces.caught_up_once) {
    traces.caught_up_once = response.where.line;
  }
}

bool BugTraces::QueueMayHaveBeenFull(WatchIndex watch, Revision beyond,
                                     std::uint64_t received) const {
  constexpr std::uint64_t kQueue = 128;  // messages
  const std::uint64_t since =
      std::max(of(watch).received_when_asked,
               table_.ReceivedBeforeCompaction(table_.state(watch).stream, beyond));
  return received >= since + kQueue;
}

void BugTraces::OnCreated(WatchIndex watch, const Response& response) {
  if (const auto asked = reached_when_asked_.extract(watch.value)) {
    const auto own = asked.mapped().find(response.message.header.member_id);
    Revision& at = traces_[watch.value].stream_at_when_asked;
    if (own != asked.mapped().end()) at = std::max(at, own->second);
  }
  const WatchState& state = table_.state(watch);
  const std::optional<Revision> ceiling = facts_.model.Ceiling();
  traces_[watch.value].created_beyond_writes =
      ceiling && table_.details(watch).header_when_created > *ceiling;
  const auto [named, is_new] = named_.try_emplace({state.stream.value, state.id.value}, watch);
  if (!is_new) {
    const WatchIndex former = std::exchange(named->second, watch);
    if (AskedAgain(former, watch)) traces_[watch.value].former = former;
  }
  FindForeignAnswer(watch);
}

void BugTraces::OnDelivered(WatchIndex watch, ResponsePtr& delivered) {
  const Response& response = *delivered;
  OnMessage(response);
  WatchTraces& traces = traces_[watch.value];
  if (!traces.caught_up_once) traces.caught_up_once = response.where.line;
  FindEventsOfFormer(watch, response);
  FindEventsOfNext(watch, response);
  FindForeignEvents(watch, response);
  FindRefusedWrite(response);
  FindShift(response);
}

// The former watch of the id waited for them.
void BugTraces::FindEventsOfFormer(WatchIndex watch, const Response& response) {
  WatchTraces& traces = traces_[watch.value];
  if (!traces.former) return;
  const TrackedRange& range = table_.details(*traces.former).range;
  const WatchState& former = table_.state(*traces.former);
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    // The former watch had not been sent it, and was there when it was written.
    const bool waited = former.end == WatchEnd::kCancelled && changed > former.last_event &&
                        changed >= former.start &&
                        changed <= table_.details(watch).header_when_created;
    if (waited && Concerns(range, event)) traces.former_events.insert(response.where.line);
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
  const WatchDetails& details = table_.details(watch);
  if (!details.cancel_asked) return;
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    if (Concerns(details.range, event) && changed >= table_.state(watch).start) continue;
    for (std::uint32_t i = watch.value + 1; i < table_.size(); ++i) {
      const TrackedRange& range = table_.details(WatchIndex(i)).range;
      if (!MayHaveIdOf(watch, WatchIndex(i)) || !Concerns(range, event)) continue;
      traces_[watch.value].next_events.insert(response.where.line);
      traces_[i].came_early.emplace(changed, table_.state(watch).id);
    }
  }
}

// An ErrCompacted that the watch's position does not explain, but that of the former watch with
// the id, or the start of the next one.
void BugTraces::OnCompacted(WatchIndex watch, const Response& response) {
  OnMessage(response);
  const Revision floor(response.message.compact_revision);
  const WatchState& state = table_.state(watch);
  if (state.position < floor) return;
  WatchTraces& traces = traces_[watch.value];
  if (const auto former = traces.former) {
    const WatchState& before = table_.state(*former);
    const bool below = before.position < floor || table_.details(*former).requested_start < 0;
    if (below) traces.former_events.insert(response.where.line);
  }
  if (!table_.details(watch).cancel_asked) return;
  for (std::uint32_t i = watch.value + 1; i < table_.size(); ++i) {
    const WatchDetails& next = table_.details(WatchIndex(i));
    if (!MayHaveIdOf(watch, WatchIndex(i)) || next.requested_start == 0 ||
        next.requested_start >= floor.value) {
      continue;
    }
    traces.next_events.insert(response.where.line);
    traces_[i].notice_came_early = state.id;
  }
}

// Two creates waited together, and this one got what was meant for the other: its answer, which
// names the future start of the other, or an event of the other's range.
template <typename Meant>
void BugTraces::FindCrossed(WatchIndex watch, Meant meant) {
  const WatchDetails& mine = table_.details(watch);
  for (const WatchIndex other : table_.On(table_.state(watch).stream)) {
    const WatchDetails& theirs = table_.details(other);
    if (other == watch || !meant(theirs)) continue;
    const bool together = theirs.asked.line < mine.created->line &&
                          (!theirs.created || theirs.created->line > mine.asked.line);
    if (together) traces_[watch.value].crossed = traces_[other.value].crossed = true;
  }
}
void BugTraces::FindForeignAnswer(WatchIndex watch) {
  const WatchDetails& mine = table_.details(watch);
  const std::int64_t header = mine.header_when_created.value;
  const bool own = header == mine.requested_start;
  traces_[watch.value].names_its_request =
      own && header > 0 && mine.header_when_created != mine.known_when_asked;
  if (own) return;
  FindCrossed(watch, [header](const WatchDetails& theirs) {
    return theirs.requested_start == header && theirs.known_when_asked < Revision(header);
  });
}
void BugTraces::FindForeignEvents(WatchIndex watch, const Response& response) {
  const WatchDetails& mine = table_.details(watch);
  const WatchTraces& traces = of(watch);
  const Line line = response.where.line;
  for (const EventView& event : response.message.events) {
    const Revision changed(event.kv.mod_revision);
    const bool foreign = !mine.range.range.Contains(event.kv.key);
    // A watch from now on, and what had been written before it was asked for.
    const bool early = mine.requested_start == 0 && changed <= mine.known_when_asked;
    if (!foreign && !early) continue;
    if (traces.former_events.contains(line) || traces.next_events.contains(line)) return;
    FindCrossed(watch, [&](const WatchDetails& theirs) {
      const bool history =
          theirs.requested_start > 0 && changed >= Revision(theirs.requested_start);
      return Concerns(theirs.range, event) && (foreign || history);
    });
  }
}

// Revisions that are given out again after a crash: inside a compaction (etcd #17780) the store
// stands below one that had been asked for before the crash; otherwise what had been acknowledged
// was not on disk (etcd #14370), and a put is acknowledged in its place; or on another member than
// the one that has applied its log again (etcd #14685).
void BugTraces::FindRewind(const RecordedCall& call) {
  if (call.method == Method::kCompact) compactions_.emplace_back(call.began, call.named);
  const bool back = call.revision < call.before.revision ||
                    (call.method == Method::kPut && call.revision == call.before.revision);
  const bool answered = call.outcome == CallOutcome::kAnswered && call.revision.value > 0;
  if (!answered || call.serializable || !back) return;
  if (rewind_) {  // the first that is answered need not be the lowest
    const bool lower = rewind_->cause == Rewind::Cause::kLostWrite && call.method == Method::kPut;
    if (lower) rewind_->to = std::min(rewind_->to, call.revision.previous());
    return;
  }
  const Line crash = facts_.faults.LatestCrash(call.began);
  for (const auto& [began, revision] : compactions_) {
    if (began > crash || revision < call.revision.value) continue;
    const bool made = call.method == Method::kPut;
    rewind_ =
        Rewind{crash, made ? call.revision.previous() : call.revision, Rewind::Cause::kCompaction};
    return;
  }
  if (crash.value == 0 || call.method != Method::kPut) return;
  // The member that was defragmented is ahead of the others: nothing is lost. Which of two members
  // is right does not show, so a write that is lost in such a recording has this name, too.
  const bool ahead = facts_.options.members > 1 && facts_.faults.WasArmed("defragment");
  rewind_ = Rewind{crash, call.revision.previous(),
                   ahead ? Rewind::Cause::kAppliedAgain : Rewind::Cause::kLostWrite};
}

// A key that was deleted and put at one revision is gone once the store is compacted to it.
void BugTraces::FindRecreated(const RecordedCall& call) {
  if (call.outcome == CallOutcome::kRefused) return;
  if (call.method == Method::kTxn && recreating_.contains(call.began)) {
    recreated_.insert(call.revision);
  }
  const Revision floor(call.named);
  const bool lost = call.method == Method::kCompact && recreated_.contains(floor) &&
                    facts_.timeline().ChangesKeyTwice(floor);
  if (lost && !rewind_) {
    rewind_ = Rewind{call.began, floor.previous(), Rewind::Cause::kRecreated};
  }
}

void BugTraces::CallStarted(const RecordedCall& call) {
  if (call.method == Method::kPut || call.method == Method::kTxn) NoteAsked(call);
  TxnRequestView txn;
  if (call.method != Method::kTxn || !Parse(call.request.view(), txn).ok()) return;
  bool reads = false;
  bool past = false;
  for (const auto* const branch : {&txn.success, &txn.failure}) {
    for (const OperationView& operation : *branch) {
      RangeRequestView range;
      if (operation.kind != Method::kRange || !Parse(operation.body, range).ok()) continue;
      reads = true;
      past = past || range.revision > 0;
    }
  }
  if (!past && !(reads && rights_given_)) return;
  Reader& reader = readers_.emplace_back(Reader{.call = call, .ways = {}, .past = past});
  auto ways = PossibleEffects(call.method, reader.call.request.view());
  if (ways.has_value()) reader.ways = *std::move(ways);
}

// What is put since a crash may be what was put before. A transaction may put what it deletes.
void BugTraces::NoteAsked(const RecordedCall& call) {
  const Line crash = facts_.faults.LatestCrash(call.began);
  const bool txn = call.method == Method::kTxn;
  PutRequestView put;
  if (!txn && Parse(call.request.view(), put).ok() && put.ignore_value) kept_.emplace(put.key);
  if (crash.value == 0 && !txn && readers_.empty()) return;
  const auto ways = PossibleEffects(call.method, call.request.view());
  if (!ways.has_value()) return;
  for (const auto& way : *ways) {
    for (const Operation& one : way) {
      if (one.deletes) continue;
      if (one.keeps_value) kept_.emplace(one.key);
      if (txn && DeleteToTheEnd(way, one.key)) NoteRecreation(call.began, one);
      if (crash.value == 0) continue;
      asked_since_[{std::string(one.key), std::string(one.value)}] = crash;
    }
  }
}

void BugTraces::NoteRecreation(Line began, const Operation& put) {
  recreating_.insert(began);
  const bool keeps = put.keeps_value || put.keeps_lease;
  if (keeps && !keeps_deleted_) keeps_deleted_ = began;
}

void BugTraces::EndReader(const RecordedCall& call) {
  const auto reader = std::ranges::find_if(
      readers_, [&call](const Reader& one) { return one.call.began == call.began; });
  if (reader == readers_.end()) return;
  reader->refused =
      (reader->past && call.code == StatusCode::kOutOfRange && call.floor.value > 0) ||
      call.code == StatusCode::kPermissionDenied;
  if (reader->refused) return Conclude(*reader);
  readers_.erase(reader);
}

// A write that the member refused which was asked, and that others did (etcd #18667).
void BugTraces::FindRefusedWrite(const Response& response) {
  for (Reader& reader : readers_) {
    for (const EventView& event : response.message.events) {
      const auto wrote = [&](const Operation& one) {
        if (one.deletes != (event.type == 1)) return false;
        if (!one.deletes) return one.key == event.kv.key && one.value == event.kv.value;
        return KeyRange(one.key, one.range_end).Contains(event.kv.key) && NothingDeleted(event);
      };
      const bool done = std::ranges::any_of(
          reader.ways, [&](const auto& way) { return std::ranges::any_of(way, wrote); });
      if (done) reader.seen = Revision(event.kv.mod_revision);
    }
    Conclude(reader);
  }
  const bool refused = std::ranges::any_of(readers_, &Reader::refused);
  if (refused && !rewind_) FindRefusedShift(response);
}

// What it did need not be watched: those that did it count another revision from then on, and show
// later puts at others than the member that answered them. One put alone may be the same value
// again, as a later one may of a key that was to keep its value.
void BugTraces::FindRefusedShift(const Response& response) {
  for (const EventView& event : response.message.events) {
    const auto put = answered_.find({std::string(event.kv.key), std::string(event.kv.value)});
    if (event.type != 0 || put == answered_.end()) continue;
    const AnsweredPut& answered = put->second;
    const std::int64_t by = event.kv.mod_revision - answered.revision.value;
    if (by == 0 || (by > 0 && kept_.contains(put->first.first))) continue;
    const RecordedCall* const refused = RefusedBefore(answered.began, std::abs(by));
    if (refused == nullptr) continue;
    moved_.emplace(answered.began, refused);
    if (moved_.size() == 1) continue;
    const RecordedCall& first = *moved_.begin()->second;
    return LeaveWith(first, first.before.revision);
  }
}

// The first of those that moved what began in the line by so many revisions: each by one. None if
// there are fewer, or if a crash came in between, which may have moved it.
const RecordedCall* BugTraces::RefusedBefore(Line line, std::int64_t moved) const {
  const Line crash = facts_.faults.LatestCrash(line);
  for (const Reader& reader : readers_ | std::views::reverse) {
    if (!reader.refused || reader.ways.empty() || reader.call.began >= line) continue;
    if (reader.call.began < crash) return nullptr;
    if (--moved == 0) return &reader.call;
  }
  return nullptr;
}

void BugTraces::NoteAnswered(const RecordedCall& call) {
  const bool answered = call.method == Method::kPut && call.outcome == CallOutcome::kAnswered;
  if (!answered || rewind_ || readers_.empty()) return;
  const auto ways = PossibleEffects(call.method, call.request.view());
  if (!ways.has_value() || ways->size() != 1 || ways->front().size() != 1) return;
  const Operation& put = ways->front().front();
  if (put.keeps_value) return;
  answered_.insert_or_assign({std::string(put.key), std::string(put.value)},
                             AnsweredPut{.revision = call.revision, .began = call.began});
}

// No write that was answered, or may be yet, as far as the history is known.
bool BugTraces::NothingDeleted(const EventView& event) const {
  const Timeline& timeline = facts_.timeline();
  const Revision at(event.kv.mod_revision);
  if (timeline.known_through() < at) return false;
  for (std::uint32_t i = timeline.changes(); i > timeline.first_change(); --i) {
    const Change& change = timeline.change(i - 1);
    if (change.revision < at) break;
    if (change.revision == at && change.deleted && change.key == event.kv.key) return false;
  }
  return std::ranges::none_of(facts_.model.calls().out(), [&](const auto& call) {
    const auto ways = PossibleEffects(call.second->method, call.second->request.view());
    return ways.has_value() && std::ranges::any_of(*ways, [&](const auto& way) {
             return std::ranges::any_of(way, [&](const Operation& one) {
               return KeyRange(one.key, one.range_end).Contains(event.kv.key);
             });
           });
  });
}

// Since a crash what was written stands at another revision: a higher one where a part of the log
// was applied once more (etcd #14685), a lower one where a write was left out (etcd #13766). The
// same without a crash where a member refuses what the others carry out (etcd #14571).
void BugTraces::FindShift(const Response& response) {
  const Line crash = facts_.faults.LatestCrash(response.where.line);
  const Line since = crash.value != 0 ? crash : rights_changed_;
  if (rewind_ || since.value == 0) return;
  const Timeline& timeline = facts_.timeline();
  const auto writes = [](const Change& change, const EventView& event) {
    return !change.deleted && change.key == event.kv.key && change.value == event.kv.value;
  };
  const auto moved = [&](const EventView& event) {
    if (event.type != 0) return false;
    const Revision at(event.kv.mod_revision);
    const auto indices = std::views::iota(timeline.first_change(), timeline.changes());
    const auto revision_of = [&](std::uint32_t i) { return timeline.change(i).revision; };
    const auto of_revision = std::ranges::equal_range(indices, at, {}, revision_of);
    const auto is_it = [&](std::uint32_t i) { return writes(timeline.change(i), event); };
    if (std::ranges::any_of(of_revision, is_it)) return false;
    const auto asked = asked_since_.find({std::string(event.kv.key), std::string(event.kv.value)});
    return asked == asked_since_.end() || asked->second != since;
  };
  const auto event = std::ranges::find_if(response.message.events, moved);
  if (event == response.message.events.end()) return;
  const Revision at(event->kv.mod_revision);
  // It may have come before the answer that says where it was written.
  if (crash.value == 0) moved_from_ = std::min(moved_from_.value_or(at), at);
  std::optional<Revision> written;
  for (std::uint32_t i = timeline.changes(); i > timeline.first_change(); --i) {
    const Change& change = timeline.change(i - 1);
    if (writes(change, *event)) written = change.revision;
  }
  if (!written) return;
  const bool lower = at < *written;
  // A later put may have kept the value.
  if (!lower && kept_.contains(event->kv.key)) return;
  if (crash.value == 0 && !lower) return;
  const Line begin = crash.value == 0 ? since : facts_.faults.BeginOf(crash);
  rewind_ = Rewind{begin, std::min(crash.value == 0 ? *moved_from_ : at, *written).previous(),
                   crash.value == 0 ? Rewind::Cause::kRightsLeft
                   : lower          ? Rewind::Cause::kLeftOut
                                    : Rewind::Cause::kAppliedAgain};
  // What moved first need not have come to a watch: all that was written since the crash may have.
  if (crash.value == 0) return;
  for (std::uint32_t i = timeline.first_change(); i < timeline.changes(); ++i) {
    const Change& change = timeline.change(i);
    if (change.written < begin) continue;
    rewind_->to = std::min(rewind_->to, change.revision.previous());
    return;
  }
}

void BugTraces::Conclude(const Reader& reader) {
  if (rewind_ || !reader.refused || !reader.seen) return;
  LeaveWith(reader.call, reader.seen->previous());
}

// One was refused and done: those that were refused before it may have been, too.
void BugTraces::LeaveWith(const RecordedCall& refused, Revision to) {
  const Line crash = facts_.faults.LatestCrash(refused.began);
  const Reader& first = *std::ranges::find_if(readers_, [crash](const Reader& one) {
    return one.refused && !one.ways.empty() && one.call.began > crash;
  });  // or the call itself
  rewind_ = Rewind{first.call.began, std::min(to, first.call.before.revision),
                   Rewind::Cause::kRefusedWrite};
}

}  // namespace watchproof
