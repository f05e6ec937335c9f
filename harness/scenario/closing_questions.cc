// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/closing_questions.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/key_range.h"
#include "harness/session/verdict.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr Duration kLimit = 5s;
constexpr std::size_t kMostKeys = 16;            // that are probed
constexpr std::int64_t kLongestHistory = 2000;   // revisions that a new watch reads
constexpr std::int64_t kFarAhead = 1000;         // revisions above the head
constexpr std::int64_t kFirstOwnId = 1'000'000;  // far from those that servers choose
constexpr int kNewWatches = 6;                   // of a stream
constexpr int kWritesOfKey = 8;
constexpr int kMostStreams = 8;  // for the bound of what is used
constexpr std::int64_t kProbeValue = 16;
// Of the watches that the questions make, by the plan's kind of name.
const std::string kAll = "closing questions/all";
const std::string kNew = "closing questions/new";
const std::string kFresh = "closing questions/fresh";

bool IsOpen(const WatchState& watch) { return watch.end == WatchEnd::kOpen; }

class ClosingQuestions {
 public:
  explicit ClosingQuestions(StepContext& context) : context_(context) {}

  // The new watches have some time to read their history while the store is read.
  Status Ask() {
    if (Begin("progress")) {
      AskForProgress();
      ReleaseCompacted();
    }
    if (Begin("delivery")) WP_RETURN_IF_ERROR(Probe());
    if (Begin("new-watches")) CreateNew();
    WP_RETURN_IF_ERROR(ReadBack());
    if (Begin("leases")) WP_RETURN_IF_ERROR(ListLeases());
    if (Begin("new-watches")) AwaitAnswers();
    if (Begin("delivery")) WP_RETURN_IF_ERROR(Probe());
    if (Begin("new-watches")) WP_RETURN_IF_ERROR(CreateAgain());
    return Begin("end-of-watches") ? CancelAll() : Status();
  }

 private:
  // A stream that has not ended, and a range that it has watched.
  struct Living {
    WatchStream* stream;
    std::string key;
    std::string range_end;
    std::set<std::int64_t> ids;  // of all its watches
  };

  std::vector<Living> Streams() const {
    std::vector<Living> streams;
    for (const WatchState& watch : context_.judge().watches()) {
      WatchStream* const stream = OpenStream(watch.stream);
      if (stream == nullptr || !watch.created) continue;
      const auto known = std::find_if(streams.begin(), streams.end(), [&](const Living& living) {
        return living.stream == stream;
      });
      Living& living = known != streams.end() ? *known : streams.emplace_back();
      living.stream = stream;
      living.key = watch.key;
      living.range_end = watch.range_end;
      living.ids.insert(watch.id.value);
    }
    return streams;
  }

  // Null if nothing can be asked on it any more.
  WatchStream* OpenStream(StreamId id) const {
    const bool over = session_.traffic().HasEnded(id) || context_.finished_requests().contains(id);
    return over ? nullptr : session_.StreamOf(id);
  }

  void Leave(std::string_view question, std::string why) {
    session_.Annotate(QuestionLeft{.question = std::string(question), .why = std::move(why)});
  }

  // What follows is about the promise, which the profile may leave out.
  bool Begin(std::string_view promise) {
    promise_ = promise;
    if (!session_.Asks(promise)) {
      Leave(promise, "the profile of the target leaves it out");
      return false;
    }
    session_.Annotate(PromiseAsked{std::string(promise)});
    return true;
  }

  // A refusal is an answer, too: a broken promise of a target that is known to offer what was
  // asked, and of any other one the end of this question. An error: there was no answer.
  Status Answered(const std::string& asked, const Status& done) {
    if (done.ok()) return {};
    Trouble trouble{.status = done, .asked = asked, .lease_may_have_ended = context_.has_leases()};
    if (!IsAnswer(done.code())) return done;
    if (const std::string known = WhyKnownToOffer(session_, trouble); !known.empty()) {
      session_.Annotate(TargetRefused{.asked = asked, .refusal = done.ToString(), .known = known});
    } else {
      Leave(promise_, fmt::format("the target does not offer {}: {}", asked, done.ToString()));
    }
    return {};
  }

  bool Offers(Capability capability, std::string_view question) {
    if (session_.offer().offered.contains(capability)) return true;
    Leave(question, fmt::format("it is not known that the target offers {}", Name(capability)));
    return false;
  }

  // A server may drop the request while a watch is behind, but none is; and it cannot report
  // progress to a watch that starts later.
  void AskForProgress() {
    if (!context_.progress_requested() && !Offers(Capability::kProgressRequest, "progress")) return;
    for (const Living& living : Streams()) {
      if (session_.GivesUp()) return;
      const auto& watches = context_.judge().watches();
      const auto later = [&](const WatchState& watch) {
        return watch.stream == living.stream->id() && IsOpen(watch) &&
               watch.start > context_.head();
      };
      if (std::any_of(watches.begin(), watches.end(), later)) {
        Leave("progress", "a watch of the stream starts above the head");
      } else if (context_.HasOpenWatch(living.stream->id())) {
        context_.MustReportProgress(*living.stream, /*asked=*/true, kLimit);
      }
    }
  }

