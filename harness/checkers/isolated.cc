// SPDX-License-Identifier: Apache-2.0
// Isolated: watches that share a stream do not disturb each other.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// A watch beside other calls.
constexpr std::string_view kNotHeldUp = "W-16";
constexpr std::string_view kCachesBehind =
    "The caches of a Kubernetes API server stay behind for as long as it lists large resources.";

class Isolated final : public Checker {
 public:
  void Answered(WatchIndex watch, const Response& response) override {
    // A refused create has no watch; releases differ in the id they name.
    if (IsRefusal(response)) return;
    if (++creates_[response.stream.value] > 1) Exercised();
    const std::int64_t id = response.message.watch_id;
    const std::int64_t requested = facts().details(watch).requested_id;
    WatchIndex& latest = names_[response.stream.value].try_emplace(id, watch).first->second;
    const WatchIndex namesake = std::exchange(latest, watch);
    if (id < 0) {
      Misnamed(watch, "an id that is not negative: -1 is the whole stream", response);
    } else if (requested != 0 && id != requested) {
      Misnamed(watch, fmt::format("the id that the client chose, {}", requested), response,
               symptom::OtherId{id});
    } else if (namesake != watch && facts().state(namesake).end == WatchEnd::kOpen) {
      Misnamed(watch, fmt::format("an id of its own, other than {}", facts().table.Label(namesake)),
               response);
    } else if (namesake != watch && requested == 0 && facts().details(namesake).requested_id == 0) {
      // The client cannot know to which of them belongs what was still under way.
      Misnamed(watch,
               fmt::format("an id that the server has not given out on this stream before; {} had "
                           "it, and no client asked for it",
                           facts().table.Label(namesake)),
               response, {}, Level::kShould);
    }
  }

  void Stray(const Response& response) override {
    if (response.message.events.empty()) return;
    Add(response.stream,
        {.expected = "events only for watches that have been created",
         .observed = fmt::format("the {} for watch {}, which the stream does not have, in line {}",
                                 Phrase(response.message.events.front()), response.message.watch_id,
                                 response.where.line.value),
         .where = response.where});
  }

  void Delivered(WatchIndex watch, const Response& response) override {
    for (auto& [group, due] : due_) {
      if (due.watches.contains(watch.value)) due.latest = response.where;
    }
  }

  void Afterwards(WatchIndex watch, const Response& response) override {
    const bool notice = response.message.compact_revision > 0;
    if (!notice || facts().state(watch).end != WatchEnd::kCompacted) return;
    for (auto& [group, due] : due_) ++due.notices;
  }

  void Annotated(const Annotation& annotation, Where where) override {
    if (const auto* due = std::get_if<DeliveryDue>(&annotation)) {
      // A wait in which nothing disturbs is judged by Settled.
      if (due->unasked) return;
      Exercised();
      Due& entry = due_[due->group] = {.due = *due, .latest = where, .notices = 0, .watches = {}};
      for (std::size_t i = 0; i < std::min(due->streams.size(), due->ordinals.size()); ++i) {
        const auto index = facts().table.Find(StreamId(due->streams[i]), due->ordinals[i]);
        if (index) entry.watches.insert(static_cast<std::uint32_t>(*index));
      }
    } else if (const auto* over = std::get_if<DeliveryOver>(&annotation)) {
      const auto found = due_.find(over->group);
      if (found == due_.end()) return;
      JudgeDelay(found->second, where);
      due_.erase(found);
    } else if (const auto* beside = std::get_if<CallsBeside>(&annotation)) {
      calls_beside_[beside->stream.value] = beside->calls;
    }
  }

  void Finish(WatchIndex watch) override {
    const auto neighbour = NeighbourToBlame(facts(), watch);
    if (!neighbour) return;
    const WatchDetails& details = facts().details(watch);
    const WatchDetails& other = facts().details(*neighbour);
    const bool refused = facts().state(*neighbour).end == WatchEnd::kRefused;
    // A target may have reasons of its own to end both.
    if (facts().passive() && !refused) return;
    const Where end = other.cancel_asked ? *other.cancel_asked : *other.ended;
    Add(watch, {.expected = "a watch that lasts until it is cancelled, whatever other watches do",
                .observed = fmt::format(
                    "the target ended it {}, where {} was {}, giving as reason {}",
                    Since(*details.ended, end), facts().table.Label(*neighbour),
                    other.cancel_asked ? "cancelled" : "ended", Quoted(details.end_text)),
                .evidence = {end.line},
                .where = *details.ended,
                .symptom = symptom::EndedWith{*neighbour}});
  }

