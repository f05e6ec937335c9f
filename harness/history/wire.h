// SPDX-License-Identifier: Apache-2.0
// Reads the messages of fixtures/protos straight from their bytes: views into the message, no
// copies.
//
//   WatchResponseView response;                       // reused: its vectors keep their memory
//   WP_RETURN_IF_ERROR(Parse(entry.payload.view(), response));
//   for (const EventView& event : response.events) ... event.kv.key ...
//
// Unknown fields, and known ones of an unexpected wire type, are skipped as protobuf does; a field
// given twice counts as last given. Malformed input is a Status, never a crash. Groups, which
// proto3 does not have, count as malformed, and so do the field numbers that protobuf reserves.
// Views are valid as long as the bytes that were parsed.
// Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/method.h"
#include "harness/history/watch_options.h"

namespace watchproof {

// The first field of a message: its number, and how many bytes it takes with its tag.
struct FieldExtent {
  std::uint32_t number = 0;
  std::size_t size = 0;
};
// Empty at the end and where the message is malformed.
std::optional<FieldExtent> FirstField(std::string_view message);

struct HeaderView {
  std::uint64_t cluster_id = 0;
  std::uint64_t member_id = 0;
  std::int64_t revision = 0;
  std::uint64_t raft_term = 0;
};

struct KeyValueView {
  std::string_view key;
  std::string_view value;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
};

struct EventView {
  std::int64_t type = 0;  // 0 put, 1 delete; any other value is the target's mistake
  bool has_previous = false;
  KeyValueView kv;
  KeyValueView previous;
};

struct WatchCreateView : WatchOptions {
  std::string_view key;
  std::string_view range_end;
  std::int64_t start_revision = 0;
  std::int64_t watch_id = 0;
};

enum class WatchRequestKind { kNone, kCreate, kCancel, kProgress };

struct WatchRequestView {
  static constexpr const char* kMessage = "WatchRequest";
  WatchRequestKind kind = WatchRequestKind::kNone;
  WatchCreateView create;
  std::int64_t cancel_id = 0;
};

// The id in responses that are for no watch in particular.
inline constexpr std::int64_t kWholeStream = -1;

struct WatchResponseView {
  static constexpr const char* kMessage = "WatchResponse";
  HeaderView header;
  std::int64_t watch_id = 0;
  bool created = false;
  bool canceled = false;
  bool fragment = false;
  std::int64_t compact_revision = 0;
  std::string_view cancel_reason;
  std::vector<EventView> events;