  // A watch that ended with ErrCompacted keeps its id until it is cancelled. Then nothing of it is
  // left, and progress must come where it was asked for before.
  void ReleaseCompacted() {
    std::set<WatchStream*> streams;
    const auto& watches = context_.judge().watches();
    for (const WatchState& watch : watches) {
      WatchStream* const stream = OpenStream(watch.stream);
      if (stream == nullptr || watch.end != WatchEnd::kCompacted) continue;
      // The id may have been released before, and be that of another watch now.
      const auto taken = [&](const WatchState& other) {
        return other.stream == watch.stream && other.ordinal > watch.ordinal &&
               other.id == watch.id;
      };
      if (std::any_of(watches.begin(), watches.end(), taken)) continue;
      stream->Cancel(watch.id);
      streams.insert(stream);
    }
    if (!streams.empty()) AskForProgress();
  }

  std::set<std::string> WatchedKeys() const {
    std::set<std::string> keys;
    for (const WatchState& watch : context_.judge().watches()) {
      if (keys.size() == kMostKeys || !IsOpen(watch)) continue;
      keys.insert(KeyRange(watch.key, watch.range_end).first());
    }
    return keys;
  }

  Status WriteEach(const std::set<std::string>& keys, bool deleted) {
    for (const std::string& key : keys) {
      const Status done = context_.NoteHead(deleted ? session_.kv().Delete(key, "")
                                                    : session_.kv().Put(key, "probe"));
      WP_RETURN_IF_ERROR(Answered(deleted ? "a deletion" : "a put", done));
    }
    return {};
  }

  // A put and a deletion in the range of each open watch.
  Status Probe() {
    if (session_.GivesUp()) return {};
    const std::set<std::string> keys = WatchedKeys();
    if (keys.empty()) return {};
    auto& members = context_.groups()[kAll];
    members.clear();
    for (const WatchState& watch : context_.judge().watches()) {
      if (IsOpen(watch)) members.push_back({watch.stream, watch.ordinal});
    }
    WP_RETURN_IF_ERROR(WriteEach(keys, /*deleted=*/false));
    WP_RETURN_IF_ERROR(WriteEach(keys, /*deleted=*/true));
    context_.MustDeliver(kAll, kLimit);
    return {};
  }

  void Create(const std::string& group, const Living& on, const WatchCreate& watch) {
    WatchCreate placed = watch;
    placed.key = on.key;
    placed.range_end = on.range_end;
    context_.groups()[group].push_back({on.stream->id(), on.stream->Create(placed)});
  }

  // From the floor with an id of its own, from now, from the future, and from below the floor.
  void CreateNew() {
    context_.groups()[kNew];
    context_.groups()[kFresh];
    if (session_.GivesUp()) return;
    const bool own_ids = Offers(Capability::kClientChosenIds, "ids of the client");
    const bool previous = session_.offer().offered.contains(Capability::kPreviousValues);
    const Revision compacted = context_.judge().compacted_through();
    Revision floor = compacted.value > 0 ? compacted : context_.first_head().next();
    if (context_.head().value - floor.value > kLongestHistory) {
      Leave("a watch from the floor",
            fmt::format("{} revisions are kept", context_.head().value - floor.value));
      floor = context_.head();
    }
    for (const Living& on : Streams()) {
      std::int64_t id = kFirstOwnId;
      while (on.ids.contains(id)) ++id;
      Create(kFresh, on, {.start = floor, .id = WatchId(own_ids ? id : 0)});
      Create(kFresh, on, {.options = {.prev_kv = previous}});
      if (!session_.kubernetes_only()) {
        Create(kNew, on, {.start = context_.head().next().next()});
      }
      if (compacted.value > 1) Create(kNew, on, {.start = compacted.previous()});
    }
  }

  // Whether all of them answered is judged at the end of the recording.
  void AwaitAnswers() {
    const Revision compacted = context_.judge().compacted_through();
    const auto answered = [&](const WatchState& watch) {
      return !IsOpen(watch) || (watch.created && watch.start >= compacted);
    };
    session_.PumpUntil(
        [&] {
          return context_.EveryMember(kNew, answered) && context_.EveryMember(kFresh, answered);
        },
        Within(kLimit));
  }

