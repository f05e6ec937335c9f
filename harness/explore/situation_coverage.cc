// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/situation_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace watchproof::explore {
namespace {

constexpr int kRoundsOfRows = 3;

using From = Place::From;

// Every write of the script is to the first, so that a watch of the second has nothing to receive.
constexpr const char* kBusy = "a/1";
constexpr const char* kQuiet = "b";
// Ids, beside 0 to let the server choose.
constexpr std::int64_t kOwn = 1;
constexpr std::int64_t kOthers = 2;
constexpr std::int64_t kHolder = 3;
constexpr std::int64_t kUnread = 4;
constexpr std::int64_t kLate = 5;
constexpr std::int64_t kFarAhead = 50;
constexpr std::int64_t kWholeDisk = 1 << 20;  // that waits for the disk

bool HasEnded(WatchPhase phase) {
  return phase == WatchPhase::kCompacted || phase == WatchPhase::kEnded ||
         phase == WatchPhase::kRefused;
}

class SituationScript {
 public:
  SituationScript(const Situation& wanted, Prng& prng) : wanted_(wanted), prng_(prng) {}

  Script Build() {
    script_.limits.queued_replies = overflows() ? 1 : prng_.Pick(std::vector<std::int64_t>{8, 128});
    script_.limits.watchers_per_step = script_.limits.revisions_per_batch = 8;
    script_.limits.disk = wanted_.meanwhile == Action::kCrash;
    Begin();
    const bool early = HasEnded(wanted_.other) || wanted_.other == WatchPhase::kFuture;
    if (early) MakeOther();
    if (!passes()) MakeWatch();
    if (passes() && ahead()) {
      FallBehind(early);
    } else {
      if (passes()) CatchSight();
      if (!early) MakeOther();
      if (wanted_.stalled) Stall();
    }
    Add(Turn{Loop::kExpire});  // nothing does: on a real server the client looks what there is
    Add(Meanwhile());
    return std::move(script_);
  }

 private:
  // Whether the watch is in a phase that ends when the server gets to it.
  bool passes() const {
    return wanted_.watch == WatchPhase::kBehind || wanted_.watch == WatchPhase::kBelowFloor;
  }
  // Whether it starts at what is yet to be written.
  bool ahead() const {
    return wanted_.start == StartKind::kNow || wanted_.start == StartKind::kFuture;
  }
  // It has to miss what it waits for to be compacted.
  bool overflows() const { return wanted_.watch == WatchPhase::kCompacted && ahead(); }

  void Add(Step step) { script_.steps.push_back(std::move(step)); }
  void Write(Step step) {
    Add(std::move(step));
    if (script_.limits.disk) Add(SyncDisk{kWholeDisk});
  }
  void Take() { Add(Receive{1, kEveryReply}); }
  void CatchUp() {
    for (const Loop loop : {Loop::kCommit, Loop::kSync, Loop::kVictims}) Add(Turn{loop});
    Take();
  }
  // Something for every filter; the key is there before and after.
  void WriteBoth() {
    Write(Delete{.key = kBusy});
    Write(BusyPut());
  }
  Put BusyPut() const {
    return {.key = kBusy, .lease = wanted_.meanwhile == Action::kRevoke ? 1 : 0};
  }

  // A floor with something below it and something above.
  void Begin() {
    if (wanted_.meanwhile == Action::kRevoke) Write(Grant{.lease = 1, .seconds = 60});
    Write(Put{.key = kBusy});
    Write(Put{.key = kBusy});
    Write(Compact{});
    WriteBoth();
    Add(Turn{Loop::kCommit});
    Add(Create{.key = kQuiet, .id = kHolder});
    Take();
  }

  Place Start() const {
    const std::int64_t ahead = wanted_.watch == WatchPhase::kFuture ? kFarAhead : 1;
    const Place places[] = {
        {}, {From::kHead, -1}, {From::kFloor, 0}, {From::kFloor, -1}, {From::kHead, ahead}};
    return places[static_cast<std::size_t>(wanted_.start)];
  }
  Create Watch() const {
    Create create{.key = kBusy,
                  .start = Start(),
                  .id = wanted_.own_id ? kOwn : 0,
                  .options = {.prev_kv = wanted_.prev_kv,
                              .progress_notify = wanted_.progress,
                              .fragment = wanted_.fragment,
                              .no_put = wanted_.filter == FilterKind::kNoPut,
                              .no_delete = wanted_.filter == FilterKind::kNoDelete}};
    if (wanted_.range == RangeKind::kInterval) create.key = "a/";
    if (wanted_.range == RangeKind::kInterval) create.end = "a0";
    if (wanted_.range == RangeKind::kOpen) create.end = "*";
    if (wanted_.range == RangeKind::kEverything) create.key = create.end = "*";
    return create;
  }
  // What the row says nothing about may be anything.
  Create Other(const char* key, Place start) {
    return {.key = key,
            .start = start,
            .id = kOthers,
            .options = {.prev_kv = prng_.Chance(0.5),
                        .progress_notify = prng_.Chance(0.5),
                        .fragment = prng_.Chance(0.5)}};
  }

