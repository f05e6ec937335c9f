// SPDX-License-Identifier: Apache-2.0
// Events that are left out, doubled, late, reordered, given to another watch, or changed.
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "ci/fakes/behaviour.h"
#include "harness/base/deadline.h"

namespace watchproof::fakes {
namespace {

class Drops final : public WatchTamper {
  static constexpr int kFree = 20;
  static constexpr int kOneIn = 7;

  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) events_[response.watch_id()] = 0;
    if (response.events_size() == 0) return wire.ToClient(response);
    WatchResponse left = response;
    left.clear_events();
    for (const auto& event : response.events()) {
      const int number = ++events_[response.watch_id()];
      if (number > kFree && number % kOneIn == 0) {
        wire.Tampered("left out an event");
      } else {
        *left.add_events() = event;
      }
    }
    if (left.events_size() > 0) wire.ToClient(left);
  }

  std::map<std::int64_t, int> events_;  // by watch id
};

const BehaviourRegistration kDropsEvents(
    {.name = "drops-events",
     .explain = "Leaves out one event in seven, from the twenty-first of a watch on.",
     .guarantees = {"Reliable"}},
    EachStream<Drops>);

class Doubles final : public WatchTamper {
  static constexpr int kOneIn = 10;

  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (response.events_size() == 0 || response.fragment() || ++messages_ % kOneIn != 0) return;
    wire.Tampered("sent a message twice");
    wire.ToClient(response);
  }

  int messages_ = 0;
};

const BehaviourRegistration kDoublesEvents({.name = "doubles-events",
                                            .explain = "Sends one message of events in ten twice.",
                                            .guarantees = {"Unique"}},
                                           EachStream<Doubles>);

class Delays final : public WatchTamper {
  static constexpr Duration kDelay = 4s;
  static constexpr int kFree = 10;

  void Answered(WatchResponse& response, Wire& wire) override {
    const bool late = response.events_size() > 0 && ++messages_ > kFree;
    if (!late && held_.empty()) return wire.ToClient(response);
    if (late) wire.Tampered("held a message back");
    held_.emplace_back(Clock::now() + kDelay, response);
  }
  void Ticked(Wire& wire) override {
    while (!held_.empty() && held_.front().first <= Clock::now()) {
      wire.ToClient(held_.front().second);
      held_.pop_front();
    }
  }

  int messages_ = 0;
  std::deque<std::pair<TimePoint, WatchResponse>> held_;
};

const BehaviourRegistration kDelaysEvents(
    {.name = "delays-events",
     .explain = "Delivers everything in order, but four seconds late from the eleventh "
                "message of a stream on.",
     .guarantees = {},
     .only_noted = true},
    EachStream<Delays>);

class Crosses final : public WatchTamper {
  static constexpr int kOneIn = 8;

  void Answered(WatchResponse& response, Wire& wire) override {
    const std::int64_t id = response.watch_id();
    if (response.created() && !response.canceled()) open_.insert(id);
    if (response.canceled()) open_.erase(id);
    if (response.events_size() > 0 && !response.fragment() && open_.size() > 1 &&
        ++messages_ % kOneIn == 0) {
      auto other = open_.upper_bound(id);
      if (other == open_.end()) other = open_.begin();
      response.set_watch_id(*other);
      wire.Tampered("gave the events of a watch to its neighbour");
    }
    wire.ToClient(response);
  }

  std::set<std::int64_t> open_;
  int messages_ = 0;
};

const BehaviourRegistration kCrossesWatches(
    {.name = "crosses-watches",
     .explain = "Gives one message of events in eight to another watch of the stream.",
     .guarantees = {"Isolated"}},
    EachStream<Crosses>);

class FallsSilent final : public WatchTamper {
  static constexpr int kEvents = 20;

  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) events_[response.watch_id()] = 0;
    int& events = events_[response.watch_id()];
    if (response.events_size() == 0 || events < kEvents) {
      events += response.events_size();
      return wire.ToClient(response);
    }
    wire.Tampered("dropped the events of a watch after its first twenty");
  }

  std::map<std::int64_t, int> events_;  // delivered, by watch id
};

const BehaviourRegistration kSilentAfterEvents(
    {.name = "silent-after-events",
     .explain = "A watch gets its first twenty events and then none, though everything "
                "else about it goes on.",
     .guarantees = {"Reliable"}},
    EachStream<FallsSilent>);

std::int64_t RevisionOf(const WatchResponse& response, int event) {
  return response.events(event).kv().mod_revision();
}

const BehaviourRegistration kReordersWithinRevision(
    {.name = "reorders-within-revision",
     .explain = "Swaps neighbours among the events of one revision.",
     .guarantees = {"Ordered"},
     .only_noted = true},
    EachAnswer([](WatchResponse& response, Wire& wire) {
      for (int i = 0; i + 1 < response.events_size(); ++i) {
        if (RevisionOf(response, i) != RevisionOf(response, i + 1)) continue;
        response.mutable_events()->SwapElements(i, i + 1);
        wire.Tampered("swapped two events of one revision");
        ++i;
      }
      wire.ToClient(response);
    }));

const BehaviourRegistration kSplitsRevisions(
    {.name = "splits-revisions",
     .explain = "Delivers the last event of a transaction in a message of its own.",
     .guarantees = {"Atomic"}},
    EachAnswer([](WatchResponse& response, Wire& wire) {
      const int last = response.events_size() - 1;
      const bool together = last > 0 && response.events(last).kv().mod_revision() ==
                                            response.events(last - 1).kv().mod_revision();
      if (!together || response.fragment()) return wire.ToClient(response);
      WatchResponse second = response;
      second.clear_events();
      *second.add_events() = response.events(last);
      response.mutable_events()->RemoveLast();
      wire.Tampered("split a revision over two messages");
      wire.ToClient(response);
      wire.ToClient(second);
    }));

const BehaviourRegistration kWrongPreviousValue(
    {.name = "wrong-previous-value",
     .explain = "Changes every previous value by a byte.",
     .guarantees = {"PreviousValue"}},
    EachAnswer([](WatchResponse& response, Wire& wire) {
      for (auto& event : *response.mutable_events()) {
        if (!event.has_prev_kv()) continue;
        *event.mutable_prev_kv()->mutable_value() += "?";
        wire.Tampered("changed a previous value");
      }
      wire.ToClient(response);
    }));

const BehaviourRegistration kLeavesHeaderBehind(
    {.name = "leaves-header-behind",
     .explain = "The header of every message of events shows revision 1.",
     .guarantees = {"Headers"}},
    EachAnswer([](WatchResponse& response, Wire& wire) {
      if (response.events_size() > 0) {
        response.mutable_header()->set_revision(1);
        wire.Tampered("gave a message of events a header below them");
      }
      wire.ToClient(response);
    }));

}  // namespace
}  // namespace watchproof::fakes