  void Clear();
};

struct RangeRequestView {
  static constexpr const char* kMessage = "RangeRequest";
  std::string_view key;
  std::string_view range_end;
  std::int64_t limit = 0;
  std::int64_t revision = 0;
  std::int64_t sort_order = 0;   // 0 none, 1 ascending, 2 descending
  std::int64_t sort_target = 0;  // 0 key, 1 version, 2 create revision, 3 mod revision, 4 value
  bool serializable = false;
  bool keys_only = false;
  bool count_only = false;
  // Only keys within these are shown; 0: no bound.
  std::int64_t min_mod = 0;
  std::int64_t max_mod = 0;
  std::int64_t min_create = 0;
  std::int64_t max_create = 0;
  bool filtered() const { return (min_mod | max_mod | min_create | max_create) != 0; }
  bool Shows(std::int64_t mod, std::int64_t create) const {
    const auto within = [](std::int64_t at, std::int64_t low, std::int64_t high) {
      return (low == 0 || at >= low) && (high == 0 || at <= high);
    };
    return within(mod, min_mod, max_mod) && within(create, min_create, max_create);
  }
};
struct RangeResponseView {
  static constexpr const char* kMessage = "RangeResponse";
  HeaderView header;
  std::vector<KeyValueView> kvs;
  bool more = false;
  std::int64_t count = 0;
};
// A part of the answer to a read; the header, more and count come with the last one.
struct RangeStreamResponseView {
  static constexpr const char* kMessage = "RangeStreamResponse";
  std::string_view range_response;
};
struct PutRequestView {
  static constexpr const char* kMessage = "PutRequest";
  std::string_view key;
  std::string_view value;
  std::int64_t lease = 0;
  bool prev_kv = false;
  bool ignore_value = false;
  bool ignore_lease = false;
};
struct PutResponseView {
  static constexpr const char* kMessage = "PutResponse";
  HeaderView header;
  bool has_previous = false;
  KeyValueView previous;
};
struct DeleteRangeRequestView {
  static constexpr const char* kMessage = "DeleteRangeRequest";
  std::string_view key;
  std::string_view range_end;
  bool prev_kv = false;
};
struct DeleteRangeResponseView {
  static constexpr const char* kMessage = "DeleteRangeResponse";
  HeaderView header;
  std::int64_t deleted = 0;
  std::vector<KeyValueView> previous;
};

// One operation of a transaction, or its answer; `body` is the message of that kind.
struct OperationView {
  Method kind = Method::kNone;
  std::string_view body;
};
enum class CompareResult { kEqual, kGreater, kLess, kNotEqual };
enum class CompareTarget { kVersion, kCreate, kMod, kValue, kLease };

struct CompareView {
  static constexpr const char* kMessage = "Compare";
  std::int64_t result = 0;  // of CompareResult, or a value beyond it
  std::int64_t target = 0;  // of CompareTarget
  std::string_view key;
  std::string_view range_end;
  std::int64_t version = 0;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::string_view value;
  std::int64_t lease = 0;
};
struct TxnRequestView {
  static constexpr const char* kMessage = "TxnRequest";
  std::vector<std::string_view> compare;  // Compare messages
  std::vector<OperationView> success;
  std::vector<OperationView> failure;
};
struct TxnResponseView {
  static constexpr const char* kMessage = "TxnResponse";
  HeaderView header;
  bool succeeded = false;
  std::vector<OperationView> responses;
};
struct CompactionRequestView {
  static constexpr const char* kMessage = "CompactionRequest";
  std::int64_t revision = 0;
  bool physical = false;
};
struct CompactionResponseView {
  static constexpr const char* kMessage = "CompactionResponse";
  HeaderView header;
};
struct LeaseGrantRequestView {
  static constexpr const char* kMessage = "LeaseGrantRequest";
  std::int64_t ttl = 0;  // in seconds
  std::int64_t id = 0;   // 0: the target chooses
};
// A revocation, a keep-alive or a question for one lease; also an element of the list of leases.
struct LeaseRequestView {
  static constexpr const char* kMessage = "request for a lease";
  std::int64_t id = 0;
  bool keys = false;  // of a question: asks for them
};
// To a grant, a keep-alive or a question; the last two fields come with the answer to a question.
struct LeaseResponseView {
  static constexpr const char* kMessage = "answer for a lease";
  HeaderView header;
  std::int64_t id = 0;
  // What is left. There is no such lease: 0 to a keep-alive, -1 to a question.
  std::int64_t ttl = 0;
  std::int64_t granted = 0;
  std::vector<std::string_view> keys;
};
struct LeaseLeasesResponseView {
  static constexpr const char* kMessage = "LeaseLeasesResponse";
  std::vector<LeaseRequestView> leases;
};
// A call of an operator, by its first field: what to do with an alarm, or the user or role that it
// is about.
struct OperatorRequestView {
  static constexpr const char* kMessage = "request of an operator";
  std::int64_t action = 0;
  std::string_view name;
};
// A call that changes users or roles: the user or role, then a role, a key, or what is granted, and
// then the end of the key's range. Of a user that is added: its password, and the options.
struct UsersRequestView {
  static constexpr const char* kMessage = "request about users";
  std::string_view name;
  std::string_view second;
  std::string_view range_end;
};
struct UserAddOptionsView {
  static constexpr const char* kMessage = "UserAddOptions";
  bool no_password = false;
};
struct PermissionView {
  static constexpr const char* kMessage = "Permission";
  std::int64_t type = 0;
  std::string_view key;
  std::string_view range_end;
};
// The roles of a user, what a role permits, or the list of all users or roles.
struct NamesResponseView {
  static constexpr const char* kMessage = "answer about users";
  std::vector<std::string_view> names;
};
// For a lock or an election. The release of a lock has the key in place of the name.
struct ClaimRequestView {
  static constexpr const char* kMessage = "request for a lock";
  std::string_view name;
  std::int64_t lease = 0;
  std::string_view value;  // of a campaign
};
struct LeaderKeyView {
  static constexpr const char* kMessage = "LeaderKey";
  std::string_view name;
  std::string_view key;
  std::int64_t created = 0;  // the revision at which the key was
  std::int64_t lease = 0;
};
struct LockResponseView {
  static constexpr const char* kMessage = "LockResponse";
  std::string_view key;
};
struct CampaignResponseView {
  static constexpr const char* kMessage = "CampaignResponse";
  LeaderKeyView leader;
};
struct ResignRequestView {
  static constexpr const char* kMessage = "ResignRequest";
  LeaderKeyView leader;
};
struct ProclaimRequestView {
  static constexpr const char* kMessage = "ProclaimRequest";
  LeaderKeyView leader;
  std::string_view value;
};
struct LeaderResponseView {
  static constexpr const char* kMessage = "LeaderResponse";
  KeyValueView kv;
};
struct AuthenticateResponseView {
  static constexpr const char* kMessage = "AuthenticateResponse";
  std::string_view token;
};
struct AuthStatusResponseView {
  static constexpr const char* kMessage = "AuthStatusResponse";
  HeaderView header;
  bool enabled = false;
  std::uint64_t revision = 0;  // of users and roles
};

// What a member reports of itself.
struct DowngradeInfoView {
  static constexpr const char* kMessage = "DowngradeInfo";
  bool enabled = false;
  std::string_view target;
};
struct HashResponseView {
  static constexpr const char* kMessage = "HashResponse";
  std::int64_t hash = 0;
};
struct DowngradeResponseView {
  static constexpr const char* kMessage = "DowngradeResponse";
  std::string_view version;  // of the cluster
};
struct StatusResponseView {
  static constexpr const char* kMessage = "StatusResponse";
  HeaderView header;
  std::string_view version;
  std::int64_t size = 0;
  std::uint64_t leader = 0;  // 0: none
  std::uint64_t index = 0;   // of the log, that is committed
  std::uint64_t term = 0;
  std::uint64_t applied = 0;  // likewise, that is carried out
  std::vector<std::string_view> errors;
  std::int64_t in_use = 0;  // of its size
  bool is_learner = false;
  std::string_view storage;  // the version of its storage
  std::int64_t quota = 0;    // of its size
  DowngradeInfoView downgrade;
};
struct AlarmView {
  std::uint64_t member = 0;
  std::int64_t kind = 0;
};
struct AlarmRequestView {
  static constexpr const char* kMessage = "AlarmRequest";
  std::int64_t action = 0;  // 0 get, 1 activate, 2 deactivate
  std::uint64_t member = 0;
  std::int64_t kind = 0;  // 0: any
};
struct AlarmResponseView {
  static constexpr const char* kMessage = "AlarmResponse";
  std::vector<AlarmView> alarms;
};
struct HashKvRequestView {
  static constexpr const char* kMessage = "HashKVRequest";
  std::int64_t revision = 0;  // 0: the current one
};
struct HashKvResponseView {
  static constexpr const char* kMessage = "HashKVResponse";
  HeaderView header;
  std::int64_t compacted = 0;  // through this revision; -1: it is not
  std::int64_t hashed = 0;     // likewise; 0: it does not say
};
struct MemberView {
  std::uint64_t id = 0;
  std::string_view name;
  std::vector<std::string_view> peer_urls;
  std::vector<std::string_view> client_urls;
  bool is_learner = false;
};
// Also to a change of them but the next.
struct MemberListResponseView {
  static constexpr const char* kMessage = "MemberListResponse";
  HeaderView header;
  std::vector<MemberView> members;
};
struct MemberAddResponseView {
  static constexpr const char* kMessage = "MemberAddResponse";
  HeaderView header;
  MemberView added;
  std::vector<MemberView> members;
};
// A piece of it. The header is left out by etcd.
struct SnapshotResponseView {
  static constexpr const char* kMessage = "SnapshotResponse";
  std::uint64_t remaining = 0;  // bytes after these
  std::string_view blob;
  std::string_view version;  // of the storage, since etcd 3.6
};

// For every view above that names its message. Overwrites `out`; after an error its content is
// unspecified.
template <typename View>
Status Parse(std::string_view message, View& out);
// The same from a message in two pieces, cut between two fields.
Status Parse(std::string_view begin, std::string_view rest, WatchResponseView& out);

// The header of any response of the KV and lease services: all of them keep it in field 1.
Status ParseHeader(std::string_view message, HeaderView& out);

}  // namespace watchproof
