// SPDX-License-Identifier: Apache-2.0
// The steps of cases that a consumer takes part in. It follows the keys below kConsumerPrefix. See
// step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"
#include "harness/session/consumer_link.h"

namespace watchproof {

// The consumer opens what it follows the keys with, and does not wait until it does.
struct FollowStep {
  enum class With {
    kLayers,     // everything that is judged
    kNeighbour,  // watches on the same stream that are not looked at
  };
  static constexpr std::string_view kWays[] = {"layers", "neighbour"};
  With with = With::kLayers;
  int count = 1;
  bool pause = false;         // stops between the first list and its watch, until ContinueStep
  bool fragments = false;     // asks for large responses in parts
  std::int64_t revision = 0;  // where neighbours start; 0: now, -1: a start that is refused
  std::string ability{};      // without which a consumer is unfit: "fragments", "starts"
  static constexpr std::string_view kOp = "follow";
  void Fields(FieldList& field) {
    field("with", with, kWays);
    field("count", count).Within(1, 1000, "watches");
    field("pause", pause);
    field("fragments", fragments).Optional();
    field("revision", revision).Optional();
    field("ability", ability).Optional().Is(Subject::kLayer);
  }
  Usage Cost() const { return {.watchers = count}; }
  Status Run(StepContext& context) const;
};

// Ends the pause of the step above.
struct ContinueStep {
  // Until its client has asked the store for one; if the lowest layer is a cache, until the
  // reflector above it watches.
  bool await_watch = false;
  static constexpr std::string_view kOp = "continue";
  void Fields(FieldList& field) { field("await_watch", await_watch).Optional(); }
  Status Run(StepContext& context) const;
};

// Its upper layers go on at the other of its two servers, for instance the one that is paused; or
// its client does, at another member.
struct MoveConsumerStep {
  bool kill = false;  // the server that they leave
  // Until the other server has asked the store for a watch; if it has a cache, that is not due.
  bool await_watch = false;
  std::string ability{};  // without which a consumer is unfit: "members"
  static constexpr std::string_view kOp = "move consumer";
  void Fields(FieldList& field) {
    field("kill", kill).Optional();
    field("await_watch", await_watch).Optional();
    field("ability", ability).Optional().Is(Subject::kLayer);
  }
  Status Run(StepContext& context) const;
};

// Without the fact that this layer claims a lower revision than the highest one, the attempt tests
// something else, and is inconclusive. Without a layer: the lowest one, a lower than the store's.
struct RequireBehindStep {
  std::string layer{};
  static constexpr std::string_view kOp = "require behind";
  void Fields(FieldList& field) { field("layer", layer).Optional().Is(Subject::kLayer); }
  Status Run(StepContext& context) const;
};

// The consumer requests progress on the stream of its watches.
struct AskProgressStep {
  static constexpr std::string_view kOp = "ask consumer for progress";
  std::string ability = "progress";  // without which a consumer is unfit
  void Fields(FieldList& field) { field("ability", ability).Is(Subject::kLayer); }
  Status Run(StepContext& context) const;
};

// The consumer lists through all its layers, at a revision that is not older than now. Waits for
// nothing.
struct AskReadStep {
  static constexpr std::string_view kOp = "ask consumer for a read";
  std::string ability = "reads";  // without which a consumer is unfit
  void Fields(FieldList& field) { field("ability", ability).Is(Subject::kLayer); }
  Status Run(StepContext& context) const;
};

// Waits for what the consumer reports. A fact that does not come makes the attempt inconclusive.
struct AwaitConsumerStep {
  enum class Fact {
    kListed,    // its lowest layer has listed, or was asked to watch
    kReceived,  // its lowest layer has come to the head, whatever those above make of it
    kFollowed,  // its highest layer has
    kNotified,  // its lowest layer has reported a bookmark at the head
    kRead,      // it has reported what a consistent list returned
  };
  static constexpr std::string_view kFacts[] = {"listed", "received", "followed", "notified",
                                                "read"};
  Fact fact = Fact::kFollowed;
  static constexpr std::string_view kOp = "await consumer";
  void Fields(FieldList& field) { field("fact", fact, kFacts); }
  Status Run(StepContext& context) const;
};

// When all is healed and the consumer has come to the head, it must have reported this, behind what
// earlier steps of this kind name; otherwise the attempt is inconclusive. What is empty may be
// anything; the words are those of fixtures/consumers/README.md.
struct ExpectReportStep {
  std::string kind;     // or one of several: "relist watch"
  std::string layer{};  // or one of several: "etcd3 reflector". Without one a consumer is unfit
  std::string type{};
  std::string key{};
  std::string error{};  // a part of it
  static constexpr std::string_view kOp = "expect report";
  void Fields(FieldList& field) {
    field("kind", kind);
    field("layer", layer).Optional().Is(Subject::kLayer);
    field("type", type).Optional();
    field("key", key).Optional();
    field("error", error).Optional();
  }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