  void Cancel(const std::function<bool(const WatchState&)>& which) {
    std::vector<std::pair<StreamId, std::uint32_t>> cancelled;
    for (const WatchState& watch : context_.judge().watches()) {
      if (!IsOpen(watch) || !watch.created || !which(watch)) continue;
      WatchStream* const stream = OpenStream(watch.stream);
      if (stream == nullptr) continue;
      stream->Cancel(watch.id);
      cancelled.emplace_back(watch.stream, watch.ordinal);
    }
    session_.PumpUntil(
        [&] {
          const auto& watches = context_.judge().watches();
          return std::all_of(cancelled.begin(), cancelled.end(), [&](const auto& one) {
            return !IsOpen(watches[*context_.judge().Find(one.first, one.second)]);
          });
        },
        Within(kLimit));
  }

  // The ids of cancelled watches are free again.
  Status CreateAgain() {
    if (session_.GivesUp()) return {};
    const std::vector<StepContext::Member> fresh = std::exchange(context_.groups()[kFresh], {});
    std::set<std::pair<std::uint32_t, std::uint32_t>> ours;
    for (const StepContext::Member& one : fresh) ours.insert({one.stream.value, one.ordinal});
    Cancel([&](const WatchState& watch) {
      return ours.contains({watch.stream.value, watch.ordinal});
    });
    for (const Living& on : Streams()) {
      std::set<std::int64_t> ids;
      for (const WatchState& watch : context_.judge().watches()) {
        const bool free = watch.stream == on.stream->id() && watch.end == WatchEnd::kCancelled;
        if (free && watch.id.value > 0) ids.insert(watch.id.value);
      }
      for (const WatchState& watch : context_.judge().watches()) {
        if (watch.stream == on.stream->id() && watch.end != WatchEnd::kCancelled) {
          ids.erase(watch.id.value);
        }
      }
      if (!session_.offer().offered.contains(Capability::kClientChosenIds)) ids = {0};
      if (!ids.empty()) Create(kFresh, on, {.id = WatchId(*ids.begin())});
      if (ids.size() > 1) Create(kFresh, on, {.id = WatchId(*ids.rbegin())});
    }
    AwaitAnswers();
    return Probe();
  }

  // The answers are in the recording, and so are the refusals, which some of them must be.
  Status ReadBack() {
    if (session_.GivesUp()) return {};
    if (Begin("read-of-every-key")) {
      WP_RETURN_IF_ERROR(Answered("a read of every key", context_.NoteHead(session_.ReadKeys())));
    }
    if (Begin("read-of-the-past")) WP_RETURN_IF_ERROR(ReadThePast());
    if (session_.kubernetes_only() || !Begin("serializable-read")) return {};
    const auto read = session_.ReadKeys({}, /*serializable=*/true);
    return Answered("a serializable read", read.has_value() ? Status() : read.error());
  }

  Status ReadThePast() {
    std::vector<Revision> revisions;
    const Revision floor = context_.judge().compacted_through();
    if (!session_.offer().stated) {
      Leave("reads of the past", "it is not stated what the target offers");
    } else {
      const Revision oldest = std::max(floor, context_.first_head());
      const Revision middle((oldest.value + context_.head().value) / 2);
      if (middle.value > 0) revisions.push_back(middle);
      if (floor.value > 0) revisions.push_back(floor);
      if (floor.value > 1) revisions.push_back(floor.previous());
      if (!session_.kubernetes_only()) revisions.push_back(context_.head().plus(kFarAhead));
    }
    for (const Revision revision : revisions) {
      const auto read = session_.ReadKeys(revision);
      if (read.has_value() || read.error().code() == StatusCode::kOutOfRange) continue;
      WP_RETURN_IF_ERROR(Answered("a read of the past", read.error()));
    }
    return {};
  }

  Status ListLeases() {
    if (session_.GivesUp() || session_.kubernetes_only()) return {};
    if (!Offers(Capability::kLeases, "the leases")) return {};
    return Answered("the list of leases", context_.ListLeases());
  }

  // Each cancel is answered, and then nothing comes, which later writes show: a watch that is
  // created before them receives them on the same stream.
  Status CancelAll() {
    if (session_.GivesUp()) return {};
    const std::set<std::string> keys = WatchedKeys();
    Cancel([](const WatchState&) { return true; });
    auto& last = context_.groups()[kAll];
    last.clear();
    for (const Living& living : Streams()) Create(kAll, living, {});
    session_.PumpUntil(
        [&] {
          return context_.EveryMember(
              kAll, [](const WatchState& watch) { return watch.created || !IsOpen(watch); });
        },
        Within(kLimit));
    WP_RETURN_IF_ERROR(WriteEach(keys, /*deleted=*/false));
    context_.MustDeliver(kAll, kLimit);
    return {};
  }

  StepContext& context_;
  AttemptSession& session_ = context_.session();
  std::string_view promise_;  // the one that is asked for
};

}  // namespace

Usage CostOfQuestions() {
  return {.bytes = static_cast<std::int64_t>(kMostKeys) * kWritesOfKey * kProbeValue,
          .watchers = std::int64_t{kMostStreams} * kNewWatches};
}

Status AskClosingQuestions(StepContext& context) { return ClosingQuestions(context).Ask(); }

}  // namespace watchproof
