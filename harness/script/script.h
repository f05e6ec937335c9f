// SPDX-License-Identifier: Apache-2.0
// A script: what clients ask of a store over the whole API, and when the store's loops take their
// steps, as one list. The same language describes scripts for the store under virtual time and for
// a real server, which leaves the steps of the loops to the server.
//
//   Script script = Draw(limits, prng);            // grammar.h
//   Plan plan = PlanOf(script);                     // scenario/steps/explored.h: its file
//
// Each step is one struct that lists its fields once; text and parser follow from the list. Keys
// are small words; "*" stands for the zero byte: as a key the first of all, as an end no end.
// Threads: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/watch_options.h"

namespace watchproof::explore {

// The small languages of places, parts, conditions and loops: FromText is false for a text that is
// none.

// A revision, named by what the client knows when the step is carried out: "now" (no revision),
// "head-2" (acknowledged), "floor+1" (of compaction; 1 before the first), "7".
struct Place {
  enum class From { kNumber, kHead, kFloor };
  From from = From::kNumber;
  std::int64_t plus = 0;
  bool operator==(const Place&) const = default;
};
std::string ToText(const Place& place);
bool FromText(std::string_view text, Place& place);

// How the answer to a read is sorted.
enum class Order { kNone, kAscend, kDescend };
std::string ToText(Order order);
bool FromText(std::string_view text, Order& order);

// A read, alone or in a transaction.
struct Get {
  static constexpr const char* kName = "get";
  std::string key = "*";
  std::string end{};
  Place at{};
  std::int64_t limit = 0;
  bool count_only = false;
  bool keys_only = false;
  // By key, version, create, mod or value (etcd's numbers 0 to 4).
  std::int64_t sort_by = 0;
  Order order = Order::kNone;
  // "now" is no bound.
  Place min_mod{};
  Place max_mod{};
  Place min_create{};
  Place max_create{};
  bool serializable = false;  // answered by the member that is asked, from what it has itself
  bool in_parts = false;      // by RangeStream where there is one; not in a transaction
  void Fields(auto& field) {
    field("key", key);
    field("end", end);
    Options(field);
    field("in_parts", in_parts);
  }
  // What is asked beside the range.
  void Options(auto& field) {
    field("at", at);
    field("limit", limit);
    field("count_only", count_only);
    field("keys_only", keys_only);
    field("sort_by", sort_by);
    field("order", order);
    field("min_mod", min_mod);
    field("max_mod", max_mod);
    field("min_create", min_create);
    field("max_create", max_create);
    field("serializable", serializable);
  }
};

// One operation of a transaction: "put KEY [lease N] [keep-value] [keep-lease] [previous]",
// "delete KEY [END] [previous]", "get KEY [END] [limit=2] ..." with the options of a read.
struct TxnPart {
  enum class Kind { kPut, kDelete, kGet };
  Kind kind = Kind::kPut;
  std::string key;
  std::string end;
  std::int64_t lease = 0;
  bool keeps_value = false;
  bool keeps_lease = false;
  bool previous = false;  // asks for what was there
  Get read{};             // its options
};
std::string ToText(const TxnPart& part);
bool FromText(std::string_view text, TxnPart& part);

// One comparison: "version KEY > 2", "value KEY [END] = v7", "mod KEY = there-1"; of version,
// create, mod, value or lease, by =, >, < or !=. "there" is what the client knows of the first key
// when the step is carried out: the field of the target, of nothing if there is no such key.
struct Condition {
  enum class Target { kVersion, kCreate, kMod, kValue, kLease };
  enum class Relation { kEqual, kGreater, kLess, kNotEqual };
  Target target = Target::kVersion;
  std::string key;
  std::string end;
  Relation relation = Relation::kEqual;
  std::string value = "0";
};
std::string ToText(const Condition& condition);
bool FromText(std::string_view text, Condition& condition);
// How much more than what is there: 1 of "there+1". Empty: the value says it by itself.
std::optional<std::int64_t> FromThere(std::string_view value);

// What clients ask. Streams are numbered from 1 and opened by the first step that names them.

struct Create {
  static constexpr const char* kName = "create";
  int stream = 1;
  std::string key = "*";
  std::string end{};
  Place start{};
  std::int64_t id = 0;  // 0: the server chooses
  WatchOptions options{};
  std::int64_t times = 1;
  void Fields(auto& field) {
    field("stream", stream);
    field("key", key);
    field("end", end);
    field("start", start);
    field("id", id);
    for (const WatchOption& option : kWatchOptions) {
      field(option.name.data(), options.*option.flag);
    }
    field("times", times);
  }
};
struct Cancel {
  static constexpr const char* kName = "cancel";
  int stream = 1;
  std::int64_t id = 0;
  void Fields(auto& field) {
    field("stream", stream);
    field("id", id);
  }
};
struct AskProgress {
  static constexpr const char* kName = "progress";
  int stream = 1;
  std::int64_t times = 1;
  void Fields(auto& field) {
    field("stream", stream);
    field("times", times);
  }
};
struct CloseStream {
  static constexpr const char* kName = "close";
  int stream = 1;
  void Fields(auto& field) { field("stream", stream); }
};
// Opens the stream again: each of its watches is resumed one past what it received, or at the
// revision of its ErrCompacted.
struct Resume {
  static constexpr const char* kName = "resume";
  int stream = 1;
  void Fields(auto& field) { field("stream", stream); }
};
struct Put {
  static constexpr const char* kName = "put";
  std::string key;
  std::int64_t lease = 0;
  std::int64_t bytes = 0;  // of the value, at least
  std::int64_t times = 1;
  // After each of them every watch has received it before anything else is asked.
  bool paced = false;
  bool prev_kv = false;
  bool ignore_value = false;
  bool ignore_lease = false;
  void Fields(auto& field) {
    field("key", key);
    field("lease", lease);
    field("bytes", bytes);
    field("times", times);
    field("paced", paced);
    field("prev_kv", prev_kv);
    field("ignore_value", ignore_value);
    field("ignore_lease", ignore_lease);
  }
};
struct Delete {
  static constexpr const char* kName = "delete";
  std::string key;
  std::string end{};
  bool prev_kv = false;
  void Fields(auto& field) {
    field("key", key);
    field("end", end);
    field("prev_kv", prev_kv);
  }
};
struct Txn {
  static constexpr const char* kName = "txn";
  std::vector<Condition> when{};
  std::vector<TxnPart> then{};
  std::vector<TxnPart> otherwise{};
  std::vector<Txn> nested{};  // one after the other, at the end of both
  void Fields(auto& field) {
    field("when", when);
    field("then", then);
    field("otherwise", otherwise);
    field("nested", nested);
  }
};
struct Grant {
  static constexpr const char* kName = "grant";
  std::int64_t lease = 1;
  std::int64_t seconds = 2;
  void Fields(auto& field) {
    field("lease", lease);
    field("seconds", seconds);
  }
};
struct Revoke {
  static constexpr const char* kName = "revoke";
  std::int64_t lease = 1;
  void Fields(auto& field) { field("lease", lease); }
};
struct KeepAlive {
  static constexpr const char* kName = "keep_alive";
  std::int64_t lease = 1;
  // Over the one stream that the script keeps for it; else over one that ends with the answer.
  bool again = false;
  void Fields(auto& field) {
    field("lease", lease);
    field("again", again);
  }
};
struct Compact {
  static constexpr const char* kName = "compact";
  Place at{Place::From::kHead, 0};
  bool physical = false;  // answered once the backend holds it no more
  void Fields(auto& field) {
    field("at", at);
    field("physical", physical);
  }
};
// The client of a stream receives some replies. On a real server it always does, but for a stall.
struct Receive {
  static constexpr const char* kName = "receive";
  int stream = 1;
  std::int64_t replies = 1;
  void Fields(auto& field) {
    field("stream", stream);
    field("replies", replies);
  }
};

// The stream is opened again, of a user with the right to read this range and nothing else; within
// a script it is always the range of the first of these. Only on a real server.
struct Restrict {
  static constexpr const char* kName = "restrict";
  int stream = 1;
  std::string key;
  std::string end{};
  void Fields(auto& field) {
    field("stream", stream);
    field("key", key);
    field("end", end);
  }
};

// What only virtual time decides.

struct Advance {  // time
  static constexpr const char* kName = "advance";
  std::int64_t ms = 1000;
  void Fields(auto& field) { field("ms", ms); }
};
enum class Loop {
  kCommit,      // new commits reach the synced watchers
  kSync,        // one step of catching up
  kVictims,     // one step of serving those that waited for room
  kProgress,    // periodic progress
  kExpire,      // overdue leases end
  kErase,       // one step of compaction
  kCheckpoint,  // what is left of each lease is written down
};
std::string ToText(Loop loop);
bool FromText(std::string_view text, Loop& loop);
struct Turn {  // of one of the store's loops
  static constexpr const char* kName = "turn";
  Loop loop = Loop::kCommit;
  void Fields(auto& field) { field("loop", loop); }
};
struct SyncDisk {
  static constexpr const char* kName = "sync_disk";
  std::int64_t writes = 1;  // the oldest so many become safe
  void Fields(auto& field) { field("writes", writes); }
};
// The store is killed and started again. Of what is not safe, the oldest so many are on the disk.
struct Crash {
  static constexpr const char* kName = "crash";
  std::int64_t kept = 0;
  void Fields(auto& field) { field("kept", kept); }
};

// What only a real server does.

struct Defragment {  // its database
  static constexpr const char* kName = "defragment";
  void Fields(auto&) {}
};
struct Hash {  // of its history up to there
  static constexpr const char* kName = "hash";
  Place at{};
  void Fields(auto& field) { field("at", at); }
};
// From here on, at the call to its disk with this number, before it is carried out: the server is
// killed there, and started again before the next step. With the power, what it had not synced is
// gone: all, all but some pages (parts), or some sectors of the last write (torn).
struct CrashPoint {
  static constexpr const char* kName = "crash_point";
  enum class How { kKill, kPower, kParts, kTorn };
  std::int64_t nth = 1;
  How how = How::kKill;
  void Fields(auto& field) {
    field("nth", nth);
    field("how", how);
  }
};
std::string ToText(CrashPoint::How how);
bool FromText(std::string_view text, CrashPoint::How& how);

// What only a cluster does. Its members are numbered from 1, which leads at first.

// From here on requests go to this member, and streams are opened on it; on the first one until
// then.
struct AtMember {
  static constexpr const char* kName = "at_member";
  int member = 1;
  void Fields(auto& field) { field("member", member); }
};
// For every script on the cluster: the member is cut off from the others, or stands still, until it
// is calm again; or it is made the leader. One that leads hands over first, and the first member is
// left in peace: the control watch is there.
struct Disturb {
  static constexpr const char* kName = "disturb";
  enum class How { kIsolate, kPause, kLead };
  How how = How::kIsolate;
  int member = 2;
  void Fields(auto& field) {
    field("how", how);
    field("member", member);
  }
};
std::string ToText(Disturb::How how);
bool FromText(std::string_view text, Disturb::How& how);
struct Calm {
  static constexpr const char* kName = "calm";
  void Fields(auto&) {}
};

using Step = std::variant<Create, Cancel, AskProgress, CloseStream, Resume, Put, Delete, Txn, Grant,
                          Revoke, KeepAlive, Get, Compact, Receive, Restrict, Advance, Turn,
                          SyncDisk, Crash, Defragment, Hash, CrashPoint, AtMember, Disturb, Calm>;

// The bounds of the store, small on purpose.
struct Limits {
  std::int64_t queued_replies = 2;
  std::int64_t queued_bytes = 1 << 24;
  std::int64_t control_replies = 17;
  std::int64_t watchers_per_step = 2;
  std::int64_t revisions_per_batch = 2;
  std::int64_t reply_bytes = 1 << 16;
  std::int64_t part_bytes = 150;  // of a reply that may be fragmented
  std::int64_t progress_ms = 2000;
  bool strict_previous = false;
  bool disk = false;         // writes are safe only after a step of the disk
  bool checkpoints = false;  // of leases
  std::int64_t room = 0;     // the disk takes no larger write; 0: any
  void Fields(auto& field) {
    field("queued_replies", queued_replies);
    field("queued_bytes", queued_bytes);
    field("control_replies", control_replies);
    field("watchers_per_step", watchers_per_step);
    field("revisions_per_batch", revisions_per_batch);
    field("reply_bytes", reply_bytes);
    field("part_bytes", part_bytes);
    field("progress_ms", progress_ms);
    field("strict_previous", strict_previous);
    field("disk", disk);
    field("checkpoints", checkpoints);
    field("room", room);
  }
  bool operator==(const Limits&) const = default;
};

// How a real server was set up that is not as by default: where it has a flag for it.
struct Server {
  std::int64_t progress_ms = 0;     // of periodic progress; 0: the product's interval
  bool unsynced = false;            // writes are not flushed before they are acknowledged
  bool disk = false;                // it keeps its data where it could do without
  std::int64_t snapshot_count = 0;  // log entries between two snapshots; 0: the product's
  // Revisions that a compaction removes between two commits; 0: the product's.
  std::int64_t compaction_batch = 0;
  // Log entries that a leader keeps for members that are behind; 0: the product's.
  std::int64_t catch_up_entries = 0;
  void Fields(auto& field) {
    field("server_progress_ms", progress_ms);
    field("server_unsynced", unsynced);
    field("server_disk", disk);
    field("server_snapshot_count", snapshot_count);
    field("server_compaction_batch", compaction_batch);
    field("server_catch_up_entries", catch_up_entries);
  }
  bool operator==(const Server&) const = default;
};

struct Script {
  Limits limits{};
  Server server{};
  std::vector<Step> steps{};
};

// Whether a step is one of these.
template <typename... Wanted>
bool Has(const Script& script) {
  return std::ranges::any_of(
      script.steps, [](const Step& step) { return (std::holds_alternative<Wanted>(step) || ...); });
}

// The highest number of a member that it names; 1: it is for a single server as well.
int MembersOf(const Script& script);

inline constexpr int kMostStreams = 3;
inline constexpr int kMostMembers = 9;
inline constexpr std::int64_t kMostTimes = 5000;
// A write of a larger value, with what is around it, is more than etcd takes by default.
inline constexpr std::int64_t kLargestRequest = 3 << 19;
inline constexpr std::int64_t kMostBytes = 2 * kLargestRequest;
inline constexpr std::int64_t kEveryReply = 1 << 20;  // from this many on, a client does not stall

// "create stream=1 key=a/ end=a0 start=floor": fields with their default are left out.
std::string Describe(const Step& step);
// Whether no value in it would make a run endless, or is outside of what it can index.
Status Check(const Step& step);
Status Check(const Limits& limits);
Status Check(const Server& server);
// "queued_replies=1": likewise.
std::string DescribeLimits(const Limits& limits);
// "default settings", or what is different.
std::string DescribeServer(const Server& server);
// For people, and to see whether two are the same: the first line says what is different in limits
// and server, each further line is one step.
std::string ToText(const Script& script);

}  // namespace watchproof::explore
