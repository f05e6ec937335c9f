// SPDX-License-Identifier: Apache-2.0
// Annotations: what the driver records about its own steps and waits, one JSON object per entry,
// {"type": "delivery_due", ...}. Checkers judge them; the driver itself makes no findings. What it
// records about faults are lines of another kind, which are read here, too.
//
//   recorder.Append(AnnotationEntry(StageReached{Stage::kHealed}));
//   WP_ASSIGN_OR_RETURN(const Annotation annotation, ParseAnnotation(entry.text));
//   if (const auto* due = std::get_if<ProgressDue>(&annotation)) ...
//
// Each type lists its fields once; text and parser follow from the list. Threads: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/entry.h"

namespace watchproof {

// The stages of an attempt.
enum class Stage {
  kHealed,     // every fault is healed
  kSentinels,  // a sentinel has been written into every watched range
  kQuestions,  // all of them came; what follows asks the standing promises and is no part of a case
  kConverged,  // the driver's waits are over: an event that has not come is missing
  kEnd,        // the recording ends because its run does
  kStopped,    // the recording ends because of a finding, without waiting for further events
};
struct StageReached {
  Stage stage = Stage::kEnd;
};

// The client is about to close the stream.
struct ClosingStream {
  static constexpr std::string_view kType = "closing_stream";
  StreamId stream{};
  void Fields(auto& field) { field("stream", stream); }
};

// One watch resumes another. Recorded before the create of the resuming watch.
struct Resumption {
  static constexpr std::string_view kType = "resume";
  StreamId stream{};  // of the predecessor
  std::uint32_t ordinal = 0;
  StreamId next_stream{};
  std::uint32_t next_ordinal = 0;
  void Fields(auto& field) {
    field("stream", stream);
    field("ordinal", ordinal);
    field("next_stream", next_stream);
    field("next_ordinal", next_ordinal);
  }
};

// The user of a stream may read this range only, and `more`. Said again when the store has
// acknowledged that it may read less.
struct ReadRight {
  static constexpr std::string_view kType = "right";
  struct Range {
    HexBytes key;
    HexBytes end;
    void Fields(auto& field) {
      field("key", key);
      field("end", end);
    }
  };
  StreamId stream{};
  HexBytes key;
  HexBytes end;
  std::vector<Range> more{};
  void Fields(auto& field) {
    field("stream", stream);
    field("key", key);
    field("end", end);
    field.IfAny("more", more);
  }
};

// From here on progress must come on the stream within the limit: no events are left to deliver.
struct ProgressDue {
  static constexpr std::string_view kType = "progress_due";
  StreamId stream{};
  bool asked =
      false;  // requested again and again; or the watches were created with progress_notify
  std::int64_t limit_ms = 0;
  void Fields(auto& field) {
    field("stream", stream);
    field("asked", asked);
    field("limit_ms", limit_ms);
  }
};
// The driver stops waiting for it, or has received it.
struct ProgressOver {
  static constexpr std::string_view kType = "progress_over";
  StreamId stream{};
  void Fields(auto& field) { field("stream", stream); }
};

// From here on each watch of the group must receive every change up to a revision, or at least one
// change within each period of the limit: its path is not disturbed by any fault.
struct DeliveryDue {
  static constexpr std::string_view kType = "delivery_due";
  std::string group;
  std::vector<std::uint32_t> streams;   // of the watches, one entry each
  std::vector<std::uint32_t> ordinals;  // among the creates of the stream, likewise
  std::int64_t through = 0;
  std::int64_t limit_ms = 0;
  // No fault is active, and until the end of the limit the driver asks the target nothing: what
  // comes only with the next call had been left asleep.
  bool unasked = false;
  void Fields(auto& field) {
    field("group", group);
    field("streams", streams);
    field("ordinals", ordinals);
    field("through", through);
    field("limit_ms", limit_ms);
    field("unasked", unasked);
  }
};
// The driver stops waiting: all events came, or no further event came within the limit.
struct DeliveryOver {
  static constexpr std::string_view kType = "delivery_over";
  std::string group;
  // After a wait in which nothing was asked: the longest that the target took for a connection
  // meanwhile, of so many that it cannot have been paused. -1: nothing is proven, or all came.
  std::int64_t answered_ms = -1;
  void Fields(auto& field) {
    field("group", group);
    field("answered_ms", answered_ms);
  }
};

// From here on the target must end the stream within the limit, as the member it leads to has lost
// its leader and the stream was opened with require-leader.
struct StreamEndDue {
  static constexpr std::string_view kType = "stream_end_due";
  StreamId stream{};
  std::int64_t limit_ms = 0;
  void Fields(auto& field) {
    field("stream", stream);
    field("limit_ms", limit_ms);
  }
};
// The driver stops waiting for it.
struct StreamEndOver {
  static constexpr std::string_view kType = "stream_end_over";
  StreamId stream{};
  void Fields(auto& field) { field("stream", stream); }
};

// A process of the target has ended although the harness did not end it.
struct TargetEnded {
  static constexpr std::string_view kType = "target_ended";
  std::int64_t member = 1;
  std::string how;          // "was killed by signal 11 (SIGSEGV)"
  std::string last_words;   // the head of its last output
  std::int64_t ago_ms = 0;  // it is noted once the steps under way are over
  void Fields(auto& field) {
    field("member", member);
    field("how", how);
    field("last_words", last_words);
    field("ago_ms", ago_ms);
  }
};

// The target's process runs, no fault is active, and a call has had no answer for this long.
struct TargetSilent {
  static constexpr std::string_view kType = "target_silent";
  std::int64_t member = 1;
  std::string asked;  // "a put", "a status call"
  std::int64_t waited_ms = 0;
  void Fields(auto& field) {
    field("member", member);
    field("asked", asked);
    field("waited_ms", waited_ms);
  }
};

// The target refused a request that it is known to offer.
struct TargetRefused {
  static constexpr std::string_view kType = "target_refused";
  std::string asked;
  std::string refusal;                                           // the status
  std::string known = "which this target is declared to offer";  // from where
  std::int64_t member = 1;
  void Fields(auto& field) {
    field("asked", asked);
    field("refusal", refusal);
    field("known", known);
    field("member", member);
  }
};

// A member that no fault disturbed has not come nearer to a revision of the history for so long.
struct MemberBehind {
  static constexpr std::string_view kType = "member_behind";
  std::int64_t member = 1;
  std::int64_t revision = 0;
  std::string lacks;  // "it is at revision 7"
  std::int64_t waited_ms = 0;
  bool applied = false;  // yet it has carried out as many entries of the log as the others
  void Fields(auto& field) {
    field("member", member);
    field("revision", revision);
    field("lacks", lacks);
    field("waited_ms", waited_ms);
    field("applied", applied);
  }
};

// What a member says of itself, before watch streams came and went and some time after their end.
struct Account {
  static constexpr std::string_view kType = "account";
  std::int64_t member = 1;
  std::string of;  // "goroutines"
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t streams = 0;
  bool exact = false;  // nothing else changes it
  std::int64_t more() const { return after - before; }
  // Other work of the target comes and goes as well: what each stream leaves behind adds up.
  bool free() const {
    return exact ? more() == 0 : more() < std::max<std::int64_t>(streams / 2, 1);
  }
  void Fields(auto& field) {
    field("member", member);
    field("of", of);
    field("before", before);
    field("after", after);
    field("streams", streams);
    field("exact", exact);
  }
};

// A figure of the target (model/figure.h), beside a burden and before, without it.
struct MeasuredPair {
  static constexpr std::string_view kType = "measured";
  std::string of;
  std::string beside;
  double with = 0;
  double without = 0;
  double limit = 0;  // it must not be so many times as bad as without; 0: it is not judged
  void Fields(auto& field) {
    field("of", of);
    field("beside", beside);
    field("with", with);
    field("without", without);
    field("limit", limit);
  }
};

// The target answered a call otherwise than it must, by what the driver knows beside the recording:
// a reference store that was given the same calls, or that nothing in the call is a reason to
// refuse it.
struct AnswerDiffers {
  static constexpr std::string_view kType = "answer_differs";
  std::string client;
  std::string expected;  // of the kind of call: "a put to be answered"
  std::string observed;
  void Fields(auto& field) {
    field("client", client);
    field("expected", expected);
    field("observed", observed);
  }
};

// The target, or a member of it, was killed and did not start again with its data.
struct NotRestarted {
  static constexpr std::string_view kType = "not_restarted";
  std::string client;  // that killed it; empty: a fault did
  std::string observed;
  bool late = false;  // it may only have been slow
  void Fields(auto& field) {
    field("client", client);
    field("observed", observed);
    field("late", late);
  }
};

// A member of the target answered with a hash of its history up to a revision (HashKV). Hashes are
// equal on members of one release that have compacted their histories alike.
struct HistoryHash {
  static constexpr std::string_view kType = "history_hash";
  std::int64_t member = 1;
  std::string release;  // "3.5.21"
  std::int64_t revision = 0;
  std::int64_t compacted = 0;  // through this revision
  std::int64_t hash = 0;
  std::int64_t hashed = 0;  // up to this revision, as it said itself; 0: it did not
  void Fields(auto& field) {
    field("member", member);
    field("release", release);
    field("revision", revision);
    field("compacted", compacted);
    field("hash", hash);
    field("hashed", hashed);
  }
};

// A member answered with a list of the members of its cluster: each by its id, and whether it is a
// learner, which has no vote.
struct MembersListed {
  static constexpr std::string_view kType = "members_listed";
  std::int64_t member = 1;
  std::string after;  // the change that it answered so, "an update of its address"; empty: none
  std::vector<std::string> made;  // as the operators have made it: "8e9e05c52164694d (learner)"
  std::vector<std::string> listed;
  void Fields(auto& field) {
    field("member", member);
    field("after", after);
    field("made", made);
    field("listed", listed);
  }
};

// A user is about to be added, or to have other rights than before, on a store with authentication
// enabled: until the next user_rights of this user, the old ones and the new ones may count.
struct RightsChanged {
  static constexpr std::string_view kType = "rights_changed";
  std::string user;
  void Fields(auto& field) { field("user", user); }
};

// What a user may do, as the store has acknowledged: nothing else, unless one of the roles is root.
struct UserRights {
  static constexpr std::string_view kType = "user_rights";
  struct Permitted {
    bool read = false;
    bool write = false;
    HexBytes key;
    HexBytes end;
    void Fields(auto& field) {
      field("read", read);
      field("write", write);
      field("key", key);
      field("end", end);
    }
  };
  std::string user;
  std::vector<std::string> roles;
  std::vector<Permitted> ranges;
  void Fields(auto& field) {
    field("user", user);
    field("roles", roles);
    field("ranges", ranges);
  }
};

// From here on the calls of a client are made for a user. Without one they have no token, or one
// that the store did not issue.
struct CallsAs {
  static constexpr std::string_view kType = "calls_as";
  std::string client;
  std::string user;
  bool wrong_token = false;  // they have a token that the store does not know, or not any more
  void Fields(auto& field) {
    field("client", client);
    field("user", user);
    field("wrong_token", wrong_token);
  }
};

// A client makes so many calls that read, and then one that must be refused, with one of these
// codes, and change nothing: the same calls are answered as before it, as nothing else changes the
// store meanwhile.
struct RefusalDue {
  static constexpr std::string_view kType = "refusal_due";
  std::string client;
  std::string why;                 // "the permission names no key"
  std::vector<std::string> codes;  // by their names
  std::int64_t reads = 0;
  void Fields(auto& field) {
    field("client", client);
    field("why", why);
    field("codes", codes);
    field("reads", reads);
  }
};

// Limits that the store was started with. 0: not known.
struct StoreLimits {
  static constexpr std::string_view kType = "limits";
  std::int64_t space = 0;       // bytes of its data
  std::int64_t operations = 0;  // of a transaction
  std::int64_t request = 0;     // bytes
  void Fields(auto& field) {
    field("space", space);
    field("operations", operations);
    field("request", request);
  }
};

// The store, on every member, was restored from a snapshot of the revision `saved`. It counts on
// from `revision`, up to which everything is compacted; what came in between is gone.
struct Restored {
  static constexpr std::string_view kType = "restored";
  std::int64_t saved = 0;
  std::int64_t revision = 0;
  void Fields(auto& field) {
    field("saved", saved);
    field("revision", revision);
  }
};

// From here on a fault is healed; that it is stands in a line of its own. Until then both what it
// does and what it leaves may show.
struct HealingBegan {
  static constexpr std::string_view kType = "healing";
  std::string fault;
  void Fields(auto& field) { field("fault", fault); }
};

// A step waited for a certain message on the wire, and it did not come within the limit.
struct MomentMissed {
  static constexpr std::string_view kType = "moment_missed";
  std::string moment;
  std::string of;
  void Fields(auto& field) {
    field("moment", moment);
    field("of", of);
  }
};

// The driver asks for a standing promise: what follows belongs to it, up to the next promise or
// stage.
struct PromiseAsked {
  static constexpr std::string_view kType = "promise_asked";
  std::string promise;  // by name, as a profile leaves it out
  std::string text;     // for readers
  void Fields(auto& field) {
    field("promise", promise);
    field("text", text);
  }
};

// The same by one client of many on a server: what the others do goes on meanwhile.
struct ClientAsks {
  static constexpr std::string_view kType = "client_asks";
  std::string client;
  std::string text;  // of the promise
  void Fields(auto& field) {
    field("client", client);
    field("text", text);
  }
};

// From here on other calls of the client go over the connection of the stream.
struct CallsBeside {
  static constexpr std::string_view kType = "calls_beside";
  StreamId stream{};
  std::string calls;  // "reads of every key"
  void Fields(auto& field) {
    field("stream", stream);
    field("calls", calls);
  }
};

// The client takes so many more messages of the stream, and then none until the next of these.
struct ReadingLimited {
  static constexpr std::string_view kType = "reading_limited";
  StreamId stream{};
  std::int64_t messages = 0;  // -1: every one
  void Fields(auto& field) {
    field("stream", stream);
    field("messages", messages);
  }
};

// A standing promise that the driver did not ask for at the end of the run.
struct QuestionLeft {
  static constexpr std::string_view kType = "question_left";
  std::string question;
  std::string why;  // "the target does not offer leases"
  void Fields(auto& field) {
    field("question", question);
    field("why", why);
  }
};

// What the disk of a member did, one call or several in a row. Recorded at the end of a run in
// which a fault acted on that disk, for readers: nothing is judged by it.
struct DiskActivity {
  static constexpr std::string_view kType = "disk_activity";
  std::int64_t member = 1;
  // "sync", "held", "refused", "forgotten", "unfinished", "killed", "lost", "started".
  std::string kind;
  std::int64_t from_us = 0;  // since the recording began
  std::int64_t until_us = 0;
  std::int64_t count = 1;       // calls; of "lost": changes that were taken back
  std::int64_t bytes = 0;       // that were taken back
  std::int64_t longest_us = 0;  // of the calls
  std::string of;               // in brief: the class of the files, "log"
  std::string what;             // the call, or all that was lost; empty: of several
  void Fields(auto& field) {
    field("member", member);
    field("kind", kind);
    field("from_us", from_us);
    field("until_us", until_us);
    field("count", count);
    field("bytes", bytes);
    field("longest_us", longest_us);
    field("of", of);
    field("what", what);
  }
};

// A part of what passed is missing from a passive recording, from here on.
struct NotRecorded {
  static constexpr std::string_view kType = "not_recorded";
  std::string what;  // "connection 3"
  std::string why;
  std::int64_t streams = 0;  // watch streams that were open in it
  bool foreign = false;      // it is no gRPC: nothing in it could have been judged
  void Fields(auto& field) {
    field("what", what);
    field("why", why);
    field("streams", streams);
    field("foreign", foreign);
  }
};
// A consumer was started: a program around a real client that follows the keys of a prefix.
struct ConsumerStarted {
  static constexpr std::string_view kType = "consumer_started";
  std::string consumer;             // "kube-storage"
  std::vector<std::string> layers;  // those that it reports on, from the store up
  std::string prefix;
  void Fields(auto& field) {
    field("consumer", consumer);
    field("layers", layers);
    field("prefix", prefix);
  }
};
// What a layer of it has seen; the fields are those of fixtures/consumers/README.md.
struct ConsumerReport {
  static constexpr std::string_view kType = "consumer";
  std::string layer;
  std::string kind;
  std::int64_t revision = 0;
  std::string type;
  std::string key;
  std::string error;
  std::map<std::string, std::int64_t> keys;
  void Fields(auto& field) {
    field("layer", layer);
    field("kind", kind);
    field("revision", revision);
    field("type", type);
    field("key", key);
    field("error", error);
    field("keys", keys);
  }
};
// It is asked for a list that shows every write that was answered before: the store was at this
// revision.
struct ConsumerReadAsked {
  static constexpr std::string_view kType = "consumer_read_asked";
  std::int64_t revision = 0;
  void Fields(auto& field) { field("revision", revision); }
};
// All faults are healed and nothing is written any more. From here on each layer must come to this
// revision within the limit, and the consumer reports what each holds.
struct ConsumerDue {
  static constexpr std::string_view kType = "consumer_due";
  std::int64_t revision = 0;
  std::int64_t limit_ms = 0;
  void Fields(auto& field) {
    field("revision", revision);
    field("limit_ms", limit_ms);
  }
};
// Its process has ended although the harness did not end it.
struct ConsumerEnded {
  static constexpr std::string_view kType = "consumer_ended";
  std::string how;
  std::string last_words;
  void Fields(auto& field) {
    field("how", how);
    field("last_words", last_words);
  }
};

using Annotation =
    std::variant<StageReached, ClosingStream, Resumption, ReadRight, ProgressDue, ProgressOver,
                 DeliveryDue, DeliveryOver, StreamEndDue, StreamEndOver, TargetEnded, TargetSilent,
                 AnswerDiffers, NotRestarted, HistoryHash, MembersListed, RightsChanged, UserRights,
                 CallsAs, RefusalDue, StoreLimits, Restored, HealingBegan, MomentMissed,
                 TargetRefused, MemberBehind, Account, MeasuredPair, PromiseAsked, ClientAsks,
                 CallsBeside, ReadingLimited, QuestionLeft, DiskActivity, NotRecorded,
                 ConsumerStarted, ConsumerReport, ConsumerReadAsked, ConsumerDue, ConsumerEnded>;

std::string ToText(const Annotation& annotation);
// Errors name the text and what is wrong with it.
Result<Annotation> ParseAnnotation(std::string_view text);
// Without a time: the recorder stamps it.
Entry AnnotationEntry(const Annotation& annotation);
// Whether the entry says that this stage was reached.
bool IsStage(const Entry& entry, Stage stage);

// What a fault line is written from: where the fault was armed, and where it was healed.
struct FaultReported {
  std::string fault;
  std::string phase;  // "armed", "healed"
  bool fired = false;
  std::map<std::string, std::int64_t> measured{};
  std::string ends_streams;  // "none", "proxied", "every"
  bool parts_members = false;
};
std::string ToText(const FaultReported& line);

// What the judge takes from one.
struct FaultLine {
  // Which watch streams the fault may end; empty in older recordings.
  enum class Ends { kUnsaid, kNone, kProxied, kEvery };

  std::string fault;
  bool healed = false;  // or armed
  Ends ends_streams = Ends::kUnsaid;
  // A member of a cluster may lose its leader, or fall behind and be sent a snapshot.
  bool parts_members = false;
};

Result<FaultLine> ParseFaultLine(std::string_view text);

}  // namespace watchproof
