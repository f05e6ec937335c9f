// SPDX-License-Identifier: Apache-2.0
// The steps of a plan, as data: what an attempt does, one struct for each kind.
//
//   Step step = PutStep{.key = "k", .value = {.seed = 7, .bytes = 16384}};
//   std::visit([](const auto& s) { return s.kOp; }, step);                    // "put"
//   put.Fields(visitor);   // visitor("key", put.key), visitor.Optional("lease", put.lease), ...
//
// Each kind has one description: `kOp` names it in the plan's text, and Fields lists its fields in
// the order of that text. An optional field is left out where it has its default. Threads: values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/deadline.h"

namespace watchproof {

// A revision by its meaning when the step is reached.
struct RevisionRef {
  enum class Base { kAbsolute, kHead, kWrite };
  Base base = Base::kAbsolute;
  std::int64_t number =
      0;  // the revision; an offset from the head; which write of the plan, from 0
  std::string ToString() const;
};
inline RevisionRef FromNow() { return {}; }
inline RevisionRef AtRevision(std::int64_t revision) {
  return {RevisionRef::Base::kAbsolute, revision};
}
inline RevisionRef AtHead(std::int64_t offset = 0) { return {RevisionRef::Base::kHead, offset}; }
inline RevisionRef OfWrite(std::int64_t index) { return {RevisionRef::Base::kWrite, index}; }

// A value described by a seed and a size: letters and digits drawn from the seed.
struct ValueRef {
  std::uint64_t seed = 0;
  std::size_t bytes = 0;
  std::string Make() const;
  void Fields(auto& field) {
    field("seed", seed);
    field("bytes", bytes);
  }
};

struct PutStep {
  std::string key;
  ValueRef value;
  std::string lease{};  // that the key is attached to
  static constexpr std::string_view kOp = "put";
  void Fields(auto& field) {
    field("key", key);
    field("value", value);
    field.Optional("lease", lease);
  }
};
struct DeleteStep {
  std::string key;
  std::string range_end;
  static constexpr std::string_view kOp = "delete";
  void Fields(auto& field) {
    field("key", key);
    field.Optional("range_end", range_end);
  }
};
struct TxnStep {
  std::vector<std::variant<PutStep, DeleteStep>> writes;
  static constexpr std::string_view kOp = "txn";
  void Fields(auto& field) { field("writes", writes); }
};
// A put and a read of a revision in one transaction, which a target rejects as a whole when that
// revision is compacted.
struct RefusedTxnStep {
  PutStep write;
  std::string key;  // that is read
  RevisionRef at;
  static constexpr std::string_view kOp = "refused txn";
  void Fields(auto& field) {
    field("write", write);
    field("key", key);
    field("at", at);
  }
};
struct CompactStep {
  RevisionRef at;
  bool at_once = false;  // answered before the target's backend has removed anything
  bool refused = false;  // the target must reject it; otherwise a finding of CompactionSurfaced
  static constexpr std::string_view kOp = "compact";
  void Fields(auto& field) {
    field("at", at);
    field.Optional("at_once", at_once);
    field.Optional("refused", refused);
  }
};
struct LeaseStep {
  std::string lease;  // the plan's name for it
  std::chrono::seconds ttl{};
  static constexpr std::string_view kOp = "lease";
  void Fields(auto& field) {
    field("lease", lease);
    field("ttl", ttl);
  }
};
struct RevokeStep {
  std::string lease;
  static constexpr std::string_view kOp = "revoke";
  void Fields(auto& field) { field("lease", lease); }
};
// Waits until the lease has expired. Requires: its time is short.
struct AwaitExpiredStep {
  std::string lease;
  static constexpr std::string_view kOp = "await expired";
  void Fields(auto& field) { field("lease", lease); }
};
// Creates `count` equal watches on the named stream, which is opened on first use.
struct WatchStep {
  std::string group;
  std::size_t count = 1;
  std::string key;
  std::string range_end;
  RevisionRef start;
  std::int64_t first_id = 0;  // chosen by the client: first_id, first_id + 1, ...; 0: by the server
  bool previous_values = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_puts = false;  // filters
  bool no_deletes = false;
  std::string stream = "main";
  // These count for the first watch of a stream, which opens it: its user (see AuthStep), its
  // member, and whether that member must have a leader.
  std::string user;
  int member = 1;
  bool require_leader = false;
  static constexpr std::string_view kOp = "watch";
  void Fields(auto& field) {
    field("group", group);
    field("stream", stream);
    field("count", count);
    field("key", key);
    field.Optional("range_end", range_end);
    field("start", start);
    field.Optional("first_id", first_id);
    field.Optional("prev_kv", previous_values);
    field.Optional("progress_notify", progress_notify);
    field.Optional("fragment", fragment);
    field.Optional("no_puts", no_puts);
    field.Optional("no_deletes", no_deletes);
    field.Optional("user", user);
    field.Optional("member", member, 1);
    field.Optional("require_leader", require_leader);
  }
};
// Adds users, each with permission to read one range and nothing else, and then enables
// authentication. From here on the writes of the plan are root's.
struct AuthStep {
  struct Reader {
    std::string user;
    std::string key;
    std::string range_end;
    void Fields(auto& field) {
      field("user", user);
      field("key", key);
      field("range_end", range_end);
    }
  };
  std::vector<Reader> readers;
  static constexpr std::string_view kOp = "auth";
  void Fields(auto& field) { field("readers", readers); }
};
// Clients that call the store concurrently during the following steps: puts, deletes, transactions
// that depend on a version, linearizable and serializable reads of a few keys.
struct LoadStep {
  std::string load;
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;    // below the key: key/0, key/1, ...
  std::string key;
  std::uint64_t seed = 0;
  bool direct = false;  // on the direct path; otherwise on the proxied path
  bool puts_only = false;
  int member = 1;  // that the clients connect to; 0: they are spread over all members
  static constexpr std::string_view kOp = "load";
  void Fields(auto& field) {
    field("load", load);
    field("clients", clients);
    field("calls", calls);
    field("keys", keys);
    field("key", key);
    field("load_seed", seed);
    field("direct", direct);
    field.Optional("puts_only", puts_only);
    field.Optional("member", member, 1);
  }
};
// Waits until every call of the load has ended.
struct AwaitLoadStep {
  std::string load;
  bool lost = false;  // at least one must be without an answer, or the attempt proves nothing
  static constexpr std::string_view kOp = "await load";
  void Fields(auto& field) {
    field("load", load);
    field("lost", lost);
  }
};
// Creates watches with ids that the client chose and cancels each right after its create, without
// waiting for an answer; then waits until all of them have ended.
struct ChurnStep {
  std::string group;
  std::size_t count = 1;
  std::string key;
  std::string range_end;
  RevisionRef start;
  std::int64_t first_id = 1;
  std::string stream = "main";
  static constexpr std::string_view kOp = "churn";
  void Fields(auto& field) {
    field("group", group);
    field("stream", stream);
    field("count", count);
    field("key", key);
    field("range_end", range_end);
    field("start", start);
    field("first_id", first_id);
  }
};
// Cancels every watch of the group and waits for the answers.
struct CancelStep {
  std::string group;
  static constexpr std::string_view kOp = "cancel";
  void Fields(auto& field) { field("group", group); }
};
// Resumes every watch of the group after its streams were cut, one past the last revision received:
// as watches of the group `as` on a new stream.
struct ResumeStep {
  std::string group;
  std::string as;
  int member = 1;
  static constexpr std::string_view kOp = "resume";
  void Fields(auto& field) {
    field("group", group);
    field("as", as);
    field.Optional("member", member, 1);
  }
};
// The calls of the following steps go to that member.
struct UseMemberStep {
  int member = 1;
  static constexpr std::string_view kOp = "use member";
  void Fields(auto& field) { field("member", member); }
};
// Waits until the member has a leader and everything that was written so far.
struct AwaitCaughtUpStep {
  int member = 1;
  static constexpr std::string_view kOp = "await caught up";
  void Fields(auto& field) { field("member", member); }
};
// Waits until the member reports that it has received a snapshot of the store.
struct AwaitSnapshotStep {
  int member = 1;
  static constexpr std::string_view kOp = "await snapshot";
  void Fields(auto& field) { field("member", member); }
};
// The target must end the stream within the limit; otherwise a finding of Settled.
struct MustEndStep {
  std::string stream;
  Duration limit = 10s;
  static constexpr std::string_view kOp = "must end";
  void Fields(auto& field) {
    field("stream", stream);
    field("us", limit);
  }
};
// As AwaitDelivered, but required of the target: if nothing more is delivered for the limit, that
// is a finding of Isolated.
struct MustDeliverStep {
  std::string group;
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must deliver";
  void Fields(auto& field) {
    field("group", group);
    field("us", limit);
  }
};
// As AwaitProgress, but required of the target: if no answer comes in time, that is a finding of
// Bookmarkable.
struct MustReportProgressStep {
  // Unasked: without a request, to watches with progress_notify.
  enum class When { kAsked, kUnasked };
  When when = When::kAsked;
  std::string stream = "main";
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must report progress";
  void Fields(auto& field) {
    field("asked", when);
    field("stream", stream);
    field("us", limit);
  }
};
struct RequestProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "request progress";
  void Fields(auto& field) { field("stream", stream); }
};
// Waits until every watch of the group has received that it was created or rejected.
struct AwaitCreatedStep {
  std::string group;
  static constexpr std::string_view kOp = "await created";
  void Fields(auto& field) { field("group", group); }
};
// Waits until the streams of the group have ended, so that nothing more can arrive on them.
struct AwaitEndedStep {
  std::string group;
  static constexpr std::string_view kOp = "await ended";
  void Fields(auto& field) { field("group", group); }
};
// Waits until every watch of the group has received everything written so far, or has ended.
struct AwaitDeliveredStep {
  std::string group;
  static constexpr std::string_view kOp = "await delivered";
  void Fields(auto& field) { field("group", group); }
};
// Waits until a progress answer has arrived on the stream; the request is repeated, because a
// target may drop it while a watch is not caught up.
struct AwaitProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "await progress";
  void Fields(auto& field) { field("stream", stream); }
};
// Waits until the target's own gauge counts this many more watchers than before the first step;
// without such a gauge the step ends at once.
struct AwaitRegisteredStep {
  std::size_t watchers = 0;
  static constexpr std::string_view kOp = "await registered";
  void Fields(auto& field) { field("watchers", watchers); }
};
// Waits until so many passes of the target's catch-up loop have begun and ended. Seen from outside:
// a watch with history to read, opened on the direct path, has been served.
struct AwaitSyncPassesStep {
  int passes = 1;
  static constexpr std::string_view kOp = "await sync passes";
  void Fields(auto& field) { field("passes", passes); }
};
struct InjectStep {
  std::string fault;  // its kind, or the kind, a slash and a suffix
  std::map<std::string, std::string> parameters;
  bool optional = false;  // of the spare faults of one kind, at least one must take effect
  static constexpr std::string_view kOp = "inject";
  void Fields(auto& field) {
    field("fault", fault);
    field("parameters", parameters);
    field("optional", optional);
  }
};
// Waits until the fault took effect, or 3 s have passed.
struct AwaitEffectStep {
  std::string fault;
  static constexpr std::string_view kOp = "await effect";
  void Fields(auto& field) { field("fault", fault); }
};
struct HealStep {
  std::string fault;
  static constexpr std::string_view kOp = "heal";
  void Fields(auto& field) { field("fault", fault); }
};
// Waits for the moment of the next step: something arrives on the wire, or a load has ended so many
// calls. A fault may prevent it, so the next step is taken after the limit in any case.
struct WhenStep {
  enum class Moment {
    kResponse,  // the n-th response to a stream of the group, from here on
    kBytes,     // so many bytes of responses to one of these streams, from here on
    kRevision,  // a watch of the group has received the revision, or a later one
    kProgress,  // the n-th progress answer to a watch of the group, from here on
    kCalls,     // so many calls of the load have ended
  };
  Moment moment = Moment::kResponse;
  std::string of;  // a group, or a load
  std::int64_t count = 1;
  RevisionRef revision;
  Duration limit = 500ms;
  static constexpr std::string_view kOp = "when";
  void Fields(auto& field) {
    field("moment", moment);
    field("of", of);
    field("count", count);
    field("revision", revision);
    field("us", limit);
  }
};
std::string_view Name(WhenStep::Moment moment);
// Waits for a time that is part of the scenario, such as the length of a stall.
struct HoldStep {
  Duration duration{};
  static constexpr std::string_view kOp = "hold";
  void Fields(auto& field) { field("us", duration); }
};

using Step =
    std::variant<PutStep, DeleteStep, TxnStep, RefusedTxnStep, CompactStep, LeaseStep, RevokeStep,
                 WatchStep, AuthStep, LoadStep, AwaitLoadStep, ChurnStep, CancelStep, ResumeStep,
                 UseMemberStep, AwaitCaughtUpStep, AwaitSnapshotStep, MustEndStep, MustDeliverStep,
                 MustReportProgressStep, RequestProgressStep, AwaitCreatedStep, AwaitEndedStep,
                 AwaitDeliveredStep, AwaitExpiredStep, AwaitProgressStep, AwaitRegisteredStep,
                 AwaitSyncPassesStep, InjectStep, AwaitEffectStep, HealStep, WhenStep, HoldStep>;

}  // namespace watchproof
