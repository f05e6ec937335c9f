// SPDX-License-Identifier: Apache-2.0
// The steps that open and end watches, and those that wait for facts about them. Watches are named
// by their group. See step.h.
#pragma once

#include <string>
#include <vector>

#include "harness/history/watch_options.h"
#include "harness/scenario/step.h"

namespace watchproof {

// Far above every case, and far below what a machine or the time of a case allows.
inline constexpr std::uint64_t kMostWatches = 1'000'000;
inline constexpr std::uint64_t kMostPasses = 10'000;

struct WatchedRange {
  std::string key;
  std::string range_end{};
};

// Creates `count` equal watches on the named stream, which is opened on first use.
struct WatchStep {
  std::string group;
  std::size_t count = 1;
  WatchedRange range;
  RevisionRef start{};
  std::int64_t first_id = 0;  // chosen by the client: first_id, first_id + 1, ...; 0: by the server
  WatchOptions options{};
  std::string user{};  // see below
  // One connection each; on the direct path if its name begins with "direct".
  std::string stream = "main";
  // These and the user (see AuthStep) count for the first watch of a stream, which opens it: its
  // member, whether that member must have a leader, the connection, and a token instead of the
  // user's, which gives no rights; "none": without one; "ended": of the user, from a CallsStep with
  // an expired one.
  int member = 1;
  bool require_leader = false;
  std::string beside{};  // another stream, to share its connection
  std::string token{};
  static constexpr std::string_view kOp = "watch";
  void Fields(FieldList& field) {
    field("group", group).Defines(Subject::kGroup);
    field("stream", stream);
    field("count", count).Within(0, kMostWatches, "watches").Counts();
    field("key", range.key).Is(Subject::kWatchedKey);
    field("range_end", range.range_end).Optional();
    field("start", start);
    field("first_id", first_id).Optional();
    for (const WatchOption& option : kWatchOptions) {
      field(option.in_plans, options.*option.flag).Optional();
    }
    field("user", user).Optional().Uses(Subject::kUser);
    field("member", member).Optional().Member();
    field("require_leader", require_leader).Optional();
    field("beside", beside).Optional();
    field("token", token).Optional();
  }
  Status Check() const;
  Usage Cost() const { return {.operations = count}; }
  std::vector<WatchStep> Smaller() const;
  std::string BeyondKubernetes() const;
  Status Run(StepContext& context) const;
};

// Creates watches with ids that the client chose and cancels each right after its create, without
// waiting for an answer; then waits until all of them have ended.
struct ChurnStep {
  std::string group;
  std::size_t count = 1;
  WatchedRange range;
  RevisionRef start{};
  std::int64_t first_id = 1;
  std::string stream = "main";
  static constexpr std::string_view kOp = "churn";
  void Fields(FieldList& field) {
    field("group", group).Defines(Subject::kGroup);
    field("stream", stream);
    field("count", count).Within(0, kMostWatches, "watches").Counts();
    field("key", range.key);
    field("range_end", range.range_end);
    field("start", start);
    field("first_id", first_id);
  }
  Status Check() const;
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "watch ids chosen by the client"; }
  Status Run(StepContext& context) const;
};

// Cancels every watch of the group and waits for the answers. A watch that is not known to be
// created is cancelled if the client chose its id.
struct CancelStep {
  std::string group;
  bool at_once = false;  // does not wait
  static constexpr std::string_view kOp = "cancel";
  void Fields(FieldList& field) {
    field("group", group).Uses(Subject::kGroup);
    field("at_once", at_once).Optional();
  }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// Resumes every watch of the group after its streams were cut, one past the last revision received:
// as watches of the group `as` on a new stream, with the same options.
struct ResumeStep {
  std::string group;
  std::string as;
  int member = 1;
  static constexpr std::string_view kOp = "resume";
  void Fields(FieldList& field) {
    field("group", group).Uses(Subject::kGroup);
    field("as", as).Defines(Subject::kGroup);
    field("member", member).Optional().Member();
  }
  Status Check() const;
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// Waits until every watch of the group has received that it was created or rejected.
struct AwaitCreatedStep {
  std::string group;
  static constexpr std::string_view kOp = "await created";
  void Fields(FieldList& field) { field("group", group).Uses(Subject::kGroup); }
  Status Run(StepContext& context) const;
};

// Waits until the streams of the group have ended, so that nothing more can arrive on them.
struct AwaitEndedStep {
  std::string group;
  static constexpr std::string_view kOp = "await ended";
  void Fields(FieldList& field) { field("group", group).Uses(Subject::kGroup); }
  Status Run(StepContext& context) const;
};

// Waits until every watch of the group has received everything written so far, or has ended.
struct AwaitDeliveredStep {
  std::string group;
  static constexpr std::string_view kOp = "await delivered";
  void Fields(FieldList& field) { field("group", group).Uses(Subject::kGroup); }
  Status Run(StepContext& context) const;
};

// As AwaitDelivered, but required of the target: if nothing more is delivered for the limit, that
// is a finding of Isolated.
struct MustDeliverStep {
  std::string group;
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must deliver";
  void Fields(FieldList& field) {
    field("group", group).Uses(Subject::kGroup);
    field("us", limit).Waits();
  }
  Status Run(StepContext& context) const;
};

// The target must end the stream within the limit; otherwise a finding of Settled.
struct MustEndStep {
  std::string stream;
  Duration limit = 10s;
  static constexpr std::string_view kOp = "must end";
  void Fields(FieldList& field) {
    field("stream", stream);
    field("us", limit).Waits();
  }
  Status Run(StepContext& context) const;
};

// Waits until the target's own gauge counts this many more watchers than before the first step;
// without such a gauge the step ends at once.
struct AwaitRegisteredStep {
  std::size_t watchers = 0;
  static constexpr std::string_view kOp = "await registered";
  void Fields(FieldList& field) { field("watchers", watchers).Within(0, kMostWatches, "watchers"); }
  Status Run(StepContext& context) const;
};

// Waits until it counts no more than this many: cancels have been carried out, although they cannot
// be answered yet.
struct AwaitUnregisteredStep {
  std::size_t watchers = 0;
  static constexpr std::string_view kOp = "await unregistered";
  void Fields(FieldList& field) { field("watchers", watchers).Within(0, kMostWatches, "watchers"); }
  Status Run(StepContext& context) const;
};

// Waits until so many passes of the target's catch-up loop have begun and ended. Seen from outside:
// a watch with history to read, opened on the direct path, has been served.
struct AwaitSyncPassesStep {
  int passes = 1;
  static constexpr std::string_view kOp = "await sync passes";
  void Fields(FieldList& field) { field("passes", passes).Within(0, kMostPasses, "passes"); }
  Usage Cost() const;
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