  // Into a phase that lasts.
  void MakeWatch() {
    const Create create = Watch();
    if (HasEnded(wanted_.watch)) return End(create, wanted_.watch);
    Add(create);
    Add(Turn{Loop::kCommit});
    if (wanted_.watch == WatchPhase::kLive && wanted_.start == StartKind::kFuture) WriteBoth();
    if (wanted_.watch == WatchPhase::kLive) CatchUp();
    Take();
  }

  // Without a further write, and without a pass over watches that are behind.
  void MakeOther() {
    const Place above{From::kFloor, 1}, below{From::kFloor, -1};
    const Place starts[] = {
        {From::kHead, kFarAhead}, {}, {From::kHead, 0}, below, below, above, above};
    const Create create = Other(wanted_.other == WatchPhase::kLive ? kQuiet : kBusy,
                                starts[static_cast<std::size_t>(wanted_.other)]);
    if (HasEnded(wanted_.other)) return End(create, wanted_.other);
    Add(create);
    Add(Turn{Loop::kCommit});
    Take();
  }

  void End(Create create, WatchPhase how) {
    if (how == WatchPhase::kRefused) create.id = kHolder;
    Add(create);
    if (how == WatchPhase::kEnded) Add(Cancel{1, create.id});
    if (how == WatchPhase::kCompacted) Compaction(create);
    Take();
  }
  // The pauses are for a real server, which looks every tenth of a second.
  void Compaction(const Create& create) {
    if (create.id != kOthers && ahead()) {
      Take();
      for (int i = 0; i < 3; ++i) {
        for (const Step& step : {Step(Delete{.key = kBusy}), Step(BusyPut())}) {
          Write(step);
          Add(Turn{Loop::kCommit});
        }
      }
    }
    if (create.start != Place{From::kFloor, -1}) Write(Compact{});
    for (int i = 0; i < 3; ++i) Add(Turn{Loop::kErase});
    CatchUp();
    CatchUp();
  }

  // Created with a start in the history, which the server does not get to.
  void CatchSight() {
    Add(Watch());
    Add(Turn{Loop::kCommit});
    Take();
    const bool below = wanted_.start == StartKind::kBelowFloor;
    if (wanted_.watch == WatchPhase::kBelowFloor && !below) Write(Compact{});
  }

  // Created before what is written, which the client does not take, or the server does not hand
  // out.
  void FallBehind(bool other_is_there) {
    Add(Watch());
    Add(Turn{Loop::kCommit});
    Take();
    const bool late = wanted_.other == WatchPhase::kBehind;
    if (late) {
      Add(Other(kQuiet, {From::kHead, 5}));  // the last of the writes below
      Take();
    } else if (!other_is_there) {
      MakeOther();
    }
    if (wanted_.stalled) Stall();
    WriteBoth();
    WriteBoth();
    if (wanted_.watch == WatchPhase::kBelowFloor) Write(Compact{});
    if (late) Write(Put{.key = kQuiet});
  }

  // From now on the client reads nothing, and there is something to read.
  void Stall() {
    Add(Receive{1, 0});
    Add(Create{.key = kQuiet, .id = kUnread});
  }

  Step Meanwhile() const {
    const Txn txn{.then = {{.kind = TxnPart::Kind::kPut, .key = kBusy},
                           {.kind = TxnPart::Kind::kPut, .key = kQuiet},
                           {.kind = TxnPart::Kind::kDelete, .key = "a/2"}}};
    const Step steps[] = {BusyPut(),
                          Delete{.key = kBusy},
                          txn,
                          Compact{},
                          AskProgress{1},
                          Cancel{1, kHolder},
                          Create{.key = "*", .end = "*", .id = kLate},
                          Resume{1},
                          Revoke{1},
                          Crash{}};
    return steps[static_cast<std::size_t>(wanted_.meanwhile)];
  }

  const Situation wanted_;
  Prng& prng_;
  Script script_;
};

}  // namespace

Script ScriptFor(const Situation& wanted, Prng& prng) {
  return SituationScript(wanted, prng).Build();
}

SituationCoverage::SituationCoverage()
    : pairs_(SituationModel(), 2),
      triples_(SituationModel(), 3),
      asked_pairs_(pairs_),
      asked_triples_(triples_),
      rounds_(kRoundsOfRows) {}

std::optional<Script> SituationCoverage::Next(Prng& prng) {
  for (; rounds_ > 0; --rounds_) {
    auto row = asked_pairs_.NextRow(prng);
    if (!row) row = asked_triples_.NextRow(prng);
    if (row) {
      asked_pairs_.Add(*row);
      asked_triples_.Add(*row);
      return ScriptFor(ToSituation(*row), prng);
    }
    asked_pairs_ = pairs_;
    asked_triples_ = triples_;
  }
  return std::nullopt;
}

void SituationCoverage::Reached(std::vector<Row> rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const Row& row : rows) {
    pairs_.Add(row);
    triples_.Add(row);
  }
}

std::string SituationCoverage::Summary() const {
  return fmt::format("pairs {} of {}, triples {} of {}, {} cannot be", pairs_.count(),
                     pairs_.possible(), triples_.count(), triples_.possible(),
                     pairs_.impossible() + triples_.impossible());
}

std::string SituationCoverage::Missing() const {
  std::string text;
  for (const Combinations* combinations : {&pairs_, &triples_}) {
    for (const std::string& one : combinations->Missing()) text += one + '\n';
  }
  return text;
}

}  // namespace watchproof::explore