 private:
  // Watches that must receive something in each period while another one is disturbed.
  struct Due {
    DeliveryDue due;
    Where latest;             // event of any of them
    std::size_t notices = 0;  // that were sent again, in the meantime
    std::unordered_set<std::uint32_t> watches;
  };

  // A slow machine is no finding: only a target that delivers nothing for the whole limit is.
  void JudgeDelay(const Due& due, Where now) {
    if (now.at - due.latest.at < std::chrono::milliseconds(due.due.limit_ms)) return;
    std::size_t waiting = 0;
    Revision furthest(due.due.through);
    std::optional<WatchIndex> first;
    for (const std::uint32_t watch : due.watches) {
      if (!WaitsForNext(facts(), WatchIndex(watch))) continue;
      ++waiting;
      const Revision position = facts().state(WatchIndex(watch)).position;
      if (!first || position < furthest) first = WatchIndex(watch);
      furthest = std::min(furthest, position);
    }
    if (!first) return;
    const auto calls = calls_beside_.find(facts().state(*first).stream.value);
    const bool beside_calls = calls != calls_beside_.end();
    Add(*first, {.expected = fmt::format(
                     "every change through revision {}, or at least one every {} ms, "
                     "at each watch of group {}, which {}",
                     due.due.through, due.due.limit_ms, due.due.group,
                     beside_calls ? fmt::format("shares its connection with {}", calls->second)
                                  : std::string("has its own connection")),
                 .observed = fmt::format(
                     "{} of {} still waited, the furthest behind at revision {}; "
                     "nothing came for {}",
                     waiting, due.watches.size(), furthest, Milliseconds(now.at - due.latest.at)),
                 .evidence = {due.latest.line},
                 .where = now,
                 .symptom = symptom::Delay{.notices = due.notices, .beside_calls = beside_calls},
                 .lost = NextOf(*first),
                 .impact = beside_calls ? kCachesBehind : "",
                 .clause = beside_calls ? kNotHeldUp : "",
                 .by_silence = true});
  }

  // What a watch lacks that still waits.
  std::optional<Loss> NextOf(WatchIndex watch) const {
    const auto next = facts().comparer.NextExpected(watch);
    const ExpectedList* const expected = facts().comparer.expected(watch);
    const bool known = next && expected != nullptr && *next < expected->size();
    if (!known) return std::nullopt;
    return LossSoFar(facts(), watch, facts().comparer.change((*expected)[*next]));
  }

  void Misnamed(WatchIndex watch, std::string expected, const Response& response,
                const Symptom& symptom = {}, Level level = Level::kMust) {
    Add(watch,
        {.expected = std::move(expected),
         .observed = fmt::format("a watch with the id {} in line {}", response.message.watch_id,
                                 response.where.line.value),
         .where = response.where,
         .symptom = symptom},
        level);
  }

  std::map<std::string, Due> due_;                     // by group
  std::map<std::uint32_t, std::string> calls_beside_;  // by stream
  std::map<std::uint32_t, std::uint64_t> creates_;     // by stream, those that were answered
  // By stream and id: the latest watch of that name.
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, WatchIndex>> names_;
};

const CheckerRegistration<Isolated> kIsolated{{
    .guarantee = Guarantee("Isolated"),
    .place = 130,
    .gravity = Gravity::kSilence,
    .clause = "W-11",
    .impact = "A Kubernetes cache acts on events of another resource, or receives no more "
              "updates, because another watch of the stream disturbed its watch.",
    .explain = "One stream carries many watches, and each must work as if it were alone. Each has "
               "its own id, which the client may choose; an id that the server "
               "chose comes once on a stream (should); events come only for watches of the "
               "stream; when one watch is cancelled, refused or ended by ErrCompacted, no other "
               "watch ends with it (etcd #12385: a refused create was answered with another "
               "watch's id). The case sets how long one watch may delay the others, or other "
               "calls on its connection a watch (etcd #15402: large reads over TLS do, for as long "
               "as they go on). Source: the "
               "watch ids of the etcd v3 watch API.",
}};

}  // namespace
}  // namespace watchproof
